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

/** What a grid begins with. */
export interface Begins {
  readonly config: GridConfig;
  readonly state: Pick<GridState, "slots" | "idle">;
  readonly startPrice: Decimal;
  /** What an order that takes at once pays at most. */
  readonly takingPrice: Decimal;
  readonly market: Market;
  readonly balances: readonly Balance[];
}

/**
 * Most quote that a grid can come to hold in base, fees included. One that follows the market down buys again at each
 * of the levels that it comes to, and keeps what it holds: a trailing one as far as its bound, a centered one until
 * the account's quote, or its own share of it, is used.
 */
export const mostQuote = (begins: Begins): Decimal =>
  begins.config.centered ? mostMoved(begins) : mul(mostMoved(begins), ONE + quoteFee(begins.market), "up");

/** The same without fees: what it counts as to a limit. */
export function mostMoved(begins: Begins): Decimal {
  const { config, state, market, balances } = begins;
  if (config.centered) return capital(config, balances, market);
  return sum([...state.slots, ...followed(begins)].map(({ size }) => size));
}

/**
 * Most that a grid can have lost at a price, in quote, against what it begins with at the start price; `sold` once its
 * base is sold there. Of one that is laid out anew nothing is known but what it can lose in all.
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
 * A slot has bought at its lower price; or still holds its first base; or has sold that and bought again. Cycles
 * between only earn, as long as they pay their fees.
 */
function waysOfLosing(slot: Slot, worth: Decimal, begins: Begins): Decimal[] {
  const { config, startPrice, market } = begins;
  const [paid, held] = boughtBySlot(slot, market);
  const rebought = paid - mul(held, worth, "down");
  const first = firstAmount(market, { ...slot, side: "sell" });
  if (slot.base > ZERO) {
    const owned = mul(first, startPrice, "up");
    return [rebought, owned - mul(first, worth, "down"), owned - proceedsOf(slot, market) + rebought];
  }
  if (!config.initialBuy || slot.side === "buy") return [rebought];
  return [rebought, costOfFirst(slot, begins) - mul(first, worth, "down")];
}

/** What a slot's first sell brings. */
const proceedsOf = (slot: Slot, market: Market): Decimal =>
  mul(mul(firstAmount(market, { ...slot, side: "sell" }), slot.upper, "down"), ONE - fee(market), "down");

/** What the base for the first sell of a slot that sells costs at once; a fee in base is bought beside it. */
function costOfFirst(slot: Slot, { takingPrice, market }: Begins): Decimal {
  const amount = div(firstAmount(market, slot), ONE - fee(market), "up");
  return mul(mul(amount, takingPrice, "up"), ONE + fee(market), "up");
}

/** Quote with which no slot ever waits for any: what the running grid reserves, or more where it first buys base. */
export function neededQuote({ config, state, market, ...start }: Begins): Decimal {
  const running = runningQuote({ config, state }, market);
  return config.initialBuy ? max(running, firstBuyQuote({ config, state, market, ...start })) : running;
}

/** Quote for the buys of a start, for its first buy, and for the buys after its first sells. */
function firstBuyQuote(begins: Begins): Decimal {
  const { state, market } = begins;
  return sum(
    state.slots.map((slot) => {
      const [paid] = boughtBySlot(slot, market);
      if (slot.side === "buy") return paid;
      const lacks = max(ZERO, paid - proceedsOf(slot, market));
      return slot.base > ZERO ? lacks : costOfFirst(slot, begins) + lacks;
    }),
  );
}

/**
 * At the lowest level, at the bound of a trailing grid, at a stop price where the base is sold, and at zero. A centered
 * grid has no level at which it ends.
 */
export function worstCases(begins: Begins): { price: number; loss: number }[] {
  const { lowerPrice, stopLossPrice, trail, centered } = begins.config;
  const at = (price: Decimal | undefined, sold = false) =>
    price === undefined ? [] : [{ price: wire(price), loss: wire(lossAt(price, begins, sold)) }];
  const levels = centered ? [] : [...at(lowerPrice), ...at(trail?.down)];
  return [...levels, ...at(stopLossPrice, true), ...at(ZERO)];
}

const fee = ({ maker, taker }: Market): Decimal => max(maker, taker);

/** What a slot's buy costs, and the base that it brings. */
function boughtBySlot({ size, lower }: Slot, market: Market): [paid: Decimal, held: Decimal] {
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
