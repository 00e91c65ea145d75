import { type Decimal, max, min, roundMoney, roundToStep, text, ZERO } from "../../kernel/decimal.ts";
import { splitPair } from "../../kernel/pair.ts";
import { pluralize } from "../../kernel/plain-text.ts";
import { midOf } from "../../kernel/spread.ts";
import { HOUR, type Millis, timeInPast } from "../../kernel/time.ts";
import { inOneOrder } from "../../limits/position.ts";
import { collarFloor, passesCollar } from "../../limits/standing.ts";
import { parseAccountKey } from "../../model/account.ts";
import type { Event } from "../../model/events.ts";
import type { Bounds, LimitRefusal } from "../../model/limits.ts";
import { accepts, type BidAsk, type Market, meetsMinimum } from "../../model/market.ts";
import { type Funds, type Intent, type Order, type Resting, spendFunds } from "../../model/order.ts";
import { EXIT_SLOT, type Exit, type Strategy, type StrategyState } from "../../model/strategy.ts";
import type { DraftedStrategy, Kind } from "../../ports/kind.ts";
import type { MarketSnapshot } from "../reconcile/reconcile.ts";
import { cancellable, draftOf, isRecovering, type StrategyPass } from "./intents.ts";

/** Stops a strategy: cancels its orders, and sells its base if requested. */
export function stop(
  before: Strategy,
  live: readonly Order[],
  context: StrategyPass,
): Partial<DraftedStrategy> {
  const strategy = leavingBase(before);
  const { exit } = strategy.state;
  const keeps = strategy.keepOrders && exit === null && !context.clears;
  const { readLag } = context.timing;
  const releaseAt = Math.min(strategy.state.releaseAt ?? Number.POSITIVE_INFINITY, context.now + readLag);
  const state = keeps ? { ...strategy.state, releaseAt } : strategy.state;
  const stopping: Strategy = { ...strategy, state, status: "running", phase: "stopping" };
  // All of them at once or none: until then the user can still request their cancel.
  const mayRelease = keeps && context.now >= releaseAt && live.every(isReportedOpen);
  if ((live.length > 0 && !mayRelease) || isRecovering(strategy, context)) {
    const cancels = keeps ? [] : cancellable(live);
    return { strategy: stopping, cancels };
  }
  if (exit && !exit.keeps) {
    const sold = sell(stopping, context);
    if (sold) return sold;
  }
  const released = live.map((order) => ({ ...order, settled: true }));
  // A simulated market has its own time. A real one can show a book of earlier, or none.
  const stoppedAt = context.isSimulated ? (context.observed.quote?.at ?? strategy.startedAt) : context.now;
  const stopped: Strategy = { ...strategy, status: "stopped", phase: "done", stoppedAt };
  const mark = context.observed.quote && midOf(context.observed.quote);
  const left =
    exit && !exit.keeps && isLacking(stopped, context)
      ? unsold(stopped, context)
      : leftUnlisted(stopped, context);
  return {
    strategy: left === undefined ? stopped : { ...stopped, lastError: left },
    released,
    events: stoppedEvents(context.kind, stopped, { mark, at: context.now }),
  };
}

const unsold = ({ state, symbol }: Strategy, { kind }: StrategyPass): string =>
  `${text(kind.holdings(state).base)} ${splitPair(symbol).base} of the ${kind.name} were not free in the account and were not sold; sell them manually`;

const leftUnlisted = ({ state, symbol }: Strategy, { kind, observed }: StrategyPass): string | undefined =>
  observed.isUnlisted
    ? `${observed.error}; ${text(kind.holdings(state).base)} ${splitPair(symbol).base} stay in the account`
    : undefined;

/** Returns whether the strategy has base to sell that the account lacks. */
function isLacking({ state }: Strategy, { kind, observed: { market, quote } }: StrategyPass): boolean {
  if (!market || !quote) return false;
  return exitPlan(kind, state, { market, quote, funds: undefined }).intent !== undefined;
}

