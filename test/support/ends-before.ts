import type { Millis } from "../../src/kernel/time.ts";

/**
 * What the work brings, if it ends before a timer of the same process that was started with it. A busy machine
 * delays both, so that it tells waiting for one limit from waiting for two of them, and not a fast machine from a slow one.
 */
export async function endsBefore<T>(millis: Millis, work: () => Promise<T>): Promise<T> {
  let isOver = false;
  const timer = setTimeout(() => {
    isOver = true;
  }, millis);
  const value = await work().finally(() => clearTimeout(timer));
  if (isOver) throw new Error(`it took more than ${millis} ms`);
  return value;
}
