import { text, ZERO } from "../../kernel/decimal.ts";
import { splitPair } from "../../kernel/pair.ts";
import { midOf } from "../../kernel/spread.ts";
import { type Millis, timeInPast } from "../../kernel/time.ts";
import { collarFloor, passesCollar } from "../../limits/standing.ts";
import type { Event } from "../../model/events.ts";
import type { Resting } from "../../model/intent.ts";
import type { LimitRefusal } from "../../model/limits.ts";
import type { Order } from "../../model/order.ts";
import type { Exit, Strategy, StrategyState } from "../../model/strategy.ts";
import type { Drafted } from "../../ports/kind.ts";
import { hasWaited } from "./closed.ts";
import { exitPlan } from "./exit.ts";
import { stoppedEvents } from "./exit-message.ts";
import { draftOf } from "./intents.ts";
import { cancellable, isRecovering, type Turn } from "./turn.ts";

/** Stops a strategy: cancels its orders, and sells its base if requested. */
export function stop(before: Strategy, live: readonly Order[], context: Turn): Partial<Drafted> {
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
  if (exit) {
    const sold = sell(stopping, context);
    if (sold) return sold;
  }
  const released = live.map((order) => ({ ...order, settled: true }));
  // A simulated market has its own time. A real one can show a book of earlier, or none.
  const stoppedAt = context.isSimulated ? (context.observed.quote?.at ?? strategy.startedAt) : context.now;
  const stopped: Strategy = { ...strategy, status: "stopped", phase: "done", stoppedAt };
  const mark = context.observed.quote && midOf(context.observed.quote);
  const left =
    exit && isLacking(stopped, context) ? unsold(stopped, context) : leftUnlisted(stopped, context);
  return {
    strategy: left === undefined ? stopped : { ...stopped, lastError: left },
    released,
    events: stoppedEvents(context.kind, stopped, { mark, at: context.now }),
  };
}

const unsold = ({ state, symbol }: Strategy, { kind }: Turn): string =>
  `${text(kind.holdings(state).base)} ${splitPair(symbol).base} of the ${kind.name} were not free in the account and were not sold; sell them manually`;

const leftUnlisted = ({ state, symbol }: Strategy, { kind, observed }: Turn): string | undefined =>
  observed.isUnlisted
    ? `${observed.error}; ${text(kind.holdings(state).base)} ${splitPair(symbol).base} stay in the account`
    : undefined;

/** Returns whether the strategy has base to sell that the account lacks. */
function isLacking({ state }: Strategy, { kind, observed: { market, quote } }: Turn): boolean {
  if (!market || !quote) return false;
  return exitPlan(kind, state, { market, quote, funds: undefined }).intent !== undefined;
}

// An accepted order that is not yet visible can have filled; until it is visible, it belongs to the strategy.
const isReportedOpen = ({ state }: Order): boolean => state === "open" || state === "partially_filled";

function leavingBase(strategy: Strategy): Strategy {
  const { state, sellBase } = strategy;
  if (!sellBase || state.exit) return strategy;
  const exit: Exit = { reason: "stop", tries: 0 };
  return { ...strategy, state: { ...state, exit } };
}

/**
 * Returns the part of the lacking base that can still appear: reads can be delayed after an order's end, and an
 * unconfirmed order may never have existed. Undefined if neither applies.
 */
function late(strategy: Strategy, context: Turn): Partial<Drafted> | undefined {
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
function sell(strategy: Strategy, context: Turn): Partial<Drafted> | undefined {
  const { kind, observed, funds, killed, panics, limit, window, bounds } = context;
  const { market, quote, error } = observed;
  const waits = (lastError: string | null) => ({ strategy: { ...strategy, lastError } });
  if (observed.isUnlisted && hasWaited(strategy, context.now)) return undefined;
  if (!market || !quote) return waits(error);
  const foreign = highestBuy(context.resting.filter(({ order }) => !order));
  const above = foreign?.price;
  const { next, intent } = exitPlan(kind, strategy.state, {
    ...{ market, quote, funds, bounds, above },
    least: panics ? collarFloor(quote, bounds) : undefined,
  });
  if (!intent) return late(strategy, context);
  if (strategy.wants === "pause") return waits(`the ${kind.name} is paused: the base is not sold`);
  if (killed && !panics) return waits("the kill switch is on: the base is not sold");
  if (!market.active) return waits("the market is closed: the base is not sold");
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
  const left = { ...funds, [market.base]: (funds[market.base] ?? ZERO) - intent.amount };
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
