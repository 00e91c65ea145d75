import { reachedEvent } from "../../engine/decide/exit-message.ts";
import { draftOf } from "../../engine/decide/intents.ts";
import { isUnclear, strangerError, venueError, withNotices } from "../../engine/decide/troubles.ts";
import { isRecovering } from "../../engine/decide/turn.ts";
import { isWide, midOf } from "../../kernel/spread.ts";
import type { Quote } from "../../model/market.ts";
import type { Order } from "../../model/order.ts";
import type { Refusal } from "../../model/strategy.ts";
import type { Drafted, StrategyContext } from "../../ports/kind.ts";
import { withMid } from "../ladder/volatility.ts";
import { gridPosition } from "../ledger/booking.ts";
import { gridAccounts } from "../ledger/profit.ts";
import type { GridState, GridStrategy, MidMove } from "../state/state.ts";
import { startTrading, trigger, waitForTrigger } from "./begin.ts";
import { withCost } from "./capital.ts";
import { beginEdit, configToLay, editEvents, withEditsNoted } from "./edit.ts";
import { firstBuy } from "./first-buy.ts";
import { movedEvents } from "./moved-message.ts";
import { type NextOrders, nextOrders } from "./next-orders.ts";
import { noticesOf } from "./notices.ts";
import { outdated } from "./outdated.ts";
import { layOutAnew, obstacle } from "./rebuild.ts";
import { affords, leaving, shiftOneStep } from "./trail.ts";
import { confirm, type MarketQuote, moveOf } from "./watch.ts";

/** Advances a running strategy: first what the market requires of the whole grid, then of its slots. */
export function advanceRunning(
  before: GridStrategy,
  live: readonly Order[],
  context: StrategyContext,
): Partial<Drafted<GridStrategy>> {
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
): Partial<Drafted<GridStrategy>> {
  const { marketQuote } = context;
  const { quote } = marketQuote;
  const triggered = trigger(before, marketQuote);
  if (!triggered) return { strategy: waitForTrigger(before, marketQuote) };
  const started = startTrading(triggered, context, quote);
  if (!started) return { short: true };
  if (started.phase === "starting") return { strategy: started };
  const judged = context.judge(withMids(started, quote), quote);
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
        { ...strategy, status: "running", phase: "rebuilding", lastError: strangerError(context) },
        notices,
      ),
      cancels,
    };
  }
  const capital = withCost(context.capital, before.state, started.state);
  const waits = cancels.length > 0;
  return { ...placeMissing(strategy, live, { ...context, marketQuote, capital, problem, waits }), cancels };
}

function withMids(strategy: GridStrategy, quote: Quote): GridStrategy {
  const { state, config } = strategy;
  if (!config.centered?.volatility) return strategy;
  const mids = withMid(state.mids, midOf(quote), quote.at);
  return mids === state.mids ? strategy : { ...strategy, state: { ...state, mids } };
}

/**
 * Returns the action that the mid price requires of the grid, after two passes have observed it (one for a stop price
 * with `stopAtOnce`), and why it cannot happen.
 */
function watchMid(
  strategy: GridStrategy,
  marketQuote: MarketQuote,
  context: StrategyContext,
): { strategy: GridStrategy; problem: string | null } {
  const { config, state } = strategy;
  if (state.exit || state.rebuild || state.trail.way) return { strategy, problem: null };
  const { confidence } = context;
  const move = moveOf(config, state, { quote: marketQuote.quote, tick: marketQuote.market.tick });
  const isPrice = move === "stop_loss" || move === "take_profit";
  const isSure =
    !state.halted &&
    (config.confidence === undefined || confidence === undefined || confidence >= config.confidence);
  const { signal, confirmed } =
    config.stopAtOnce && isPrice && !isWide(marketQuote.quote)
      ? { signal: null, confirmed: move }
      : confirm(state.signal, isPrice || isSure ? move : undefined, marketQuote.quote);
  const problem = confirmed ? problemWith(confirmed, strategy, marketQuote, context) : null;
  // The signal stays, so each pass reports the problem.
  if (problem !== null) return { strategy, problem };
  const signaled = signal === state.signal ? state : { ...state, signal };
  const next = confirmed ? follow({ config, state: signaled }, confirmed, marketQuote) : signaled;
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

function follow(
  { config, state }: Pick<GridStrategy, "config" | "state">,
  move: MidMove,
  { quote }: MarketQuote,
): GridState {
  switch (move) {
    case "stop_loss":
    case "take_profit": {
      const mid = midOf(quote);
      const price = (move === "stop_loss" ? config.stopLossPrice : config.takeProfitPrice) ?? mid;
      return {
        ...state,
        exit: { reason: move, tries: 0, reached: { mid, price }, baseAtStart: gridPosition(state) },
      };
    }
    case "trail_up":
      return { ...state, trail: { ...state.trail, way: "up" } };
    case "trail_down":
      return { ...state, trail: { ...state.trail, way: "down" } };
    case "rebuild":
      return { ...state, rebuild: { generation: state.generation + 1 } };
  }
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
): Partial<Drafted<GridStrategy>> {
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
    resting: [...context.resting, ...bought.intents],
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
    ...marketQuote,
  });
  const intents = [...bought.intents, ...planned.intents];
  const waits = context.waits || planned.postponed > 0 || live.some(isUnclear);
  const problem = strangerError(context) ?? context.problem ?? bought.problem ?? planError(planned, context);
  const placed = afterPlan(strategy, planned, { problem, isPlacing: waits || intents.length > 0 });
  return {
    strategy: withNotices(placed, noticesOf(placed, marketQuote, live.length + intents.length > 0)),
    intents: intents.map((intent) => draftOf(strategy, intent, { window, at: marketQuote.quote.at })),
    funds: planned.funds,
    placing: intents.length > 0 && !waits,
    short: planned.postponed > 0,
  };
}

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
