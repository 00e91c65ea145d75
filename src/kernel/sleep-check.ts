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

/** Largest step of the wall clock between two calls that its synchronization can cause. */
const MAX_CLOCK_SYNC_MS: Millis = SECOND;

/**
 * Returns a monotonic clock that goes on during a sleep of the machine, in which the platform's one stands still on
 * Linux: it follows each jump of the wall clock. A lease, for example, ends during a sleep. A wall clock that is set back
 * has no effect; one that is set ahead counts as a sleep, so that time limits end too early instead of too late.
 */
export function clockWithSleep(monotonic: () => Millis, wall: () => Millis): () => Millis {
  let lead = wall() - monotonic();
  let slept = 0;
  return () => {
    const now = monotonic();
    const ahead = wall() - now - lead;
    lead += ahead;
    if (ahead > MAX_CLOCK_SYNC_MS) slept += ahead;
    return now + slept;
  };
}
