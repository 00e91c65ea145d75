import type { Millis } from "../../kernel/time.ts";

/** A turning point of a price path; prices are whole ticks. */
export interface Corner {
  readonly at: Millis;
  readonly ticks: number;
}

/** Returns the whole tick at a time on the straight line between two turning points. */
export const between = (from: Corner, to: Corner, time: Millis): number =>
  from.ticks + Math.round(((to.ticks - from.ticks) * (time - from.at)) / (to.at - from.at));

/** Returns the first good millisecond on the straight line from a bad turning point to a good one. */
export function crossing(bad: Corner, good: Corner, isGood: (ticks: number) => boolean): Millis {
  let [low, high] = [bad.at, good.at];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (isGood(between(bad, good, middle))) high = middle;
    else low = middle;
  }
  return high;
}
