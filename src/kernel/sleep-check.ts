import { type Millis, SECOND } from "./time.ts";

/** More than a busy process or the synchronization of a clock takes. */
const MIN_SLEEP_MS: Millis = 20 * SECOND;

/**
 * Returns a check to call each second, which is true once after a sleep of the machine: one of the clocks has jumped. On
 * some platforms the monotonic one stands still during a sleep, so it is not enough.
 */
export function sleepCheck(...clocks: readonly (() => Millis)[]): () => boolean {
  const last = clocks.map((clock) => clock());
  return () =>
    clocks
      .map((clock, at) => {
        const [before = 0, now] = [last[at], clock()];
        last[at] = now;
        return now - before > MIN_SLEEP_MS;
      })
      .includes(true);
}
