import { VenueError } from "../../errors.ts";
import { MINUTE, type Millis, SECOND } from "../../kernel/time.ts";
import type { Local } from "../../ports.ts";

/** How long an answer serves whoever asks the same. */
export const KEPT_FOR: Millis = SECOND;
const MOST_KEPT = 500;
/** Failures in a row after which nothing is asked for a while. */
const PATIENCE = 5;
const PAUSE: { readonly first: Millis; readonly most: Millis } = { first: 5 * SECOND, most: MINUTE };

export interface SharedReads {
  /** The answer to a question that others ask too. A failure is told to those who wait for it, and kept for nobody. */
  read<T>(question: string, ask: () => Promise<T>): Promise<T>;
}

/** Public reads of one exchange: the same question is asked once at a time, and not at all while the exchange keeps failing. */
export function sharedReads(
  name: string,
  { monotonic }: Pick<Local, "monotonic">,
  keptFor = KEPT_FOR,
): SharedReads {
  const asking = new Map<string, Promise<unknown>>();
  const kept = new Map<string, { readonly at: Millis; readonly value: unknown }>();
  const circuit = createCircuit(name, monotonic);

  const ask = async <T>(question: string, call: () => Promise<T>): Promise<T> => {
    const value = await circuit(call);
    kept.delete(question);
    kept.set(question, { at: monotonic(), value });
    // Map order is insertion order, so the first is the oldest.
    for (const oldest of kept.keys()) {
      if (kept.size <= MOST_KEPT) break;
      kept.delete(oldest);
    }
    return value;
  };

  return {
    read<T>(question: string, call: () => Promise<T>): Promise<T> {
      if (keptFor === 0) return circuit(call);
      const found = kept.get(question);
      if (found && monotonic() - found.at < keptFor) return Promise.resolve(found.value as T);
      const under = asking.get(question);
      if (under) return under as Promise<T>;
      const answer = ask(question, call).finally(() => asking.delete(question));
      asking.set(question, answer);
      return answer;
    },
  };
}

/** Opens when the exchange has failed again and again, says so, and lets one call try after each pause. */
function createCircuit(name: string, monotonic: () => Millis) {
  let failures = 0;
  let closedUntil = Number.NEGATIVE_INFINITY;
  let isTrying = false;

  return async function through<T>(call: () => Promise<T>): Promise<T> {
    const isOpen = failures >= PATIENCE;
    const wait = closedUntil - monotonic();
    if (isOpen && (wait > 0 || isTrying)) {
      const when = Math.max(1, Math.ceil(wait / SECOND));
      throw new VenueError(
        "unavailable",
        `${name} has failed ${failures} times in a row; it is asked again in ${when} s`,
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
        const pauses = Math.max(0, failures - PATIENCE);
        closedUntil = monotonic() + Math.min(PAUSE.most, PAUSE.first * 2 ** Math.min(pauses, 10));
      } else failures = 0;
      throw error;
    } finally {
      isTrying = false;
    }
  };
}

// An exchange that refuses one question still answers others.
const isOutage = (error: unknown): boolean =>
  error instanceof VenueError && (error.failure === "unavailable" || error.failure === "rate_limited");
