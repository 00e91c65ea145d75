import type { Millis } from "../../kernel/time.ts";
import type { Local } from "../../ports/local.ts";

/** So long nothing else happens in this process, and then so long everything else: a pass takes many turns of its loop. */
const SLICE: Millis = 16;
const REST: Millis = 4;

/** The same process steps grids and answers: it does so between two slices of a long calculation, which yields the share that is done. */
export async function inSlices<T>(
  work: Generator<number, T>,
  { monotonic, sleep }: Pick<Local, "monotonic" | "sleep">,
  hear: (done: number) => void = () => undefined,
): Promise<T> {
  for (let since = monotonic(); ; ) {
    const { done, value } = work.next();
    if (done) return value;
    if (monotonic() - since < SLICE) continue;
    hear(value);
    await sleep(REST);
    since = monotonic();
  }
}