// An accepted order that is not yet visible can have filled; until it is visible, it belongs to the strategy.
const isReportedOpen = ({ state }: Order): boolean => state === "open" || state === "partially_filled";

function leavingBase(strategy: Strategy): Strategy {
  const { state, sellBase } = strategy;
  // A person's sale replaces an end that keeps the base.
  if (!sellBase || (state.exit && !state.exit.keeps)) return strategy;
  const exit: Exit = { reason: "stop", tries: 0 };
  return { ...strategy, state: { ...state, exit } };
}

/**
 * Returns the part of the lacking base that can still appear: reads can be delayed after an order's end, and an
 * unconfirmed order may never have existed. Undefined if neither applies.
 */
function late(strategy: Strategy, context: StrategyPass): Partial<DraftedStrategy> | undefined {
  const { state } = strategy;
  const { exit } = state;
  const isDoubted = context.doubted.has(splitPair(strategy.symbol).base);
  // The balances of one pass prove nothing: it can have read them before its last fill.
  const since = isDoubted ? undefined : timeInPast(exit?.lacksSince, context.now);
  const isOver = since !== undefined && context.now - since >= context.timing.readLag;
  if (!exit || isOver || !isLacking(strategy, context)) return undefined;
  const lastError = isDoubted
    ? "an unconfirmed order could have used the base; edgemaker looks it up first"
    : "the exchange shows less free base than there is to sell; edgemaker retries";
  const lacksSince = since ?? context.now;
  return { strategy: { ...strategy, lastError, state: { ...state, exit: { ...exit, lacksSince } } } };
}

/** Returns one order of the exit; undefined if the exchange would not accept what is left. */
function sell(strategy: Strategy, context: StrategyPass): Partial<DraftedStrategy> | undefined {
  const { kind, observed, funds, killed, panics, limit, window, bounds } = context;
  const { market, quote, error } = observed;
  const waits = (lastError: string | null) => ({ strategy: { ...strategy, lastError } });
  if (observed.isUnlisted && hasWaited(strategy, context.now)) return undefined;
  if (!market || !quote) return waits(error);
  const foreign = highestBuy(context.resting.filter(({ order }) => !order));
  const above = foreign?.price;
  const { next, intent } = exitPlan(kind, strategy.state, {
    market,
    quote,
    funds,
    bounds,
    above,
    minPrice: panics ? collarFloor(quote, bounds) : undefined,
  });
  if (!intent) return late(strategy, context);
  if (strategy.wants === "pause") return waits(`the ${kind.name} is paused: the base is not sold`);
  if (killed && !panics) return waits("the kill switch is on: the base is not sold");
  if (!accepts(market, "sell")) return waits("the market is closed: the base is not sold");
  if (!funds) return { ...waits(null), short: true };
  const met = context.resting.flatMap(({ order: one }) =>
    one?.side === "buy" && one.price >= intent.price ? [one] : [],
  );
  if (met.length > 0)
    return {
      ...waits(wayFor(met)),
      cancels: cancellable(met),
      events: wayEvents(strategy, met, context.now),
    };
  if (foreign && intent.price > quote.bid) return waits(wayFor([foreign]));
  if (limit < 1) return { short: true };
  const order = draftOf({ ...strategy, state: next }, intent, { window, at: quote.at, kind: "exit" });
  const state = withCollarNotice(next, passesCollar(order, quote, bounds));
  const left = spendFunds(funds, market.base, intent.amount);
  return { strategy: { ...strategy, state, lastError: null }, intents: [order], funds: left };
}

/** Returns the highest buy among orders that cannot be canceled here; a sell would fill it first. */
const highestBuy = (resting: readonly Resting[]): Resting | undefined =>
  resting
    .filter(({ side }) => side === "buy")
    .reduce<Resting | undefined>(
      (best, resting) => (best && best.price >= resting.price ? best : resting),
      undefined,
    );

