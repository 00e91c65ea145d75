import { confirm, hasTriggered, waitForTrigger } from "../../engine/decide/ending.ts";
import {
  cancellable,
  draftOf,
  foreignOrderError,
  isRecovering,
  isUnclear,
  venueError,
  withNotices,
} from "../../engine/decide/intents.ts";
import { reachedEvent } from "../../engine/decide/stop.ts";
import { min, text, ZERO } from "../../kernel/decimal.ts";
import { splitPair } from "../../kernel/pair.ts";
import { midOf } from "../../kernel/spread.ts";
import { ageOf, MINUTE, type Millis } from "../../kernel/time.ts";
import type { Event } from "../../model/events.ts";
import type { BidAsk, Market } from "../../model/market.ts";
import { type Order, takes } from "../../model/order.ts";
import type { Refusal } from "../../model/strategy.ts";
import type { DraftedStrategy, StrategyContext } from "../../ports/kind.ts";
import { gridAccounts, unsoldBase } from "../booking.ts";
import { giveFirstBase, layOut, targetBase, withMid } from "../ladder/levels.ts";
import { rangeNow } from "../state/range.ts";
import type { GridState, GridStrategy, MidMove, Slot } from "../state/state.ts";
import { firstBuy, priceAtTick, sellPrice, withCost } from "./first-buy.ts";
import {
  affords,
  beginEdit,
  configToLay,
  editEvents,
  layOutAnew,
  leaving,
  type MarketQuote,
  moveOf,
  obstacle,
  shiftOneStep,
  withEditsNoted,
} from "./moves.ts";
import { type NextOrders, nextOrders } from "./next-orders.ts";
import { noticesOf } from "./notices.ts";

const afterPlan = (
  strategy: GridStrategy,
  { next }: NextOrders,
  { problem, isPlacing }: { readonly problem: string | null; readonly isPlacing: boolean },
): GridStrategy => ({
  ...strategy,
  state: next,
  status: "running",
  phase: next.halted ? "paused" : isPlacing ? "placing" : "active",
  lastError: problem,
});

const planError = ({ next, postponed }: NextOrders, { slow }: StrategyContext): string | null =>
  venueError(next.refused) ?? (postponed > 0 ? slow : null);

const unclearRefusal = ({ slot, state, reason }: Order): Refusal[] =>
  state === "unknown" && reason !== null ? [{ slot, reason: "unclear", detail: reason }] : [];

/** Maximum wait until it is certain which base is unused; then the grid uses the certain part. */
const MAX_GRID_BASE_WAIT_MS = 5 * MINUTE;

/**
 * Returns orders that block the grid's next state: all for a rebuild, one for a trail step, those of removed slots,
 * and those at a price that their slot no longer uses.
 */
export function outdated(
  state: GridState,
  live: readonly Order[],
  quote?: BidAsk,
  market?: Pick<Market, "tick">,
): Order[] {
  if (state.rebuild) return cancellable(live);
  const going = leaving(state)?.index;
  return cancellable(live).filter(
    (order) =>
      order.generation !== state.generation ||
      order.slot === going ||
      isMisplaced(state, order, { quote, market }),
  );
}

// Found after a restore, if the backup is older than the grid's last move; or placed as a maker order next to its
// level, which is now possible at its level.
function isMisplaced(
  { slots }: GridState,
  order: Order,
  {
    quote,
    market,
  }: { readonly quote: BidAsk | undefined; readonly market: Pick<Market, "tick"> | undefined },
): boolean {
  const { slot: index, side, price, timeInForce } = order;
  const slot = slots.find((slot) => slot.index === index);
  if (!slot) return false;
  const level = side === "buy" ? slot.lower : sellPrice(slot);
  const isBetter = side === "buy" ? price < level : price > level;
  const mayStay = timeInForce === "post_only" && isBetter && (!quote || takes({ side, price: level }, quote));
  const isAtTick = market !== undefined && price === priceAtTick({ side, price: level }, market);
  return price !== level && !isAtTick && !mayStay;
}

