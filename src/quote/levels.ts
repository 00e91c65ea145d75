/** Decides which planned levels can be placed within funds, bounds, the market and own orders. */
import { type Decimal, div, divideWhole, max, min, mul, ONE, roundToStep, ZERO } from "../kernel/decimal.ts";
import { leastAmount, type Market, meetsMinimum, type Side } from "../model/market.ts";
import { firstMet, reachOf } from "../model/order.ts";

type CutReason =
  | "no_quote"
  | "no_base"
  | "max_inventory"
  | "min_inventory"
  | "loss"
  | "defended"
  | "would_self_cross";

/** A level that is not placed, and why. */
export interface Cut {
  readonly side: Side;
  readonly level: number;
  readonly because: CutReason;
}

interface CutLevels {
  readonly levels: readonly QuoteLevel[];
  readonly cuts: readonly Cut[];
}

/** The best prices of others; undefined if there are none. */
export interface Others {
  readonly bid: Decimal | undefined;
  readonly ask: Decimal | undefined;
}

/**
 * Moves levels that would be taker orders to the tick before the other side, so `postOnly` does not reject them. A
 * level never moves toward the price, and a level at another one's price moves away by a tick.
 */
export function avoidTakerLevels(
  levels: readonly QuoteLevel[],
  { bid, ask }: Others,
  { tick }: Market,
): QuoteLevel[] {
  const placed: QuoteLevel[] = [];
  for (const level of levels) {
    const before = placed.at(-1)?.price;
    const isBuy = level.side === "buy";
    const nearest = isBuy
      ? nearestBelow(ask && ask - tick, before && before - tick)
      : nearestAbove(bid && bid + tick, before && before + tick);
    const price =
      nearest === undefined ? level.price : isBuy ? min(level.price, nearest) : max(level.price, nearest);
    if (price > ZERO) placed.push({ ...level, price });
  }
  return placed;
}

const nearestBelow = (a: Decimal | undefined, b: Decimal | undefined): Decimal | undefined =>
  a === undefined ? b : b === undefined ? a : min(a, b);
const nearestAbove = (a: Decimal | undefined, b: Decimal | undefined): Decimal | undefined =>
  a === undefined ? b : b === undefined ? a : max(a, b);

export interface Means {
  /** Free balance for this side's orders: quote for bids, base for asks. */
  readonly free: Decimal;
  /** Current base and its bounds; null without a bound. */
  readonly inventory: Decimal;
  readonly most: Decimal | null;
  readonly least: Decimal | null;
  /** Whether no more orders are placed because a loss has reached its limit. */
  readonly halted: boolean;
  /** Whether the side is paused because it is picked off. */
  readonly isPaused: boolean;
}

/**
 * Returns the levels that the funds cover, nearest first: the last one can be smaller, and is omitted if the exchange
 * would not accept it.
 */
export function cutToFunds(levels: readonly QuoteLevel[], means: Means, market: Market): CutLevels {
  let { free } = means;
  let room = roomOf(levels[0]?.side, means);
  const kept: QuoteLevel[] = [];
  const cuts: Cut[] = [];
  for (const quoteLevel of levels) {
    const { side, level, price } = quoteLevel;
    const byFunds =
      side === "buy" ? wholeLots(market, free, grossPrice(price, market)) : wholeLots(market, free, ONE);
    const byRoom = room === null ? quoteLevel.amount : wholeLots(market, room, ONE);
    const amount = min(quoteLevel.amount, min(byFunds, byRoom));
    if (means.halted || means.isPaused || amount <= ZERO || !meetsMinimum(market, price, amount)) {
      cuts.push({ side, level, because: cutReason(side, means, byFunds <= byRoom) });
      continue;
    }
    kept.push({ ...quoteLevel, amount });
    free -= side === "buy" ? mul(grossPrice(price, market), amount, "up") : amount;
    if (room !== null) room -= amount;
  }
  return { levels: kept, cuts };
}

/** Returns a bid's cost in quote, including a possible fee in quote. */
const grossPrice = (price: Decimal, { maker }: Market): Decimal => mul(price, ONE + max(maker, ZERO), "up");

const wholeLots = ({ lot }: Market, means: Decimal, price: Decimal): Decimal =>
  means <= ZERO ? ZERO : ((means * ONE) / price / lot) * lot;

function roomOf(side: Side | undefined, { inventory, most, least }: Means): Decimal | null {
  const bound = side === "buy" ? most : least;
  return bound === null ? null : max(ZERO, side === "buy" ? bound - inventory : inventory - bound);
}

function cutReason(side: Side, { halted, isPaused }: Means, byFunds: boolean): CutReason {
  if (halted) return "loss";
  if (isPaused) return "defended";
  if (byFunds) return side === "buy" ? "no_quote" : "no_base";
  return side === "buy" ? "max_inventory" : "min_inventory";
}

/** Omits levels that could trade with an own order of the account, which would be a wash trade. */
export function clearOfOwn(levels: readonly QuoteLevel[], own: Parameters<typeof firstMet>[1]): CutLevels {
  const meetsOwn = (quoteLevel: QuoteLevel): boolean =>
    firstMet(reachOf({ ...quoteLevel, type: "limit" }), own) !== undefined;
  return {
    levels: levels.filter((quoteLevel) => !meetsOwn(quoteLevel)),
    cuts: levels
      .filter(meetsOwn)
      .map(({ side, level }) => ({ side, level, because: "would_self_cross" as const })),
  };
}

/** Computes prices and sizes of both sides' orders, before funds and other orders reduce them. */
export const MAX_QUOTE_LEVELS = 20;

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
  const rounded = roundToStep(nearest, tick, side === "buy" ? "down" : "up");
  if (level === 0) return rounded;
  if (ladder.sizes.model !== "depth")
    return roundToStep(
      rounded + sign(side) * BigInt(level) * mul(reservation, ladder.gap, "half"),
      tick,
      side === "buy" ? "down" : "up",
    );
  // Evenly between the nearest and the outermost, which is rounded toward the price so that it still counts.
  const edge = roundToStep(edgeOf(side, ladder.sizes.within, prices), tick, side === "buy" ? "up" : "down");
  const along = divideWhole((edge - rounded) * BigInt(level), BigInt(ladder.levels - 1), "half");
  return level === ladder.levels - 1
    ? edge
    : roundToStep(rounded + along, tick, side === "buy" ? "up" : "down");
}

/** Returns the furthest price that counts as depth. */
const edgeOf = (side: Side, within: Decimal, { reference }: QuotePrices): Decimal =>
  mul(reference, ONE + sign(side) * within, side === "buy" ? "up" : "down");

/** Returns the price, or the next round beyond the previous level; undefined if a bid would reach zero. */
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
  const lots = roundToStep(div(size, price, "up"), market.lot, sizes.model === "depth" ? "up" : "down");
  return max(lots, leastAmount(market, price));
}

function levelSize(sizes: Sizes, level: number, levels: number): Decimal {
  if (sizes.model === "flat") return sizes.size;
  if (sizes.model === "depth") return divideWhole(sizes.depth, BigInt(levels), "up");
  let size = sizes.size;
  for (let step = 0; step < level; step++) size = mul(size, sizes.factor, "half");
  return size;
}
