import type { Decimal } from "./decimal.ts";

/** Returns the middle value, or the mean of the middle two, rounded down; undefined without values. */
export function medianOf(values: readonly Decimal[]): Decimal | undefined {
  const sorted = [...values].sort((a, b) => (a < b ? -1 : 1));
  const middle = sorted.length >> 1;
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[middle]];
  return low === undefined || high === undefined ? undefined : (low + high) / 2n;
}
