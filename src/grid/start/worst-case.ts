import {
  type Decimal,
  div,
  max,
  min,
  moneyFigure,
  mul,
  ONE,
  roundToStep,
  sum,
  text,
  wire,
  ZERO,
} from "../../kernel/decimal.ts";
import { pluralize } from "../../kernel/plain-text.ts";
import { DAY, type Millis } from "../../kernel/time.ts";
import type { Balance } from "../../model/account.ts";
import { type Candle, lotsFor, type Market } from "../../model/market.ts";
import { netOfCycle, quoteFee, restingFees } from "../ladder/check-rules.ts";
import { firstAmount, followed } from "../ladder/levels.ts";
import { sellPrice } from "../plan/first-buy.ts";
import { runningQuote } from "../plan/next-orders.ts";
import type { GridConfig } from "../state/config.ts";
import type { GridState, Slot } from "../state/state.ts";

/** Initial values of a grid. */
export interface GridStart {
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
export function mostQuote(begins: GridStart): Decimal {
  const { config, state, market } = begins;
  if (config.centered) return mostMoved(begins);
  const withFee = (amount: Decimal) => mul(amount, ONE + quoteFee(market), "up");
  const above = state.slots.map((slot) => max(ZERO, firstQuoteOf(slot, begins) - withFee(slot.size)));
  return withFee(mostMoved(begins)) + (config.initialBuy ? sum(above) : ZERO);
}

/** Returns the same without fees, as limits count it. */
export function mostMoved(begins: GridStart): Decimal {
  const { config, state, market, balances } = begins;
  if (config.centered) return capital(config, balances, market);
  return sum([...state.slots, ...followed(begins)].map(({ size }) => size));
}

/**
 * Returns the maximum loss of a grid at a price, in quote, compared with its value at the start price; `sold` if its
 * base is sold there. For a grid that is rebuilt, only the total loss is known.
 */
export function lossAt(price: Decimal, begins: GridStart, sold = false): Decimal {
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
function waysOfLosing(slot: Slot, worth: Decimal, begins: GridStart): Decimal[] {
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

const fee = ({ maker, taker }: Market): Decimal => max(maker, taker);

/** Returns the proceeds of a slot's first sell. */
const proceedsOf = (slot: Slot, market: Market): Decimal =>
  mul(mul(firstAmount(market, { ...slot, side: "sell" }), slot.upper, "down"), ONE - fee(market), "down");

/** Returns the immediate cost of the base for a slot's first sell, including a fee in base. */
function costOfFirst(slot: Slot, { takingPrice, market }: GridStart): Decimal {
  const amount = div(firstAmount(market, slot), ONE - fee(market), "up");
  return mul(mul(amount, takingPrice, "up"), ONE + fee(market), "up");
}

/** Returns the quote that keeps every slot funded: the reserve of the running grid, or more if it first buys base. */
export function neededQuote({ config, state, market, ...start }: GridStart): Decimal {
  const running = runningQuote({ config, state }, market);
  const begins = { config, state, market, ...start };
  return config.initialBuy
    ? max(running, sum(state.slots.map((slot) => firstQuoteOf(slot, begins))))
    : running;
}

/** Returns a slot's quote for its buy, or for its part of the first buy and the buy after its first sell. */
function firstQuoteOf(slot: Slot, begins: GridStart): Decimal {
  const [paid] = boughtBySlot(slot, begins.market);
  if (slot.side === "buy") return paid;
  const lacks = max(ZERO, paid - proceedsOf(slot, begins.market));
  return slot.base > ZERO ? lacks : costOfFirst(slot, begins) + lacks;
}

/**
 * Returns losses at the lowest level, at the trail limit, at a stop price that sells, and at zero. A centered grid
 * has no lowest level.
 */
export function worstCases(begins: GridStart): { price: Decimal; loss: Decimal }[] {
  const { lowerPrice, stopLossPrice, trail, centered } = begins.config;
  const at = (price: Decimal | undefined, sold = false) =>
    price === undefined ? [] : [{ price, loss: lossAt(price, begins, sold) }];
  const levels = centered ? [] : [...at(lowerPrice), ...at(trail?.down)];
  return [...levels, ...at(stopLossPrice, true), ...at(ZERO)];
}

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

/** The last week's candles with length `span`, or why there are none. */
export type LastWeek =
  | { readonly candles: readonly Candle[]; readonly span: Millis }
  | { readonly reason: string };

interface Crossings {
  /** Estimated number of fills at one of the levels. */
  readonly fills: number;
  /** Estimated number of complete cycles per slot. */
  readonly cycles: readonly number[];
}

/**
 * Counts how often prices crossed the levels of slots. Each slot begins with a buy, after the price was above its
 * lower price. A price must pass a level to count; within a candle, the extreme nearer to its open comes first.
 */
export function crossingsOf(
  slots: readonly Pick<Slot, "lower" | "upper">[],
  candles: readonly Candle[],
): Crossings {
  const prices = candles.flatMap(cornersIn);
  let fills = 0;
  const cycles = slots.map(({ lower, upper }) => {
    let [isArmed, holds, count] = [false, false, 0];
    for (const price of prices) {
      if (holds ? price > upper : isArmed && price < lower) {
        fills++;
        if (holds) count++;
        holds = !holds;
      }
      if (price > lower) isArmed = true;
    }
    return count;
  });
  return { fills, cycles };
}

const cornersIn = ({ open, high, low, close }: Candle): Decimal[] =>
  high - open < open - low ? [open, high, low, close] : [open, low, high, close];

/** What the repeated past does not show: a mean over driftless paths (arXiv 2506.11921). */
export const NO_DRIFT =
  "where the price has no drift, a grid earns nothing on average before fees (arXiv 2506.11921)";

/** Estimates the profit if the next weeks repeat the last one, and after which time it covers a price fall. */
export function lastWeekOut(begins: GridStart, week: LastWeek) {
  if ("reason" in week) return unknownWeek(week.reason);
  const { candles, span } = week;
  const { state, market } = begins;
  const { fills, cycles } = crossingsOf(state.slots, candles);
  const earned = sum(state.slots.map((slot, at) => BigInt(cycles[at] ?? 0) * cycleNet(slot, market)));
  const days = div(BigInt(candles.length * span) * ONE, BigInt(DAY) * ONE, "half");
  const perDay = div(earned, days, "down");
  const fall = fallOf(begins);
  const breakEven = perDay > ZERO ? roundToStep(div(fall.loss, perDay, "up"), ONE / 10n, "up") : undefined;
  const figures = { fills, cycles: cycles.reduce((total, one) => total + one, 0), perDay, days };
  return {
    days: wire(roundToStep(days, ONE / 10n, "half")),
    crossings: figures.fills,
    cycles: figures.cycles,
    profitPerDay: text(perDay),
    breakEvenDays: breakEven === undefined ? null : wire(breakEven),
    message: `${describeWeek({ ...figures, breakEven, fall }, market)}; ${NO_DRIFT}`,
  };
}

const unknownWeek = (reason: string) => ({
  days: null,
  crossings: null,
  cycles: null,
  profitPerDay: null,
  breakEvenDays: null,
  message: `unknown, because the last week's prices are unavailable: ${reason}`,
});

interface Fall {
  readonly price: Decimal;
  readonly loss: Decimal;
}

/** Returns the fall to the stop price that sells, or to the lowest level. */
function fallOf(begins: GridStart): Fall {
  const { config, state } = begins;
  const { centered: _, ...range } = config;
  const { stopLossPrice } = config;
  const lowest = state.slots.reduce((least, { lower }) => min(least, lower), config.upperPrice);
  const price = stopLossPrice ?? lowest;
  return { price, loss: lossAt(price, { ...begins, config: range }, stopLossPrice !== undefined) };
}

interface WeekFigures {
  readonly fills: number;
  readonly cycles: number;
  readonly perDay: Decimal;
  readonly days: Decimal;
  readonly breakEven: Decimal | undefined;
  readonly fall: Fall;
}

function describeWeek(
  { fills, cycles, perDay, days, breakEven, fall }: WeekFigures,
  { quote }: Market,
): string {
  const past = `if the price crosses its levels as in the last ${pluralize(text(roundToStep(days, ONE / 10n, "half")), "day")} (${pluralize(fills, "time")}, ${pluralize(cycles, "cycle")})`;
  if (breakEven === undefined) return `${past}, it earns nothing and recovers no loss`;
  // Enough digits that the loss divided by the earnings is the number of days.
  const amount = (value: Decimal) =>
    perDay < ONE / 10n ? moneyFigure(text(value)) : text(roundToStep(value, ONE / 100n, "half"));
  const wait = text(roundToStep(breakEven, ONE, "up"));
  return `${past}, it earns ${amount(perDay)} ${quote} a day after fees and recovers the loss of a fall to ${text(fall.price)} (${amount(fall.loss)} ${quote}) in ${pluralize(wait, "day")}`;
}

/** Returns the net profit of a slot's cycle as a share of its buy's cost. */
export const cycleShare = (slot: Slot, market: Market): Decimal =>
  netOfCycle({ buyAt: slot.lower, sellAt: sellPrice(slot), fees: restingFees(market) });

/** Returns the same in quote. */
export const cycleNet = (slot: Slot, market: Market): Decimal =>
  mul(slot.size, cycleShare(slot, market), "down");
