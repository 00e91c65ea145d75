/** Decides whether an order is placed in this pass, which amount the funds cover, and why it is not placed. */

import { type Decimal, max, min, mul, ONE, roundToStep, sum, ZERO } from "../../kernel/decimal.ts";
import type { Pair } from "../../kernel/pair.ts";
import { soldInOneOrder } from "../../limits/position.ts";
import { boundsAfter, refusedWithin } from "../../limits/standing.ts";
import type { Bounds } from "../../model/limits.ts";
import { accepts, type BidAsk, lotsFor, type Market, meetsMinimum, type Side } from "../../model/market.ts";
import {
  type Funds,
  firstMet,
  type Intent,
  type Order,
  type OrderTerms,
  type Resting,
  reachOf,
  spendFunds,
} from "../../model/order.ts";
import { need, type Refusal, type SlotState, unreadFunds } from "../../model/strategy.ts";
import type { StrategyContext } from "../../ports/kind.ts";
import { isRecovering, limitedAgain, unlimited } from "../decide/intents.ts";
import type { PositionState, PositionStrategy } from "./position.ts";

/** Funds and calls that remain in a pass after each planned order. */
export interface RemainingFunds {
  readonly slots: readonly SlotState[];
  readonly funds: Funds;
  readonly resting: readonly Resting[];
  readonly bounds: Bounds;
  readonly limit: number;
  readonly intents: readonly Intent[];
  readonly refused: readonly Refusal[];
  /** Whether an order did not fit in this pass. */
  readonly short: boolean;
}

/** Returns what a pass can use before its first order. */
export const supplyBefore = (
  slots: readonly SlotState[],
  { funds = {}, resting, bounds, limit }: StrategyContext,
): RemainingFunds => ({ slots, funds, resting, bounds, limit, intents: [], refused: [], short: false });

/** Returns the list before if the one after is the same, so a pass without changes writes nothing. */
export const reuseIfEqual = <T>(
  before: readonly T[],
  after: readonly T[],
  isSame: (a: T, b: T) => boolean,
): readonly T[] =>
  before.length === after.length && before.every((one, i) => isSame(one, after[i] as T)) ? before : after;

export interface PlacingDesk {
  readonly strategy: PositionStrategy;
  /** Bounds of the inventory. */
  readonly inventory: { readonly most?: Decimal | undefined; readonly least?: Decimal | undefined };
  /** Minimum share of an amount that the funds must cover. */
  readonly minShare: Decimal;
  readonly live: readonly Order[];
  readonly market: Market;
  /** Price that orders are checked against. */
  readonly priced: BidAsk;
  readonly context: StrategyContext;
}

/** Takes what an order needs from the supply, or records why the order is not placed. */
export function placeOrder(
  level: OrderTerms,
  slot: SlotState,
  desk: PlacingDesk,
  supply: RemainingFunds,
): RemainingFunds {
  const { market, priced, context } = desk;
  const amount = amountLeft(level, desk, supply);
  const ownBase = level.side === "sell" ? min(amount, boughtLeft(desk, supply)) : undefined;
  const wish = {
    side: level.side,
    price: level.price,
    amount,
    symbol: market.symbol,
    type: "limit" as const,
    ownBase,
  };
  const refusal = refusalFor(level, wish, desk, supply);
  if (refusal) {
    const { bounds, timing, now } = context;
    const result = limitedAgain(slot, refusal, { now, version: bounds.standings.version }, timing.backoff);
    return {
      ...supply,
      slots: supply.slots.map((slotState) => (slotState.index === slot.index ? result.slot : slotState)),
      refused: [...supply.refused, { slot: slot.index, ...result.refusal }],
    };
  }
  if (supply.limit < 1) return { ...supply, short: true };
  const { index } = slot;
  const { side, price } = level;
  const locked = need(market, wish);
  return {
    ...supply,
    slots: supply.slots.map((slotState) => (slotState.index === index ? unlimited(slotState) : slotState)),
    funds: spendFunds(supply.funds, locked.asset, locked.amount),
    resting: [...supply.resting, { side, price }],
    bounds: boundsAfter(supply.bounds, wish, priced),
    limit: supply.limit - 1,
    intents: [...supply.intents, { slot: index, side, price, amount, ownBase }],
  };
}

/** Returns the base that a strategy bought beyond its first base. */
const boughtBase = ({ base, first }: PositionState): Decimal => max(ZERO, base - first.base);

