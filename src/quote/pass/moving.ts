import { draftOf } from "../../engine/decide/intents.ts";
import { isUnclear, strangerError, venueError, withNotices } from "../../engine/decide/troubles.ts";
import { cancellable } from "../../engine/decide/turn.ts";
import { type Desk, keepEqual, type Supply, supplyBefore } from "../../engine/position/place.ts";
import { ZERO } from "../../kernel/decimal.ts";
import type { Market, Quote, Side } from "../../model/market.ts";
import { need } from "../../model/need.ts";
import type { Order } from "../../model/order.ts";
import { isSameRefusal, type Refusal } from "../../model/strategy.ts";
import type { Drafted, StrategyContext } from "../../ports/kind.ts";
import type { Cut } from "../cut.ts";
import type { QuoteState, QuoteStrategy } from "../state/state.ts";
import { quoteNoticesOf } from "./notices.ts";
import { freeSlots, placeSide } from "./place.ts";
import { lastQuoted, type Quoting, withRecentPrice } from "./quoting.ts";
import { beyondInventory, goingOf } from "./rested.ts";

export interface Moving {
  readonly live: readonly Order[];
  readonly context: StrategyContext;
  readonly market: Market;
  readonly priced: Quote | undefined;
}

/** Returns the cancels and new orders, and the strategy after them. */
export function moveOrders(
  strategy: QuoteStrategy,
  quoting: Quoting,
  around: Moving,
): Partial<Drafted<QuoteStrategy>> {
  const { live, context, priced } = around;
  const { plan } = quoting;
  const supply = placed(strategy, quoting, around);
  const cancels = ordersToCancel(strategy, quoting, around, supply);
  const moves = cancels.length + supply.intents.length > 0;
  const state: QuoteState = {
    ...strategy.state,
    ...sameOr(strategy.state, { slots: supply.slots, refused: [...cutsOf(plan.cuts), ...supply.refused] }),
    recentPrices: withRecentPrice(strategy, plan, context.now),
    quoted: lastQuoted(strategy.state.quoted, plan, { now: context.now, moves }),
  };
  const waits = cancels.length > 0 || supply.short || live.some(isUnclear);
  const next = withNotices<QuoteStrategy>(
    {
      ...strategy,
      state: isUnchanged(strategy.state, state) ? strategy.state : state,
      status: "running",
      phase: isAtLoss(state) ? "paused" : waits || moves ? "placing" : "active",
      lastError: strangerError(context) ?? venueError(state.refused) ?? (supply.short ? context.slow : null),
    },
    quoteNoticesOf({ state, config: strategy.config }, plan, around.market.quote),
  );
  const at = context.observed.book?.at ?? context.now;
  return {
    strategy: next,
    intents: supply.intents.map((intent) => draftOf(strategy, intent, { window: context.window, at })),
    cancels,
    funds: context.funds && supply.funds,
    priced,
    placing: supply.intents.length > 0 && !waits,
    short: supply.short,
  };
}

/** Returns the orders to cancel now; `supply` has the orders that are placed beside them. */
function ordersToCancel(
  strategy: QuoteStrategy,
  quoting: Quoting,
  around: Moving,
  { intents }: Pick<Supply, "intents">,
): Order[] {
  const { plan, bids, asks } = quoting;
  const count = (side: Side) => intents.filter((intent) => intent.side === side).length;
  const makesWay = (order: Order) => placesWithout(order, strategy, quoting, around);
  const going = new Set([
    ...goingOf(bids, plan.bids, count("buy"), makesWay),
    ...goingOf(asks, plan.asks, count("sell"), makesWay),
    ...beyondChangedLimits(strategy, around.live),
  ]);
  return cancellable([...going]);
}

/** Returns whether an order's funds would place another one of its side. */
function placesWithout(
  order: Order,
  strategy: QuoteStrategy,
  quoting: Quoting,
  { live, context, ...around }: Moving,
): boolean {
  const { funds } = context;
  if (!funds) return false;
  const { asset, amount } = need(around.market, { ...order, amount: order.amount - order.filled });
  const freed = { ...context, funds: { ...funds, [asset]: (funds[asset] ?? ZERO) + amount } };
  const others = live.filter((other) => other !== order);
  const { intents } = placed(strategy, quoting, { ...around, live: others, context: freed });
  return intents.some(({ side }) => side === order.side);
}

/** Returns orders that exceed limits of the base which were changed since their placement. */
function beyondChangedLimits(
  { state: { base }, config: { rules } }: QuoteStrategy,
  live: readonly Order[],
): Order[] {
  const { mostBase, leastBase } = rules;
  return [
    ...(mostBase === undefined ? [] : beyondInventory("buy", live, mostBase - base)),
    ...(leastBase === undefined ? [] : beyondInventory("sell", live, base - leastBase)),
  ];
}

/** Returns whether a loss stopped the quotes; then a person must resume them. */
const isAtLoss = ({ halted, lostAt }: QuoteState): boolean => (halted ?? null) !== null || lostAt !== null;

function placed(strategy: QuoteStrategy, { bids, asks }: Quoting, around: Moving): Supply {
  const { live, context, market, priced } = around;
  const before = supplyBefore(strategy.state.slots, context);
  const isLacking = bids.lacking.length + asks.lacking.length > 0;
  if (!priced || !isLacking) return before;
  // Without balances nothing is placed, and slots keep their refusals until the balances are read.
  if (!context.funds)
    return { ...before, refused: strategy.state.refused.filter(isOfSlot), short: mayWant(strategy, around) };
  const { rules, tolerance } = strategy.config;
  const inventory = { most: rules.mostBase, least: rules.leastBase };
  const desk: Desk = { strategy, inventory, leastShare: tolerance.amount, live, market, priced, context };
  return placeSide("sell", asks.lacking, desk, placeSide("buy", bids.lacking, desk, before));
}

/**
 * Returns whether orders could be placed. The kill switch and limits can prevent the read of balances, which is not a
 * lack of calls.
 */
const mayWant = ({ state }: QuoteStrategy, { live, context }: Moving): boolean =>
  !context.killed &&
  (["buy", "sell"] as const).some((side) => freeSlots(side, state.slots, { live, context }).ready.length > 0);

const isOfSlot = ({ slot }: Refusal): boolean => slot >= 0;

const CUT_REASONS = {
  no_quote: "no_quote",
  no_base: "no_base",
  max_inventory: "max_position",
  min_inventory: "min_position",
  loss: "limit_loss",
  defended: "defended",
  would_self_cross: "would_self_cross",
} as const satisfies Record<Cut["because"], Refusal["reason"]>;

/**
 * Returns refusals for levels that are not placed. They have no slot, so their numbers are negative, nearest bid and
 * ask first.
 */
const cutsOf = (cuts: readonly Cut[]): Refusal[] =>
  cuts.map(({ side, level, because }) => ({
    slot: -1 - (2 * level + (side === "buy" ? 0 : 1)),
    reason: CUT_REASONS[because],
  }));

const sameOr = ({ slots, refused }: QuoteState, next: Pick<QuoteState, "slots" | "refused">) => ({
  slots: keepEqual(slots, next.slots, (a, b) => a === b),
  refused: keepEqual(refused, next.refused, isSameRefusal),
});

// A pass without changes writes nothing.
const isUnchanged = (a: QuoteState, b: QuoteState): boolean =>
  a.slots === b.slots &&
  a.refused === b.refused &&
  a.recentPrices === b.recentPrices &&
  a.quoted === b.quoted;
