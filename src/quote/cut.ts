/** Decides which planned levels can be placed within funds, bounds, the market and own orders. */
import { type Decimal, max, min, mul, ONE, ZERO } from "../kernel/decimal.ts";
import type { Market, Side } from "../model/market.ts";
import { meetsMinimum } from "../model/minimum.ts";
import { firstMet, reachOf } from "../model/own-orders.ts";
import type { QuoteLevel } from "./levels.ts";

export type CutReason =
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

export interface KeptLevels {
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
export function besideOthers(
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
export function affordable(levels: readonly QuoteLevel[], means: Means, market: Market): KeptLevels {
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
export function clearOfOwn(levels: readonly QuoteLevel[], own: Parameters<typeof firstMet>[1]): KeptLevels {
  const meetsOwn = (quoteLevel: QuoteLevel): boolean =>
    firstMet(reachOf({ ...quoteLevel, type: "limit" }), own) !== undefined;
  return {
    levels: levels.filter((quoteLevel) => !meetsOwn(quoteLevel)),
    cuts: levels
      .filter(meetsOwn)
      .map(({ side, level }) => ({ side, level, because: "would_self_cross" as const })),
  };
}
