import {
  cancellable,
  draftOf,
  foreignOrderError,
  isUnclear,
  venueError,
  waitsToPlace,
  withNotices,
} from "../../engine/decide/intents.ts";
import {
  delayedRefusal,
  type PlacingDesk,
  placeOrder,
  type RemainingFunds,
  reuseIfEqual,
  supplyBefore,
} from "../../engine/position/place.ts";
import { beginPosition, leaveMarket, triggerPosition } from "../../engine/position/position.ts";
import type { BidAsk, Market, Side } from "../../model/market.ts";
import { type Order, spendFunds } from "../../model/order.ts";
import { isSameRefusal, need, pendingEdit, type Refusal, type SlotState } from "../../model/strategy.ts";
import type { DraftedStrategy, PlacingContext, StrategyContext } from "../../ports/kind.ts";
import type { Cut, QuoteLevel } from "../levels.ts";
import { isBidSlot, type QuoteState, type QuoteStrategy } from "../state.ts";
import {
  addRecentPrice,
  beyondInventory,
  lastQuoted,
  misplacedToCancel,
  type OtherOrders,
  type Quoting,
  quoteEvents,
  quoteNoticesOf,
  quotingOf,
  withChange,
} from "./quoting.ts";
import { isBlind } from "./sources.ts";

const changeEvent = ({ account, id }: QuoteStrategy, at: number) =>
  ({ account, strategy: id, at, kind: "edited", message: "the change is made" }) as const;

/** Returns the account's orders that do not belong to this strategy. */
const otherOrdersOf = ({ id }: QuoteStrategy, { resting }: StrategyContext): OtherOrders =>
  resting
    .filter(({ order }) => order?.strategy !== id)
    .map(({ side, price }) => ({ side, price, type: "limit" }));

const besideOf = (strategy: QuoteStrategy, live: readonly Order[], context: StrategyContext) => ({
  live,
  own: otherOrdersOf(strategy, context),
  bounds: context.bounds,
});

const ofSide = (side: Side) => (slot: SlotState) => isBidSlot(slot) === (side === "buy");

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
  slots: reuseIfEqual(slots, next.slots, (a, b) => a === b),
  refused: reuseIfEqual(refused, next.refused, isSameRefusal),
});

// A pass without changes writes nothing.
const isUnchanged = (a: QuoteState, b: QuoteState): boolean =>
  a.slots === b.slots &&
  a.refused === b.refused &&
  a.recentPrices === b.recentPrices &&
  a.quoted === b.quoted;

/** Quotes both sides of its market: orders within the tolerance stay, the others are replaced. */
export function runQuote(
  before: QuoteStrategy,
  live: readonly Order[],
  context: StrategyContext,
): Partial<DraftedStrategy<QuoteStrategy>> {
  const { market, error } = context.observed;
  const changed = withChange(before);
  // A short failure of the market leaves open orders unchanged; during a longer one, other sources still give a price.
  if (!market || isBlind(changed.config, context)) return { strategy: { ...before, lastError: error } };
  const triggered = triggerPosition(changed, context);
  const begun = beginPosition(triggered, live, context);
  if (!begun) return { short: true };
  if (begun.phase === "starting") return { strategy: begun };
  const quoting = quotingOf(begun, market, context, besideOf(begun, live, context));
  const priced = pricedOf(begun, quoting, context);
  // A price that a person has fixed reaches no stop price; the market does.
  const atMarket = begun.config.fixed ? context.observed.quote : priced;
  const judged = priced ? context.judge(begun, priced, atMarket) : begun;
  const after =
    priced && judged.state.exit ? leaveMarket(judged, live, { now: context.now, quote: priced }) : undefined;
  const quoted =
    after ??
    moveOrders(
      judged,
      judged.state === begun.state
        ? quoting
        : quotingOf(judged, market, context, besideOf(judged, live, context)),
      { live, context, market, priced },
    );
  const results = [
    ...(changed === before ? [] : [changeEvent(changed, context.now)]),
    ...(quoted.strategy ? quoteEvents(before, quoted.strategy, context.now) : []),
  ];
  return { ...quoted, events: [...results, ...(quoted.events ?? [])] };
}

/**
 * Returns the reference price for limits and losses, because the mid price of the book is unreliable. Its time is the
 * book's, which the start has read: limits apply to the age of the exchange's own price.
 */
function pricedOf(
  { startedAt }: QuoteStrategy,
  { plan }: Quoting,
  { observed: { book, elsewhere } }: StrategyContext,
): BidAsk | undefined {
  const { price } = plan.reference;
  const at = book?.at ?? elsewhere?.bookAt ?? startedAt;
  return price === null ? undefined : { bid: price, ask: price, at };
}