/** Advances a running strategy: first what the market requires of the whole grid, then of its slots. */
export function advanceRunning(
  before: GridStrategy,
  live: readonly Order[],
  context: StrategyContext,
): Partial<DraftedStrategy<GridStrategy>> {
  const { market, quote, error } = context.observed;
  if (!market || !quote) return { strategy: { ...before, lastError: error } };
  const marketQuote = { market, quote };
  const done = runEdited(beginEdit(before, marketQuote), live, { ...context, marketQuote });
  const after = done.strategy ?? before;
  const results = [
    ...editEvents(before, after, marketQuote, context.now),
    ...movedEvents(before, after, context.now),
  ];
  return results.length === 0 ? done : { ...done, events: [...results, ...(done.events ?? [])] };
}

function runEdited(
  before: GridStrategy,
  live: readonly Order[],
  context: StrategyContext & { readonly marketQuote: MarketQuote },
): Partial<DraftedStrategy<GridStrategy>> {
  const { marketQuote } = context;
  const { quote } = marketQuote;
  const triggered = trigger(before, marketQuote);
  if (!triggered) return { strategy: waitForTrigger(before, quote) };
  const started = startTrading(triggered, context, quote);
  if (!started) return { short: true };
  if (started.phase === "starting") return { strategy: started };
  const judged = context.judge(withMids(started, quote), quote, quote);
  const { strategy: watched, problem } = watchMid(judged, marketQuote, context);
  if (watched.state.exit) {
    const leaving: GridStrategy = { ...watched, status: "running", phase: "stopping" };
    const { total } = gridAccounts(leaving, midOf(quote));
    return {
      strategy: leaving,
      cancels: outdated(watched.state, live, quote, marketQuote.market),
      events: [reachedEvent(leaving, watched.state.exit, { at: context.now, total })],
    };
  }
  const strategy = settledMoves(watched, live, marketQuote);
  const cancels = outdated(strategy.state, live, quote, marketQuote.market);
  if (strategy.state.rebuild) {
    const notices = noticesOf(strategy, marketQuote, true);
    return {
      strategy: withNotices(
        { ...strategy, status: "running", phase: "rebuilding", lastError: foreignOrderError(context) },
        notices,
      ),
      cancels,
    };
  }
  const capital = withCost(context.capital, before.state, started.state);
  const waits = cancels.length > 0;
  return { ...placeMissing(strategy, live, { ...context, marketQuote, capital, problem, waits }), cancels };
}

function withMids(strategy: GridStrategy, quote: BidAsk): GridStrategy {
  const { state, config } = strategy;
  if (!config.centered?.volatility) return strategy;
  const mids = withMid(state.mids, midOf(quote), quote.at);
  return mids === state.mids ? strategy : { ...strategy, state: { ...state, mids } };
}

/** Returns the action that the mid price requires of the grid, after two passes have observed it, and why it cannot happen. */
function watchMid(
  strategy: GridStrategy,
  marketQuote: MarketQuote,
  context: StrategyContext,
): { strategy: GridStrategy; problem: string | null } {
  const { config, state } = strategy;
  if (state.exit || state.rebuild || state.trail.way) return { strategy, problem: null };
  const { confidence } = context;
  const isSure =
    !state.halted &&
    (config.confidence === undefined || confidence === undefined || confidence >= config.confidence);
  // A stop price that one pass has observed comes before all moves.
  const move =
    isSure && !state.stopObserved
      ? moveOf(config, state, { quote: marketQuote.quote, tick: marketQuote.market.tick })
      : undefined;
  const { signal, confirmed } = confirm(state.signal, move, marketQuote.quote);
  const problem = confirmed ? problemWith(confirmed, strategy, marketQuote, context) : null;
  // The signal stays, so each pass reports the problem.
  if (problem !== null) return { strategy, problem };
  const signaled = signal === state.signal ? state : { ...state, signal };
  const next = confirmed ? follow(signaled, confirmed) : signaled;
  return { strategy: next === state ? strategy : { ...strategy, state: next }, problem: null };
}