/** Cancels an order that has a row; only the user can cancel an order that was placed elsewhere. */
const wayFor = (met: readonly (Order | Resting)[]): string => {
  const names = met.map((one) => ("clientId" in one ? (one.exchangeId ?? one.clientId) : (one.id ?? "")));
  return `the base is sold when it can no longer fill against this account's own ${names.slice(0, 3).join(", ")}`;
};

/**
 * Events that name each order that an exit cancels, so its owner learns why. Each one is written once, with the first
 * cancel request.
 */
function wayEvents({ id, lastError }: Strategy, met: readonly Order[], at: Millis): Event[] {
  if (lastError === wayFor(met)) return [];
  return cancellable(met).map(({ account, strategy, exchangeId, clientId, side, price }) => {
    const whose = strategy === null ? "placed manually" : `of ${strategy}`;
    const message = `${exchangeId ?? clientId}: the ${side} at ${text(price)} ${whose} is canceled, because the exit of ${id} could fill against it`;
    return { account, strategy: id, at, kind: "made_way", message };
  });
}

/** Adds a notice that an exit sells beyond the price collar on purpose, before the price falls further. */
function withCollarNotice(state: StrategyState, refused: LimitRefusal | undefined): StrategyState {
  const others = state.notices.filter(({ code }) => code !== "exit_beyond_collar");
  if (!refused) return state;
  const message = `an exit sells beyond the collar on purpose: ${refused.detail}`;
  return { ...state, notices: [...others, { code: "exit_beyond_collar", message }] };
}

/** How long a strategy waits for its market. */
const WAITS: Millis = 24 * HOUR;

/**
 * Records since when and why a strategy's market is closed or missing: `null` means open, undefined means unknown.
 * After a day the strategy is in error; one that is stopping continues.
 */
export function noteMarketClosed(strategy: Strategy, why: string | null | undefined, now: Millis): Strategy {
  const { closedSince, ...state } = strategy.state;
  if (why === undefined) return strategy;
  if (why === null) return closedSince === undefined ? strategy : noteMarketOpen({ ...strategy, state });
  const since = timeInPast(closedSince, now) ?? now;
  const noted = closedSince === since ? strategy : { ...strategy, state: { ...state, closedSince: since } };
  const isLeaving = strategy.wants === "stop" || state.exit !== null;
  if (now - since < WAITS || isLeaving || strategy.status === "error") return noted;
  return {
    ...noted,
    status: "error",
    lastError: `${why}, for a day now; stop the ${strategy.kind}, or resume it when the pair trades again`,
  };
}

// Clears what was recorded about the market.
const noteMarketOpen = (strategy: Strategy): Strategy =>
  strategy.status === "error" ? strategy : { ...strategy, lastError: null };

/** Records that the exchange refuses to return a strategy's market. */
export function noteUnreadable(strategy: Strategy, reason: string, now: Millis): Strategy {
  const noted = noteMarketClosed(strategy, unreadable(strategy, reason), now);
  const isStopping = strategy.wants === "stop";
  const why = `${unreadable(strategy, reason)}${isStopping ? "; the stop ends by itself after a day" : ""}`;
  return (noted.status === "error" && !isStopping) || noted.lastError === why
    ? noted
    : { ...noted, lastError: why };
}

const unreadable = ({ symbol }: Strategy, reason: string): string => `${symbol} cannot be read: ${reason}`;

/** Returns whether a stop no longer waits for its market, because a delisted pair does not return. */
const hasWaited = ({ wants, state }: Strategy, now: Millis): boolean =>
  wants === "stop" && now - (timeInPast(state.closedSince, now) ?? now) >= WAITS;

/**
 * Ends a stop whose market was unreadable for a day. Its orders and its base are left to the user. Undefined if it can
 * still wait.
 */
