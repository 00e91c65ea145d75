import { type Decimal, div, max, min, mul, ONE, sum, wire, ZERO } from "../../kernel/decimal.ts";
import type { Balance } from "../../model/account.ts";
import type { Market } from "../../model/market.ts";
import { lotsFor } from "../../model/minimum.ts";
import { quoteFee } from "../ladder/fees.ts";
import { followed } from "../ladder/followed.ts";
import { firstAmount } from "../ladder/layout.ts";
import { runningQuote } from "../plan/reserve.ts";
import type { GridConfig } from "../state/config.ts";
import type { GridState, Slot } from "../state/state.ts";

/** Initial values of a grid. */
export interface Begins {
  readonly config: GridConfig;
  readonly state: Pick<GridState, "slots" | "idle">;
  readonly startPrice: Decimal;
  /** Maximum price of an immediate order. */
  readonly takingPrice: Decimal;
  readonly market: Market;
  readonly balances: readonly Balance[];
}

/**
 * Returns the maximum quote that a grid can convert to base, including fees. A grid that follows the market down buys
 * at each new level and keeps its base: a trailing grid down to its limit, a centered one until the account's quote,
 * or its share of it, is used. A first buy at its limit price can cost more than the slots' sizes.
 */
export function mostQuote(begins: Begins): Decimal {
  const { config, state, market } = begins;
  if (config.centered) return mostMoved(begins);
  const withFee = (amount: Decimal) => mul(amount, ONE + quoteFee(market), "up");
  const above = state.slots.map((slot) => max(ZERO, firstQuoteOf(slot, begins) - withFee(slot.size)));
  return withFee(mostMoved(begins)) + (config.initialBuy ? sum(above) : ZERO);
}

/** Returns the same without fees, as limits count it. */
export function mostMoved(begins: Begins): Decimal {
  const { config, state, market, balances } = begins;
  if (config.centered) return capital(config, balances, market);
  return sum([...state.slots, ...followed(begins)].map(({ size }) => size));
}

/**
 * Returns the maximum loss of a grid at a price, in quote, compared with its value at the start price; `sold` if its
 * base is sold there. For a grid that is rebuilt, only the total loss is known.
 */
export function lossAt(price: Decimal, begins: Begins, sold = false): Decimal {
  const { config, state, startPrice, market } = begins;
  const worth = sold ? mul(price, ONE - fee(market), "down") : price;
  const all = [...state.slots, ...followed(begins)];
  const lost = sum(all.map((slot) => waysOfLosing(slot, worth, begins).reduce(max, ZERO)));
  if (!config.centered) return lost;
  const owned = sum(state.slots.map(({ base }) => mul(base, startPrice, "up")));
  return max(lost, mostQuote(begins) + owned);
}

/**
 * Returns the worst case of a slot: it bought at its lower price, still has its first base, or sold that and bought
 * again. Cycles in between only earn if they cover their fees.
 */
function waysOfLosing(slot: Slot, worth: Decimal, begins: Begins): Decimal[] {
  const { config, startPrice, market } = begins;
  const [paid, bought] = boughtBySlot(slot, market);
  const rebought = paid - mul(bought, worth, "down");
  const first = firstAmount(market, { ...slot, side: "sell" });
  if (slot.base > ZERO) {
    const owned = mul(first, startPrice, "up");
    return [rebought, owned - mul(first, worth, "down"), owned - proceedsOf(slot, market) + rebought];
  }
  if (!config.initialBuy || slot.side === "buy") return [rebought];
  return [rebought, costOfFirst(slot, begins) - mul(first, worth, "down")];
}

/** Returns the proceeds of a slot's first sell. */
const proceedsOf = (slot: Slot, market: Market): Decimal =>
  mul(mul(firstAmount(market, { ...slot, side: "sell" }), slot.upper, "down"), ONE - fee(market), "down");

/** Returns the immediate cost of the base for a slot's first sell, including a fee in base. */
function costOfFirst(slot: Slot, { takingPrice, market }: Begins): Decimal {
  const amount = div(firstAmount(market, slot), ONE - fee(market), "up");
  return mul(mul(amount, takingPrice, "up"), ONE + fee(market), "up");
}

/** Returns the quote that keeps every slot funded: the reserve of the running grid, or more if it first buys base. */
export function neededQuote({ config, state, market, ...start }: Begins): Decimal {
  const running = runningQuote({ config, state }, market);
  const begins = { config, state, market, ...start };
  return config.initialBuy
    ? max(running, sum(state.slots.map((slot) => firstQuoteOf(slot, begins))))
    : running;
}

/** Returns a slot's quote for its buy, or for its part of the first buy and the buy after its first sell. */
function firstQuoteOf(slot: Slot, begins: Begins): Decimal {
  const [paid] = boughtBySlot(slot, begins.market);
  if (slot.side === "buy") return paid;
  const lacks = max(ZERO, paid - proceedsOf(slot, begins.market));
  return slot.base > ZERO ? lacks : costOfFirst(slot, begins) + lacks;
}

/**
 * Returns losses at the lowest level, at the trail limit, at a stop price that sells, and at zero. A centered grid
 * has no lowest level.
 */
export function worstCases(begins: Begins): { price: number; loss: number }[] {
  const { lowerPrice, stopLossPrice, trail, centered } = begins.config;
  const at = (price: Decimal | undefined, sold = false) =>
    price === undefined ? [] : [{ price: wire(price), loss: wire(lossAt(price, begins, sold)) }];
  const levels = centered ? [] : [...at(lowerPrice), ...at(trail?.down)];
  return [...levels, ...at(stopLossPrice, true), ...at(ZERO)];
}

const fee = ({ maker, taker }: Market): Decimal => max(maker, taker);

/** Returns the cost of a slot's buy, and the base that it gets. */
function boughtBySlot({ size, lower }: Slot, market: Market): [paid: Decimal, bought: Decimal] {
  const amount = lotsFor(market, size, lower);
  const paid = mul(mul(amount, lower, "up"), ONE + quoteFee(market), "up");
  return [paid, market.buyFeeIn === "quote" ? amount : mul(amount, ONE - fee(market), "down")];
}

function capital(
  { maxPosition, safetyReserve }: GridConfig,
  balances: readonly Balance[],
  market: Market,
): Decimal {
  const quote = balances.find(({ asset }) => asset === market.quote);
  const all = (quote?.free ?? ZERO) + (quote?.used ?? ZERO);
  const kept = mul(all, ONE - (safetyReserve ?? ZERO), "up");
  return maxPosition === undefined ? kept : min(kept, mul(all, maxPosition, "up"));
}