/** Returns a problem of the new grid; it is computed before anything is canceled. */
function problemWith(
  move: MidMove,
  { config, state }: GridStrategy,
  marketQuote: MarketQuote,
  { funds }: StrategyContext,
): string | null {
  if (move === "rebuild") {
    const why = obstacle(config, state, marketQuote);
    return why === undefined ? null : `the grid is not rebuilt: ${why}`;
  }
  if (move !== "trail_down" || affords(config, state, marketQuote.market, funds)) return null;
  return `the grid does not follow the market down: there is no free ${marketQuote.market.quote} for another buy`;
}

function follow(state: GridState, move: MidMove): GridState {
  if (move === "rebuild") return { ...state, rebuild: { generation: state.generation + 1 } };
  return { ...state, trail: { ...state.trail, way: move === "trail_up" ? "up" : "down" } };
}

/** Completes moves that waited for orders to end: all orders for a rebuild, one slot's for a trail step. */
function settledMoves(
  strategy: GridStrategy,
  live: readonly Order[],
  marketQuote: MarketQuote,
): GridStrategy {
  const { config, state } = strategy;
  if (state.rebuild) {
    if (live.length > 0) return strategy;
    const next = configToLay(strategy, marketQuote);
    // The market's rules changed during the cancels: the old levels stay until they can be replaced.
    if (!next) return { ...strategy, state: { ...state, rebuild: null } };
    return { ...strategy, config: next, state: layOutAnew(next, withEditsNoted(strategy), marketQuote) };
  }
  const going = leaving(state);
  if (!going || live.some(({ generation, slot }) => generation === state.generation && slot === going.index))
    return strategy;
  return { ...strategy, state: shiftOneStep(config, state, marketQuote.market) };
}

function placeMissing(
  strategy: GridStrategy,
  live: readonly Order[],
  context: StrategyContext & { marketQuote: MarketQuote; waits: boolean; problem: string | null },
): Partial<DraftedStrategy<GridStrategy>> {
  const { marketQuote, window, funds } = context;
  const mine = live.filter(({ generation }) => generation === strategy.state.generation);
  const mustWait = mine.length < live.length || isRecovering(strategy, context);
  const bought = firstBuy(strategy, mine, { ...context, isRecovering: mustWait });
  const left = strategy.state.trail.way ? leaving(strategy.state)?.index : undefined;
  const busy = new Set([...mine.map(({ slot }) => slot), ...(left === undefined ? [] : [left])]);
  const planned = nextOrders(bought.state, {
    busy,
    now: context.now,
    unclear: mine.flatMap(unclearRefusal),
    resting: bought.intents.length === 0 ? context.resting : [...context.resting, ...bought.intents],
    funds: bought.funds,
    killed: context.killed,
    isRecovering: mustWait,
    limit: funds ? context.limit - bought.intents.length : 0,
    confidence: context.confidence,
    config: strategy.config,
    capital: bought.capital,
    bounds: bought.bounds,
    room: bought.room,
    backoff: context.timing.backoff,
    readLag: context.timing.readLag,
    isDoubted: context.doubted.has(marketQuote.market.base),
    ...marketQuote,
  });
  const intents = [...bought.intents, ...planned.intents];
  const waits = context.waits || planned.postponed > 0 || live.some(isUnclear);
  const problem =
    foreignOrderError(context) ?? context.problem ?? bought.problem ?? planError(planned, context);
  const placed = afterPlan(strategy, planned, { problem, isPlacing: waits || intents.length > 0 });
  return {
    strategy: withNotices(placed, noticesOf(placed, marketQuote, live.length + intents.length > 0)),
    intents: intents.map((intent) => draftOf(strategy, intent, { window, at: marketQuote.quote.at })),
    funds: planned.funds,
    placing: intents.length > 0 && !waits,
    short: planned.postponed > 0,
    ...roundedEvents(strategy, { before: bought.state, after: planned.next, at: context.now }),
  };
}

