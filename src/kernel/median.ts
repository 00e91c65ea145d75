import { type Decimal, sum } from "./decimal.ts";

/** Returns the middle value, or the mean of the middle two, rounded down; undefined without values. */
export function medianOf(values: readonly Decimal[]): Decimal | undefined {
  const sorted = [...values].sort((a, b) => (a < b ? -1 : 1));
  const middle = sorted.length >> 1;
  const [low, high] = [sorted[(sorted.length - 1) >> 1], sorted[middle]];
  return low === undefined || high === undefined ? undefined : (low + high) / 2n;
}

/** Returns the mean of the known values, rounded toward zero; null without any. */
export function meanOfKnown(values: readonly (Decimal | null)[]): Decimal | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : sum(known) / BigInt(known.length);
}
