import { AppError, type Label, messageOf, statusOf, VenueError } from "../errors.ts";
import type { Call, Operation } from "../operation.ts";
import type { Deps } from "../ports.ts";

/** What every surface answers with: a status and a body that is plain JSON. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Runs an operation on parsed input. Every failure becomes its label; only our own mistakes are logged with a stack. */
export async function run(
  operation: Operation,
  deps: Deps,
  input: unknown,
  call: Call & { readonly requestId: string },
): Promise<Answer> {
  try {
    return { status: 200, body: await operation.run(deps, input, call) };
  } catch (error) {
    const failure = classify(error, operation.failure);
    if (failure.label === "Internal error") {
      deps.log("error", messageOf(error), {
        requestId: call.requestId,
        operation: operation.name,
        stack: stackOf(error),
      });
    }
    return refusal(failure, call.requestId);
  }
}

/** The error body: a label, one sentence, and never a stack, url, header or upstream body. */
export function refusal(error: AppError, requestId: string): Answer {
  const { issues, fields, retryAfterSeconds } = error.extras;
  return {
    status: statusOf(error.label),
    body: { error: error.label, message: error.message, requestId, ...(issues ? { issues } : {}), ...fields },
    ...(retryAfterSeconds === undefined ? {} : { headers: { "retry-after": String(retryAfterSeconds) } }),
  };
}

const OF_VENUE: Partial<Record<VenueError["failure"], Label>> = {
  unlisted: "Invalid symbol",
  missing_credentials: "Missing credentials",
  invalid_credentials: "Invalid credentials",
};

function classify(error: unknown, failure: Label): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof VenueError)
    return new AppError(OF_VENUE[error.failure] ?? failure, error.message, { cause: error });
  return new AppError("Internal error", "something went wrong on our side; the log has the request id", {
    cause: error,
  });
}

const stackOf = (error: unknown): string | undefined => (error instanceof Error ? error.stack : undefined);
