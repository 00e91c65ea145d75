import type { Millis } from "../../kernel/time.ts";

/** A point of a price path; prices are whole ticks. */
export interface Corner {
  readonly at: Millis;
  readonly ticks: number;
}

/** The straight line's whole tick at a time between two corners. */
export const between = (from: Corner, to: Corner, time: Millis): number =>
  from.ticks + Math.round(((to.ticks - from.ticks) * (time - from.at)) / (to.at - from.at));

/** The first good millisecond on the straight line from a bad corner to a good one. */
export function crossing(bad: Corner, good: Corner, isGood: (ticks: number) => boolean): Millis {
  let [low, high] = [bad.at, good.at];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (isGood(between(bad, good, middle))) high = middle;
    else low = middle;
  }
  return high;
}
