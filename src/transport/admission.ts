import type { Local } from "../ports/local.ts";

/** Requests that start in one turn of the event loop: after them, what has arrived meanwhile is read. */
const STARTS_A_TURN = 8;

/** Undefined where a request may start at once, else what it waits for. */
export type Admission = () => Promise<void> | undefined;

/**
 * Starts a few requests a turn of the event loop, in the order in which they came. A database in a file answers within the
 * turn in which it is called: without this, requests that wait would all be answered before anything else is read.
 */
export function createAdmission({ heard }: Pick<Local, "heard">): Admission {
  if (!heard) return () => undefined;
  const waiting: (() => void)[] = [];
  let left = STARTS_A_TURN;
  let isTurning = false;

  async function turn(hear: () => Promise<void>): Promise<void> {
    isTurning = true;
    while (left < STARTS_A_TURN) {
      await hear();
      const starting = waiting.splice(0, STARTS_A_TURN);
      left = STARTS_A_TURN - starting.length;
      for (const start of starting) start();
    }
    isTurning = false;
  }

  return () => {
    if (left > 0) {
      left--;
      if (!isTurning) void turn(heard);
      return undefined;
    }
    return new Promise((start) => waiting.push(start));
  };
}