/** Event for base that the exchange never credited. */
function roundedEvents(
  { account, id, symbol }: GridStrategy,
  { before, after, at }: { readonly before: GridState; readonly after: GridState; readonly at: Millis },
): { readonly events?: readonly Event[] } {
  const { base } = splitPair(symbol);
  const lacked = (before.ledger.moved[base] ?? ZERO) - (after.ledger.moved[base] ?? ZERO);
  if (lacked === ZERO) return {};
  const message = `the account has ${text(lacked)} ${base} less than the fills add up to, because the exchange credits rounded amounts; it is booked as a fee`;
  return { events: [{ account, strategy: id, at, kind: "rounded", message }] };
}

/** Starts a waiting grid when a reliable mid price reaches its trigger, from either side. */
export function trigger(strategy: GridStrategy, { quote }: MarketQuote): GridStrategy | undefined {
  const { config, state, status } = strategy;
  if (status !== "idle" || config.triggerPrice === undefined) return strategy;
  if (!hasTriggered(strategy, quote)) return undefined;
  const mid = midOf(quote);
  const levels = [
    ...state.slots.map(({ lower }) => lower),
    ...state.slots.map(({ upper }) => upper).slice(-1),
  ];
  const sides = layOut(levels, config.orderSize, mid);
  // A strategy that holds or has sold base had started before, and its database was restored.
  const hasSold = ({ side }: Slot) => side === "buy" && state.ledger.filledOrders > 0;
  const slots = state.slots.map((slot, i) =>
    unsoldBase(slot) > ZERO || hasSold(slot) ? slot : { ...slot, side: sides[i]?.side ?? slot.side },
  );
  const firstBuy = state.firstBuy && { ...state.firstBuy, ask: quote.ask };
  const now = { startPrice: mid, center: mid, laidAt: quote.at };
  // A centered grid is built around the price at which it starts.
  const rebuild = config.centered ? { generation: state.generation + 1 } : state.rebuild;
  const begun: GridState = { ...state, ...now, slots, firstBuy, rebuild, notices: [] };
  return { ...strategy, state: begun, status: "running", phase: "starting" };
}

/** Gives a starting grid its first base when the available amount is certain. Returns undefined until then. */
export function startTrading(
  strategy: GridStrategy,
  context: StrategyContext,
  { at }: BidAsk,
): GridStrategy | undefined {
  const { observed, ownBase } = context;
  if (strategy.phase !== "starting" || !observed.market) return strategy;
  // It can have started before its database was restored: its sales then show the base that it had.
  if (isRecovering(strategy, context)) return { ...strategy, lastError: foreignOrderError(context) };
  if (ownBase === undefined) return undefined;
  const { state, config } = strategy;
  const most = config.useOwnBase === false ? ZERO : ownBase.least;
  const free = config.bound ? min(config.bound.base, most) : most;
  const isEnough =
    ownBase.isSure || config.useOwnBase === false || targetBase(state, observed.market) <= free;
  if (!isEnough && ageOf(state.laidAt, at) < MAX_GRID_BASE_WAIT_MS)
    return {
      ...strategy,
      lastError: "it starts when the balances show the open and recent orders of the account",
    };
  return { ...strategy, phase: "placing", state: giveFirstBase(state, observed.market, free) };
}

/** Events if the grid moved by itself in this pass; other events report changes by a person. */
function movedEvents(before: GridStrategy, after: GridStrategy, at: Millis): Event[] {
  const how = howMoved(before, after);
  const range = rangeNow(after.state);
  if (how === undefined || range === undefined) return [];
  const message = `${how}: now from ${text(range.lower)} to ${text(range.upper)}`;
  return [{ account: after.account, strategy: after.id, at, kind: "moved", message }];
}

function howMoved(before: GridStrategy, after: GridStrategy): string | undefined {
  if (before.config !== after.config) return undefined;
  const steps = after.state.trail.steps - before.state.trail.steps;
  // A grid that is built for the first time has not moved, nor has one that could not be rebuilt.
  const isLaidAnew = before.state.rebuild !== null && after.state.generation !== before.state.generation;
  if (isLaidAnew) return after.config.centered ? "rebuilt around the market" : "rebuilt";
  if (steps === 0) return undefined;
  return steps > 0 ? "followed the market up" : "followed the market down";
}
