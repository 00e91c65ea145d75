import { type Decimal, div, mul, ONE, sum, ZERO } from "./decimal.ts";

interface Spread {
  readonly mid: Decimal;
  /** ask − bid, in quote; negative in a crossed book. */
  readonly spread: Decimal;
  /** The spread in percent of the mid. */
  readonly spreadPercent: Decimal;
}

/** Returns the spread between the best bid and the best ask, both in quote. */
export function spreadOf({ bid, ask }: { bid: Decimal; ask: Decimal }): Spread {
  const mid = (bid + ask) / 2n;
  const spread = ask - bid;
  return { mid, spread, spreadPercent: mid > ZERO ? div(spread * 100n, mid, "half") : ZERO };
}

/** Returns the exact mid price; half a unit of 1e-18 is below the half tick of every market. */
export const midOf = ({ bid, ask }: { bid: Decimal; ask: Decimal }): Decimal => (bid + ask) / 2n;

/** Maximum spread of a reliable mid price: in a wider book, one large order moves the mid. */
const MAX_CREDIBLE_SPREAD: Decimal = (2n * ONE) / 100n;

/** Returns whether the book is too wide for a reliable mid price. */
export const isWide = ({ bid, ask }: { bid: Decimal; ask: Decimal }): boolean =>
  ask - bid > mul(midOf({ bid, ask }), MAX_CREDIBLE_SPREAD, "down");

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
