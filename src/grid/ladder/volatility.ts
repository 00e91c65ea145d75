import { type Decimal, div, divideWhole, max, min, ONE } from "../../kernel/decimal.ts";
import { ageOf, HOUR, MINUTE, type Millis } from "../../kernel/time.ts";
import type { GridState } from "../state/state.ts";

type Mids = GridState["mids"];

const WINDOW: Millis = HOUR;
/** With less than so much of the window known nothing is said. */
const LEAST_WINDOW_KNOWN: Millis = 30 * MINUTE;

/** The window with one more mid: at most one a minute, none older than an hour. The same when nothing changes. */
export function withMid(mids: Mids, mid: Decimal, at: Millis): Mids {
  const known = mids.filter((one) => ageOf(one.at, at) <= WINDOW);
  const last = known.at(-1);
  return last && at - last.at < MINUTE ? mids : [...known, { at, mid }];
}

/** (max − min)/mean of the last hour's mids; undefined with too few. */
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

/** 1 below `low`, rising linearly to 2 at `high`; undefined where nothing is known. */
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
