import type { Millis } from "../../kernel/time.ts";
import type { WaitingCaller } from "../../operation.ts";
import type { Local } from "../../ports/local.ts";

/** So long nothing else happens in this process, and then so long everything else: a pass takes many turns of its loop. */
const SLICE: Millis = 16;
const REST: Millis = 4;
/** Of the first slice where the clock stands still. */
const FIRST_STEPS = 8;

/**
 * The same process steps grids and answers: it does so between two slices of a long calculation, which yields the share that
 * is done. Calculations at the same time share the length of a slice. Workers' clocks stand still while nothing is awaited:
 * there a slice is so many steps, twice as many where they took less than its length.
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
