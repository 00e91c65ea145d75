import { digest } from "../kernel/digest.ts";
import { AppError, type Label } from "../kernel/errors.ts";
import { type Millis, SECOND } from "../kernel/time.ts";
import type { Deps } from "../ports/deps.ts";
import { type Answer, refusal } from "./run.ts";

const LONGEST_WAIT_FOR_ANSWER: Millis = 10 * SECOND;
const BETWEEN_LOOKUPS: Millis = 50;

export interface Request {
  /** The Idempotency-Key as sent. */
  readonly key: string;
  readonly actor: string;
  readonly route: string;
  readonly body: string;
  readonly requestId: string;
}

/**
 * Runs a request once: the same key, token and body get the same response for a day; a second request waits for the
 * first.
 */
export async function once(
  { store, local }: Pick<Deps, "store" | "local">,
  request: Request,
  act: (requestKey: string) => Promise<Answer>,
): Promise<Answer> {
  if (!/^[\x21-\x7e]{1,255}$/.test(request.key)) {
    return refusal(
      new AppError("Invalid request", "Idempotency-Key must be 1 to 255 visible characters"),
      request.requestId,
    );
  }
  const key = await digest([request.actor, request.route, request.key].join("\n"));
  const bodyHash = await digest(request.body);
  const requestedAt = local.monotonic();
  for (;;) {
    const claimed = await store.claimRequest({ key, bodyHash });
    if (claimed.state === "new") break;
    if (claimed.state === "done") return { status: claimed.status, body: JSON.parse(claimed.body) };
    if (claimed.state === "conflict")
      return conflict("this Idempotency-Key was used with another body", request);
    if (local.monotonic() - requestedAt > LONGEST_WAIT_FOR_ANSWER)
      return conflict("the first request with this Idempotency-Key is still in progress", request);
    await local.sleep(BETWEEN_LOOKUPS);
  }
  const answer = await act(key);
  if (isRepeatable(answer.body)) await store.reopenRequest(key);
  else await store.finishRequest(key, { status: answer.status, body: JSON.stringify(answer.body) });
  return answer;
}

const conflict = (message: string, { requestId }: Request): Answer =>
  refusal(new AppError("Conflict", message), requestId);

// When the key is sent again, the order's result may be known, or the server and the exchange may be free.
const REPEATABLE: readonly unknown[] = [
  "Internal error",
  "Order unknown",
  "Too many requests",
] satisfies Label[];

const isRepeatable = (body: unknown): boolean =>
  typeof body === "object" && body !== null && "error" in body && REPEATABLE.includes(body.error);
