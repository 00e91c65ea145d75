import { type Decimal, div, divideWhole, max, min, ONE } from "../../kernel/decimal.ts";
import { ageOf, HOUR, MINUTE, type Millis } from "../../kernel/time.ts";
import type { GridState } from "../state/state.ts";

type Mids = GridState["mids"];

const WINDOW: Millis = HOUR;
/** Minimum part of the window with known prices; with less, there is no estimate. */
const LEAST_WINDOW_KNOWN: Millis = 30 * MINUTE;

/**
 * Adds a mid price to the window: at most one per minute, none older than an hour. Returns the same object if nothing
 * changes.
 */
export function withMid(mids: Mids, mid: Decimal, at: Millis): Mids {
  const known = mids.filter((one) => ageOf(one.at, at) <= WINDOW);
  const last = known.at(-1);
  return last && at - last.at < MINUTE ? mids : [...known, { at, mid }];
}

/** Returns (max − min)/mean of the last hour's mid prices; undefined with too few of them. */
function volatilityOf(mids: Mids, at: Millis): Decimal | undefined {
  const known = mids.filter((one) => ageOf(one.at, at) <= WINDOW);
  const [first] = known;
  if (!first || at - first.at < LEAST_WINDOW_KNOWN) return undefined;
  const prices = known.map(({ mid }) => mid);
  const mean = divideWhole(
    prices.reduce((total, price) => total + price, 0n),
    BigInt(prices.length),
    "half",
  );
  return div(prices.reduce(max) - prices.reduce(min), mean, "half");
}

/** Returns 1 below `low`, rising linearly to 2 at `high`; undefined if volatility is unknown. */
export function wideningOf(
  { low, high }: { low: Decimal; high: Decimal },
  { mids }: Pick<GridState, "mids">,
  at: Millis,
): Decimal | undefined {
  const volatility = volatilityOf(mids, at);
  if (volatility === undefined) return undefined;
  if (volatility <= low) return ONE;
  return volatility >= high ? 2n * ONE : ONE + div(volatility - low, high - low, "half");
}
