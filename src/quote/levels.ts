/** Computes prices and sizes of both sides' orders, before funds and other orders reduce them. */
import { type Decimal, div, divideWhole, max, min, mul, ONE, snap, ZERO } from "../kernel/decimal.ts";
import type { Market, Side } from "../model/market.ts";
import { leastAmount } from "../model/minimum.ts";

export const MOST_QUOTE_LEVELS = 20;

/** Sizes of a side's levels, nearest first. */
export type Sizes =
  /** The same size for each level, in quote. */
  | { readonly model: "flat"; readonly size: Decimal }
  /** Size of the nearest level in quote; each further one is `factor` times the one before. */
  | { readonly model: "growing"; readonly size: Decimal; readonly factor: Decimal }
  /** Total size in quote, within the share `within` of the reference price, as liquidity obligations require. */
  | { readonly model: "depth"; readonly depth: Decimal; readonly within: Decimal };

export interface QuoteLadder {
  /** Number of levels per side. */
  readonly levels: number;
  /** Distance between two levels, as a share of the reservation price; `depth` computes its own. */
  readonly gap: Decimal;
  readonly sizes: Sizes;
}

/** A planned order: price in quote per base, amount in base. Level 0 is the nearest. */
export interface QuoteLevel {
  readonly side: Side;
  readonly level: number;
  readonly price: Decimal;
  readonly amount: Decimal;
}

export interface QuotePrices {
  readonly reference: Decimal;
  readonly reservation: Decimal;
  /** As a share of the reservation price. */
  readonly halfSpread: Decimal;
}

/**
 * Returns one side's levels, nearest first, at whole ticks rounded away from the reservation price, at least one tick
 * apart.
 */
export function quoteLevelsOf(
  side: Side,
  ladder: QuoteLadder,
  { prices, market }: { readonly prices: QuotePrices; readonly market: Market },
): QuoteLevel[] {
  const levels: QuoteLevel[] = [];
  for (let level = 0; level < ladder.levels; level++) {
    const targetPrice = priceAt(side, level, { ladder, prices, tick: market.tick });
    const price = beyond(side, targetPrice, levels.at(-1)?.price, market.tick);
    if (price === undefined) break;
    // The nearest order is placed wherever the half-spread puts it: a quote outside the depth is still a quote.
    if (level > 0 && !isInside(side, price, ladder, prices)) break;
    levels.push({ side, level, price, amount: ZERO });
  }
  return levels.map((quoteLevel) => ({
    ...quoteLevel,
    amount: amountOf(quoteLevel, levels.length, { ladder, market }),
  }));
}

interface Laid {
  readonly ladder: QuoteLadder;
  readonly prices: QuotePrices;
  readonly tick: Decimal;
}

const sign = (side: Side): bigint => (side === "buy" ? -1n : 1n);

function priceAt(side: Side, level: number, { ladder, prices, tick }: Laid): Decimal {
  const { reservation, halfSpread } = prices;
  const nearest = mul(reservation, ONE + sign(side) * halfSpread, side === "buy" ? "down" : "up");
  const rounded = snap(nearest, tick, side === "buy" ? "down" : "up");
  if (level === 0) return rounded;
  if (ladder.sizes.model !== "depth")
    return snap(
      rounded + sign(side) * BigInt(level) * mul(reservation, ladder.gap, "half"),
      tick,
      side === "buy" ? "down" : "up",
    );
  // Evenly between the nearest and the outermost, which is rounded toward the price so that it still counts.
  const edge = snap(edgeOf(side, ladder.sizes.within, prices), tick, side === "buy" ? "up" : "down");
  const along = divideWhole((edge - rounded) * BigInt(level), BigInt(ladder.levels - 1), "half");
  return level === ladder.levels - 1 ? edge : snap(rounded + along, tick, side === "buy" ? "up" : "down");
}

/** Returns the furthest price that counts as depth. */
const edgeOf = (side: Side, within: Decimal, { reference }: QuotePrices): Decimal =>
  mul(reference, ONE + sign(side) * within, side === "buy" ? "up" : "down");

/** Returns the price, or the next tick beyond the previous level; undefined if a bid would reach zero. */
function beyond(side: Side, price: Decimal, before: Decimal | undefined, tick: Decimal): Decimal | undefined {
  const far = before === undefined ? price : before + sign(side) * tick;
  const placed = side === "buy" ? min(price, far) : max(price, far);
  return placed > ZERO ? placed : undefined;
}

function isInside(side: Side, price: Decimal, { sizes }: QuoteLadder, prices: QuotePrices): boolean {
  if (sizes.model !== "depth") return true;
  const edge = edgeOf(side, sizes.within, prices);
  return side === "buy" ? price >= edge : price <= edge;
}

/** Returns the amount in whole lots, at least the exchange's minimum; for a depth, rounded up. */
function amountOf(
  { level, price }: QuoteLevel,
  levels: number,
  { ladder: { sizes }, market }: { readonly ladder: QuoteLadder; readonly market: Market },
): Decimal {
  const size = levelSize(sizes, level, levels);
  const lots = snap(div(size, price, "up"), market.lot, sizes.model === "depth" ? "up" : "down");
  return max(lots, leastAmount(market, price));
}

function levelSize(sizes: Sizes, level: number, levels: number): Decimal {
  if (sizes.model === "flat") return sizes.size;
  if (sizes.model === "depth") return divideWhole(sizes.depth, BigInt(levels), "up");
  let size = sizes.size;
  for (let step = 0; step < level; step++) size = mul(size, sizes.factor, "half");
  return size;
}