/** Returns whether a level could lack its order, before balances are read. */
export function mayQuote(strategy: QuoteStrategy, context: PlacingContext): boolean {
  const { market, open } = context.observed;
  if (strategy.phase === "starting" || pendingEdit(strategy)) return true;
  if (!market || isBlind(strategy.config, context)) return false;
  const mine = new Set(context.live.flatMap(({ exchangeId }) => exchangeId ?? []));
  const own = open.filter(({ id }) => !mine.has(id));
  const { bids, asks } = quotingOf(strategy, market, context, { live: context.live, own });
  return bids.lacking.length + asks.lacking.length > 0;
}

interface Moving {
  readonly live: readonly Order[];
  readonly context: StrategyContext;
  readonly market: Market;
  readonly priced: BidAsk | undefined;
}

/** Returns the cancels and new orders, and the strategy after them. */
function moveOrders(
  strategy: QuoteStrategy,
  quoting: Quoting,
  around: Moving,
): Partial<DraftedStrategy<QuoteStrategy>> {
  const { live, context, priced } = around;
  const { plan } = quoting;
  const supply = placed(strategy, quoting, around);
  const cancels = ordersToCancel(strategy, quoting, around, supply);
  const moves = cancels.length + supply.intents.length > 0;
  const state: QuoteState = {
    ...strategy.state,
    ...sameOr(strategy.state, { slots: supply.slots, refused: [...cutsOf(plan.cuts), ...supply.refused] }),
    recentPrices: addRecentPrice(strategy, plan, context.now),
    quoted: lastQuoted(strategy.state.quoted, plan, { now: context.now, moves }),
  };
  const waits = cancels.length > 0 || supply.short || live.some(isUnclear);
  const next = withNotices<QuoteStrategy>(
    {
      ...strategy,
      state: isUnchanged(strategy.state, state) ? strategy.state : state,
      status: "running",
      phase: state.halted ? "paused" : waits || moves ? "placing" : "active",
      lastError:
        foreignOrderError(context) ?? venueError(state.refused) ?? (supply.short ? context.slow : null),
    },
    quoteNoticesOf({ state, config: strategy.config }, plan),
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
  { intents }: Pick<RemainingFunds, "intents">,
): Order[] {
  const { plan, bids, asks } = quoting;
  const count = (side: Side) => intents.filter((intent) => intent.side === side).length;
  const makesWay = (order: Order) => placesWithout(order, strategy, quoting, around);
  const going = new Set([
    ...misplacedToCancel(bids, plan.bids, count("buy"), makesWay),
    ...misplacedToCancel(asks, plan.asks, count("sell"), makesWay),
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
  const freed = { ...context, funds: spendFunds(funds, asset, -amount) };
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

/** Assigns missing levels to slots of their side, and selects the orders of this pass. */
function placed(strategy: QuoteStrategy, { bids, asks }: Quoting, around: Moving): RemainingFunds {
  const { live, context, market, priced } = around;
  const before = supplyBefore(strategy.state.slots, context);
  const isLacking = bids.lacking.length + asks.lacking.length > 0;
  if (!priced || !isLacking) return before;
  // Without balances nothing is placed, and slots keep their refusals until the balances are read.
  if (!context.funds)
    return { ...before, refused: strategy.state.refused.filter(isOfSlot), short: mayWant(strategy, around) };
  const { rules, tolerance } = strategy.config;
  const inventory = { most: rules.mostBase, least: rules.leastBase };
  const desk: PlacingDesk = {
    strategy,
    inventory,
    minShare: tolerance.amount,
    live,
    market,
    priced,
    context,
  };
  return placeSide("sell", asks.lacking, desk, placeSide("buy", bids.lacking, desk, before));
}

/** Returns the slots of a side without an order: those that can have one, and those that wait after a refusal. */
export function freeSlots(
  side: Side,
  slots: readonly SlotState[],
  { live, context }: Pick<PlacingDesk, "live" | "context">,
) {
  const busy = new Set(live.map(({ slot }) => slot));
  const { now, bounds } = context;
  const free = slots.filter((slot) => ofSide(side)(slot) && !busy.has(slot.index));
  const waits = (slot: SlotState) => waitsToPlace(slot, { now, version: bounds.standings.version });
  return { ready: free.filter((slot) => !waits(slot)), waiting: free.filter(waits) };
}

/**
 * Places the nearest level first. A slot that the exchange rejected keeps its level waiting; no other slot tries that
 * level.
 */
function placeSide(
  side: Side,
  lacking: readonly QuoteLevel[],
  desk: PlacingDesk,
  before: RemainingFunds,
): RemainingFunds {
  const { ready, waiting } = freeSlots(side, before.slots, desk);
  const toPlace = lacking.slice(0, Math.max(0, lacking.length - waiting.length));
  const delayed = waiting
    .slice(0, lacking.length - toPlace.length)
    .map((slot) => delayedRefusal(slot, desk.strategy));
  let supply: RemainingFunds = { ...before, refused: [...before.refused, ...delayed] };
  for (const [index, level] of toPlace.entries()) {
    const slot = ready[index];
    if (slot) supply = placeOrder(level, slot, desk, supply);
  }
  return supply;
}
