import type { Millis } from "../../kernel/time.ts";
import type { WaitingCaller } from "../../operation.ts";
import type { Local } from "../../ports/local.ts";

/** Duration of a slice of calculation, and of the pause after it: a pass takes many turns of the event loop. */
const SLICE: Millis = 16;
const REST: Millis = 4;
/** Number of steps in the first slice if the clock stands still. */
const FIRST_STEPS = 8;

/**
 * Runs a long calculation in slices, so the same process can run passes and respond between them; the calculation
 * yields the completed share. Simultaneous calculations share the length of a slice. On Workers the clock stands
 * still without awaiting, so a slice is a number of steps, which doubles if they took less time than a slice.
 */
export async function inSlices<T>(
  work: Generator<number, T>,
  { monotonic, sleep }: Pick<Local, "monotonic" | "sleep">,
  { hear, share = () => 1 }: Partial<Pick<WaitingCaller, "hear" | "share">> = {},
): Promise<T> {
  for (let steps = FIRST_STEPS; ; ) {
    const since = monotonic();
    const length = SLICE * share();
    let reportedValue = 0;
    for (let step = 1; step <= steps || monotonic() > since; step++) {
      const { done, value } = work.next();
      if (done) return value;
      reportedValue = value;
      if (monotonic() - since >= length) break;
    }
    hear?.(reportedValue);
    await sleep(REST);
    steps = monotonic() - since - REST > length ? Math.ceil(steps / 2) : steps * 2;
  }
}