/** Returns what it bought, without what its other sells can still sell. */
const boughtLeft = ({ strategy, live }: PlacingDesk, { intents }: RemainingFunds): Decimal =>
  max(ZERO, boughtBase(strategy.state) - soldBy(live, intents));

const soldBy = (live: readonly Order[], intents: readonly Intent[]): Decimal =>
  boundBase("sell", live) + sum(intents.filter(({ side }) => side === "sell").map(({ amount }) => amount));

/** Returns a planned sell as limits allow it; what the strategy bought is always sold, in parts if necessary. */
export function soldWithin<T extends OrderTerms>(
  wish: T,
  { state }: Pick<PositionStrategy, "state">,
  { market, quote, bounds }: { market: Market; quote: BidAsk; bounds: Bounds | undefined },
): T {
  const ownBase = min(wish.amount, boughtBase(state));
  if (wish.side === "buy" || ownBase === ZERO) return wish;
  const order = { ...wish, symbol: market.symbol, type: "limit" as const, ownBase };
  const amount = roundToStep(soldInOneOrder(order, { quote, market, bounds }), market.lot, "down");
  return amount >= wish.amount || !meetsMinimum(market, wish.price, amount) ? wish : { ...wish, amount };
}

/** Returns the current refusal of a slot. */
export const delayedRefusal = ({ index }: SlotState, { state }: PositionStrategy): Refusal =>
  state.refused.find(({ slot }) => slot === index) ?? { slot: index, reason: "rejected" };

/** Returns the amount that a side's funds still cover; unsettled orders lock theirs until their end is observed. */
function amountLeft(
  { side, price, amount }: OrderTerms,
  desk: PlacingDesk,
  { funds, intents }: RemainingFunds,
): Decimal {
  const { strategy, inventory, live, market } = desk;
  const { state, config } = strategy;
  const planned = intents.filter((intent) => intent.side === side);
  const bound = boundBase(side, live) + planned.reduce((sum, intent) => sum + intent.amount, ZERO);
  if (side === "sell") {
    const least = inventory.least ?? ZERO;
    const own = min(state.base - bound, state.base - least - bound);
    return roundToStep(max(ZERO, min(amount, min(own, funds[market.base] ?? ZERO))), market.lot, "down");
  }
  const spent = live
    .filter((order) => order.side === "buy")
    .map((order) =>
      need(market, { side, price: order.price, amount: max(ZERO, order.amount - order.booked) }),
    )
    .reduce((sum, one) => sum + one.amount, ZERO);
  const ours = planned.reduce((sum, intent) => sum + need(market, intent).amount, ZERO);
  const free = min(config.budget.quote + state.ledger.quote - spent - ours, funds[market.quote] ?? ZERO);
  const room = inventory.most === undefined ? amount : inventory.most - state.base - bound;
  const paid = lotsFor(market, free, need(market, { side, price, amount: ONE }).amount);
  return roundToStep(max(ZERO, min(amount, min(paid, room))), market.lot, "down");
}

function refusalFor(
  level: OrderTerms,
  wish: OrderTerms & { readonly symbol: Pair; readonly type: "limit" },
  { strategy, minShare, market, priced, context }: PlacingDesk,
  { resting, bounds, funds }: RemainingFunds,
): Omit<Refusal, "slot"> | undefined {
  const { side, price, amount } = wish;
  if (context.killed) return { reason: "killed" };
  if (isRecovering(strategy, context)) return { reason: "recovering" };
  if (!accepts(market, side)) return { reason: "market_closed" };
  const unread = unreadFunds(funds, side === "sell" ? market.base : market.quote);
  if (unread) return unread;
  const least = mul(level.amount, minShare, "down");
  if (amount < least || !meetsMinimum(market, price, amount))
    return { reason: side === "buy" ? "no_quote" : "inventory_missing" };
  const others = resting.map((resting) => ({ ...resting, type: "limit" as const }));
  const met = firstMet(reachOf({ side, price, type: "limit" }), others);
  const id = met && (met.order?.exchangeId ?? met.order?.clientId ?? met.id);
  if (met)
    return { reason: "would_self_cross", ...(id ? { detail: `it could fill against order ${id}` } : {}) };
  return refusedWithin(wish, priced, bounds);
}

/** Returns the base that unsettled orders can still fill, including orders whose cancel is not confirmed. */
const boundBase = (side: Side, live: readonly Order[]): Decimal =>
  live.reduce(
    (bound, order) => (order.side === side ? bound + max(ZERO, order.amount - order.booked) : bound),
    ZERO,
  );