export function stoppedUnreadable(
  strategy: Strategy,
  { reason, kind, live, now }: { reason: string; kind: Kind; live: readonly Order[]; now: Millis },
): Strategy | undefined {
  if (!hasWaited(strategy, now)) return undefined;
  const { state, account, symbol } = strategy;
  const base = `${text(kind.holdings(state).base)} ${splitPair(symbol).base} stay in the account`;
  const orders = pluralize(live.length, "order");
  const open = live.length === 0 ? "" : `, and ${orders} could still be open: check the exchange`;
  const lastError = `${unreadable(strategy, reason)}, for a day now; ${base}${open}`;
  // The last simulated time is unknown.
  const stoppedAt = parseAccountKey(account).host === "" ? strategy.startedAt : now;
  return { ...strategy, status: "stopped", phase: "done", stoppedAt, lastError };
}

/** Distances below the bid of consecutive tries, in percent; the last one repeats. */
const STEPS = [1n, 2n, 4n];
/** Maximum distance below the mid price, in percent. */
const FARTHEST = 10n;

const below = (price: Decimal, percent: bigint): Decimal => (price * (100n - percent)) / 100n;

/** Returns the limit price of an exit's next order. */
function exitPrice(quote: BidAsk, tries: number, { tick }: Market): Decimal {
  const percent = STEPS[Math.min(tries, STEPS.length - 1)] as bigint;
  const least = roundToStep(below(midOf(quote), FARTHEST), tick, "up");
  return max(roundToStep(below(quote.bid, percent), tick, "down"), least);
}

/** Returns the lowest price of an exit's next order. */
export function exitReach(
  kind: Kind,
  { state, wants, sellBase }: Strategy,
  { market, quote }: Pick<MarketSnapshot, "market" | "quote">,
): Resting[] {
  const tries = state.exit?.keeps
    ? undefined
    : (state.exit?.tries ?? (wants === "stop" && sellBase ? 0 : undefined));
  if (wants === "pause" || tries === undefined || !market || !quote || kind.holdings(state).base === 0n)
    return [];
  return [{ side: "sell", price: exitPrice(quote, tries, market) }];
}

interface ExitPlan {
  readonly next: StrategyState;
  /** Undefined if the exchange would not accept what is left. */
  readonly intent: Intent | undefined;
}

interface ExitContext {
  readonly market: Market;
  readonly quote: BidAsk;
  readonly funds: Funds | undefined;
  readonly bounds?: Bounds | undefined;
  /** A buy of the account that cannot be canceled here; the order sells above it. */
  readonly above?: Decimal | undefined;
  /** Minimum price of the sale. */
  readonly minPrice?: Decimal | undefined;
}

/** Plans the sale of all base of a strategy without open orders: one immediate order per pass. */
export function exitPlan(
  kind: Kind,
  before: StrategyState,
  { market, quote, funds, bounds, above, minPrice }: ExitContext,
): ExitPlan {
  const state = kind.release(before);
  const { exit } = state;
  if (!exit || exit.keeps) return { next: state, intent: undefined };
  const all = kind.holdings(state).base;
  // The user can have withdrawn some of it.
  // The books show what it holds if the balance cannot be read, and a sale must not wait for that.
  const isUnread = funds?.[market.base] === null;
  const free = funds && !isUnread ? min(all, funds[market.base] ?? 0n) : all;
  const price = [
    above === undefined ? 0n : above + market.tick,
    minPrice === undefined ? 0n : roundToStep(minPrice, market.tick, "up"),
  ].reduce(max, exitPrice(quote, exit.tries, market));
  // An order counts at the mid price here, because its limit is below.
  const whole = roundToStep(free, market.lot, "down");
  const part = inOneOrder(whole, { price: max(price, midOf(quote)), market, bounds });
  const amount = meetsMinimum(market, price, part) ? part : whole;
  if (!meetsMinimum(market, price, amount)) return { next: state, intent: undefined };
  return {
    next: { ...state, exit: { ...withoutLack(exit), tries: exit.tries + 1 } },
    intent: { slot: EXIT_SLOT, side: "sell", price, amount },
  };
}

