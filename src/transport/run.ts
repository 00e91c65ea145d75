import { AppError, type Label, messageOf, StoreError, statusOf, VenueError } from "../kernel/errors.ts";
import type { Call, Operation, WaitingCaller } from "../operation.ts";
import type { Deps } from "../ports/deps.ts";
import type { HeavyPlace } from "../ports/heavy.ts";

/** Response of every interface: a status and a plain JSON body. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Runs an operation on parsed input. */
export const run = (
  operation: Operation,
  deps: Deps,
  input: unknown,
  call: Call & { readonly requestId: string },
): Promise<Answer> =>
  attempt(operation, deps, call.requestId, () =>
    operation.lane === "heavy" && deps.heavy
      ? deps.heavy.run(call, (heavyPlace) =>
          operation.run(deps, input, { ...call, waiting: heavyCaller(call, heavyPlace) }),
        )
      : operation.run(deps, input, call),
  );

/** Renews the slot with each slice of a calculation, and ends it after the client has disconnected. */
const heavyCaller = ({ signal }: Call, { renew, share }: HeavyPlace): WaitingCaller => ({
  hear: renew,
  share,
  isEnough: () => signal?.aborted === true,
});

/** Converts failures to the operation's label; only programming errors are logged with a stack. */
export async function attempt(
  { name, failure }: Operation,
  { log }: Pick<Deps, "log">,
  requestId: string,
  act: () => Promise<unknown>,
): Promise<Answer> {
  try {
    return { status: 200, body: await act() };
  } catch (error) {
    const reportedError = classify(error, failure);
    if (reportedError.label === "Internal error")
      log("error", messageOf(error), {
        requestId,
        operation: name,
        stack: error instanceof Error ? error.stack : undefined,
      });
    return refusal(reportedError, requestId);
  }
}

/** Returns the error body: a label and one sentence, never a stack, URL, header or upstream body. */
export function refusal(error: Pick<AppError, "label" | "message" | "extras">, requestId: string): Answer {
  const { issues, code, fields, retryAfterSeconds, allow } = error.extras;
  return {
    status: statusOf(error.label, code),
    body: {
      error: error.label,
      message: error.message,
      requestId,
      ...(issues ? { issues } : {}),
      ...(code ? { code } : {}),
      ...fields,
    },
    ...(retryAfterSeconds === undefined ? {} : { headers: { "retry-after": String(retryAfterSeconds) } }),
    ...(allow === undefined ? {} : { headers: { allow } }),
  };
}

const OF_VENUE: Partial<Record<VenueError["failure"], Label>> = {
  unlisted: "Invalid symbol",
  missing_credentials: "Missing credentials",
  invalid_credentials: "Invalid credentials",
  too_many: "Too many requests",
};

function classify(error: unknown, failure: Label): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof VenueError)
    return new AppError(OF_VENUE[error.failure] ?? failure, error.message, {
      cause: error,
      ...(error.retryAfterSeconds === undefined ? {} : { retryAfterSeconds: error.retryAfterSeconds }),
    });
  const isDatabase = error instanceof StoreError && error.failure === "unavailable";
  const message = isDatabase ? error.message : "something went wrong on our side; the log has the request id";
  return new AppError("Internal error", message, { cause: error });
}
