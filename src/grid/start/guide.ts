import { type Decimal, max, min, mul, mulDiv, ONE, snap, text, ZERO } from "../../kernel/decimal.ts";
import { AppError } from "../../kernel/errors.ts";
import type { Candle, Market } from "../../model/market.ts";
import { leastSize } from "../ladder/check-rules.ts";
import { breakEvenRatio, quoteFee, restingFees } from "../ladder/fees.ts";
import { followed } from "../ladder/followed.ts";
import { layOut } from "../ladder/layout.ts";
import { leastRatio, levelsFrom, slotsBetween } from "../ladder/levels.ts";
import type { OnLeave } from "../schema/guide.ts";
import type { GridConfig } from "../state/config.ts";

export interface GuideRequest {
  /** Maximum quote that the grid can use, including fees. */
  readonly budget: Decimal;
  readonly onLeave: OnLeave;
}

export interface GuideMarket {
  readonly market: Market;
  /** Past prices. */
  readonly candles: readonly Candle[];
  readonly mid: Decimal;
}

/** Values of a start as `start_grid` takes them; prices and size in quote. */
export type GuidedGrid = Pick<
  GridConfig,
  "lowerPrice" | "upperPrice" | "gridLevels" | "orderSize" | "stopLossPrice" | "takeProfitPrice" | "trail"
>;

/** Margin on each side of the past prices, as a divisor of their range. */
const KEPT_FREE = 20n;
/** Distance beyond the range of a stop price, and of the trail limit, as divisors of its width. */
const [STOP_BEYOND, FOLLOWS_BEYOND] = [10n, 2n];
/** Minimum spacing; levels are at least three times a cycle's fees apart. */
const LEAST_SPACING: Decimal = (6n * ONE) / 1000n;
const TIMES_FEES = 3n;
const [MOST_LEVELS, LEAST_LEVELS] = [50, 4] as const;
const CENT: Decimal = ONE / 100n;

/**
 * Returns a grid over past prices with as many levels as fees and budget allow. Throws AppError if the budget is too
 * small.
 */
export function guided({ budget, onLeave }: GuideRequest, { market, candles, mid }: GuideMarket): GuidedGrid {
  const spacing = max(LEAST_SPACING, (breakEvenRatio(restingFees(market)) - ONE) * TIMES_FEES);
  const range = rangeOver({ candles, mid, spacing }, market.tick);
  const ends = leavesBy(range, onLeave, market.tick);
  for (let gridLevels = MOST_LEVELS; gridLevels >= 2; gridLevels--) {
    const config = { ...range, gridLevels, gridSpacing: ZERO };
    const levels = levelsFrom(config, market.tick);
    if (leastRatio(slotsBetween(levels)) < ONE + spacing) continue;
    const orderSize = sizeWithin(budget, { ...config, ...ends }, market);
    const slots = layOut(levels, orderSize, mid);
    if (slots.every((slot) => orderSize >= leastSize(slot, market)))
      return { ...range, gridLevels, orderSize, ...ends };
  }
  throw tooSmall(range, ends, { market, mid });
}

/** Returns the range from the lowest to the highest price with a margin; at least wide enough for a few levels. */
function rangeOver(
  { candles, mid, spacing }: Pick<GuideMarket, "candles" | "mid"> & { readonly spacing: Decimal },
  tick: Decimal,
) {
  const low = candles.reduce((least, candle) => min(least, candle.low), mid);
  const high = candles.reduce((most, candle) => max(most, candle.high), mid);
  const margin = (high - low) / KEPT_FREE;
  const missing = max(ZERO, mul(high, spacing, "up") * BigInt(LEAST_LEVELS) - (high - low + 2n * margin));
  const lower = max(low - margin - missing / 2n, low / 2n);
  return {
    lowerPrice: max(neat(lower, tick, "down"), tick),
    upperPrice: neat(high + margin + missing / 2n, tick, "up"),
  };
}

/** Rounds a price to five digits if the market's ticks allow it. */
function neat(price: Decimal, tick: Decimal, rounding: "down" | "up"): Decimal {
  const step = 10n ** BigInt(Math.max(0, price.toString().length - 5));
  return snap(price, step % tick === ZERO ? step : tick, rounding);
}

type GuidedRange = Pick<GuidedGrid, "lowerPrice" | "upperPrice">;
type LeavesBy = Pick<GuidedGrid, "stopLossPrice" | "takeProfitPrice" | "trail">;

function leavesBy({ lowerPrice, upperPrice }: GuidedRange, onLeave: OnLeave, tick: Decimal): LeavesBy {
  if (onLeave === "wait") return {};
  const beyond = (upperPrice - lowerPrice) / (onLeave === "stop" ? STOP_BEYOND : FOLLOWS_BEYOND);
  // A price is above zero, however wide the range is.
  const below = neat(max(lowerPrice - beyond, lowerPrice / 2n), tick, "down");
  const above = neat(upperPrice + beyond, tick, "up");
  if (onLeave === "stop") return { stopLossPrice: max(below, tick), takeProfitPrice: above };
  return { trail: { down: max(below, tick), up: above } };
}

/** Returns the quote per order with which all possible slots fit the budget. */
function sizeWithin(budget: Decimal, config: Omit<GuidedGrid, "orderSize">, market: Market): Decimal {
  const count = config.gridLevels + followedBy(config, market);
  const fees = ONE + quoteFee(market);
  return snap(mulDiv(budget, { times: ONE, over: fees }, "down") / BigInt(count), CENT, "down");
}

function followedBy(config: Omit<GuidedGrid, "orderSize">, market: Market): number {
  const whole = { ...config, orderSize: ONE, gridSpacing: ZERO };
  const slots = layOut(levelsFrom(whole, market.tick), ONE, config.lowerPrice);
  return followed({ config: whole, state: { slots }, market }).length;
}

function tooSmall(
  range: GuidedRange,
  ends: LeavesBy,
  { market, mid }: Pick<GuideMarket, "market" | "mid">,
): AppError {
  const config = { ...range, ...ends, gridLevels: 2 };
  const levels = levelsFrom({ ...config, gridSpacing: ZERO }, market.tick);
  const least = layOut(levels, ONE, mid).reduce((most, slot) => max(most, leastSize(slot, market)), ZERO);
  const count = BigInt(2 + followedBy(config, market));
  const needed = snap(mul(snap(least, CENT, "up") * count, ONE + quoteFee(market), "up"), CENT, "up");
  return new AppError(
    "Invalid amount",
    `the budget must be at least ${text(needed)} ${market.quote} here; the exchange accepts no smaller orders`,
  );
}
