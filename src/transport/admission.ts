import type { Millis } from "../kernel/time.ts";
import type { Local } from "../ports/local.ts";

/** Maximum number of requests that start in one turn of the event loop; then new requests are read. */
const MOST_STARTS = 8;
/** After a longer turn, fewer requests start in the next one. */
const LONG_TURN: Millis = 25;

/** Returns undefined if a request can start at once, otherwise a promise to wait for. */
export type Admission = () => Promise<void> | undefined;

/**
 * Starts a few requests per turn of the event loop, in order of arrival. A file database responds within the same
 * turn, so without this, all waiting requests would be served before anything else is read.
 */
export function createAdmission({ heard, monotonic }: Pick<Local, "heard" | "monotonic">): Admission {
  if (!heard) return () => undefined;
  const waiting: (() => void)[] = [];
  let starts = MOST_STARTS;
  let started = 0;

  async function turns(hear: () => Promise<void>): Promise<void> {
    while (started > 0) {
      const since = monotonic();
      await hear();
      const isLong = monotonic() - since > LONG_TURN;
      starts = isLong ? Math.ceil(starts / 2) : Math.min(MOST_STARTS, starts * 2);
      const next = waiting.splice(0, starts);
      started = next.length;
      for (const start of next) start();
    }
  }

  return () => {
    if (started >= starts) return new Promise((start) => waiting.push(start));
    started++;
    if (started === 1) void turns(heard);
    return undefined;
  };
}
