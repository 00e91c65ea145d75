import { VenueError } from "../../../kernel/errors.ts";
import { type Millis, SECOND } from "../../../kernel/time.ts";

/** Number of consecutive failures after which requests pause. */
const FAILURES_TO_OPEN = 5;

/** First and maximum duration of the pause. */
export interface Pause {
  readonly first: Millis;
  readonly most: Millis;
}

/** Creates a circuit breaker: it opens after consecutive failures, reports that, and allows one call after each pause. */
export function createCircuit(name: string, monotonic: () => Millis, pause: Pause) {
  let failures = 0;
  let closedUntil = Number.NEGATIVE_INFINITY;
  let isTrying = false;

  return async function through<T>(call: () => Promise<T>): Promise<T> {
    const isOpen = failures >= FAILURES_TO_OPEN;
    const wait = closedUntil - monotonic();
    if (isOpen && (wait > 0 || isTrying)) {
      const when = Math.max(1, Math.ceil(wait / SECOND));
      throw new VenueError(
        "unavailable",
        `${name} has failed ${failures} times in a row; edgemaker retries in ${when} s`,
      );
    }
    isTrying = isOpen;
    try {
      const value = await call();
      failures = 0;
      return value;
    } catch (error) {
      if (isOutage(error)) {
        failures++;
        const pauses = Math.max(0, failures - FAILURES_TO_OPEN);
        closedUntil = monotonic() + Math.min(pause.most, pause.first * 2 ** Math.min(pauses, 10));
      } else failures = 0;
      throw error;
    } finally {
      isTrying = false;
    }
  };
}

// An exchange that refuses one request still answers others.
const isOutage = (error: unknown): boolean =>
  error instanceof VenueError && (error.failure === "unavailable" || error.failure === "rate_limited");
