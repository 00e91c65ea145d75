import type { Millis } from "../kernel/time.ts";
import type { Local } from "../ports/local.ts";

/** The most requests that start in one turn of the event loop: after them, what has arrived meanwhile is read. */
const MOST_STARTS = 8;
/** After a longer turn fewer requests start in the next one. */
const LONG_TURN: Millis = 25;

/** Undefined where a request may start at once, else what it waits for. */
export type Admission = () => Promise<void> | undefined;

/**
 * Starts a few requests a turn of the event loop, in the order in which they came. A database in a file answers within the
 * turn in which it is called: without this, requests that wait would all be answered before anything else is read.
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