const withoutLack = ({ lacksSince: _, ...exit }: Exit): Exit => exit;

/** Restores an exit whose order was found after the database lost it; an exit that has started cannot be undone. */
export function leavingAgain(
  kind: Kind,
  { state, config, wants }: Strategy,
  { price }: Pick<Order, "price">,
): StrategyState {
  if (state.exit) return state;
  const { stopLossPrice: stopLoss, takeProfitPrice: takeProfit } = config;
  const isTakeProfit = takeProfit !== undefined && price >= below(takeProfit, FARTHEST);
  const isStopLoss = stopLoss !== undefined && price <= stopLoss;
  const reason = wants === "stop" ? "stop" : isStopLoss ? "stop_loss" : isTakeProfit ? "take_profit" : "stop";
  return { ...kind.release(state), exit: { reason, tries: 1 } };
}

/** Formats a trigger, such as `stop_loss at 54000 (armed at 55000)`; for a loss, its limit. */
export function describeReached({ reason, reached }: Exit, halted?: string | null): string {
  if (reached) return `${reason} at ${text(reached.mid)} (armed at ${text(reached.price)})`;
  if (reason === "end") return "its end time";
  return halted ? `${reason} (${halted})` : reason;
}

interface ReachedState {
  readonly at: Millis;
  /** P&L at the trigger price; undefined while no price is known. */
  readonly total: Decimal | undefined;
}

/** Event for a triggered exit: the strategy cancels its orders and then sells. */
export function reachedEvent(
  { id, account, symbol, state }: Strategy,
  exit: Exit,
  { at, total }: ReachedState,
): Event {
  const { base, quote } = splitPair(symbol);
  const profit = total === undefined ? "" : `, P&L ${text(roundMoney(total))} ${quote}`;
  const amount = `${text(exit.baseAtStart ?? ZERO)} ${base}`;
  const message = `${describeReached(exit, state.halted)}${profit}: all orders are canceled, and ${amount} ${exit.keeps ? "stay in the account" : "are sold"}`;
  return { account, strategy: id, at, kind: "exit", message };
}

/** The part of a kind that reads its books. */
type KindBooks = Pick<Kind, "holdings" | "accounts">;

/** Describes why a strategy stopped, what it sold, and its P&L; without the P&L if no price is known. */
export function describeStopped(
  kind: KindBooks,
  { state, symbol }: Strategy,
  mark: Decimal | undefined,
): string | undefined {
  const { exit } = state;
  if (!exit || exit.reason === "stop") return undefined;
  const { base, quote } = splitPair(symbol);
  const left = kind.holdings(state).base;
  const sold =
    exit.baseAtStart === undefined || exit.keeps ? "" : `, sold ${text(exit.baseAtStart - left)} ${base}`;
  const total = mark && roundMoney(kind.accounts({ state, symbol }, mark).total);
  const inAll = total === undefined ? "" : `, ${text(total)} ${quote} in all`;
  return `stopped: ${describeReached(exit, state.halted)}${sold}${inAll}`;
}

/** Returns what stopped a strategy, or is about to stop it; null if a person did, or nothing. */
export function stopReasonOf(kind: KindBooks, strategy: Strategy, mark: Decimal | undefined): string | null {
  const { state, status } = strategy;
  if (status === "stopped") return describeStopped(kind, strategy, mark) ?? null;
  return state.exit && state.exit.reason !== "stop" ? describeReached(state.exit, state.halted) : null;
}

/** Returns the stop as events. */
export function stoppedEvents(
  kind: Kind,
  strategy: Strategy,
  { mark, at }: { mark: Decimal | undefined; at: Millis },
): Event[] {
  const message = describeStopped(kind, strategy, mark);
  return message === undefined
    ? []
    : [{ account: strategy.account, strategy: strategy.id, at, kind: "exit", message }];
}
