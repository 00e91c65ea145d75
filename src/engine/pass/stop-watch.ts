/** Checks whether stop prices are reached and still watched, and reports if they are not. */
import { VenueError } from "../../kernel/errors.ts";
import type { Pair } from "../../kernel/pair.ts";
import { midOf } from "../../kernel/spread.ts";
import { formatSince, MINUTE, type Millis, SECOND, timeGap } from "../../kernel/time.ts";
import { parseAccountKey } from "../../model/account.ts";
import type { Event } from "../../model/events.ts";
import type { BidAsk } from "../../model/market.ts";
import type { AccountMemory } from "../../model/memory.ts";
import type { Strategy } from "../../model/strategy.ts";
import type { Snapshot } from "../../ports/stores/pass-store.ts";
import type { StrategyView } from "../../ports/stores/store.ts";
import type { Venue } from "../../ports/venue.ts";
import { reachedStop, stopLevels } from "../decide/ending.ts";
import { type Budget, callWithinBudget } from "./budget.ts";

/** Number of intervals without a price that count as unwatched. */
const INTERVALS = 3;
/** Minimum duration, because with very short intervals one slow response takes several of them. */
const MIN_UNWATCHED_MS: Millis = 3 * SECOND;

type WatchedStrategy = Pick<Strategy, "symbol" | "config" | "state" | "wants" | "status" | "phase">;

interface StopContext {
  readonly memory: AccountMemory;
  /** Protocol time. */
  readonly now: Millis;
  /** Interval of the account's passes. */
  readonly interval: Millis;
}

/** Returns whether a stop price of the strategy can end it now. */
export const isStopWatched = ({
  config: { stopLossPrice, takeProfitPrice, trailingStop },
  wants,
  status,
  phase,
}: WatchedStrategy): boolean =>
  (stopLossPrice !== undefined || takeProfitPrice !== undefined || trailingStop !== undefined) &&
  wants === "run" &&
  status === "running" &&
  phase !== "starting" &&
  phase !== "stopping";

/**
 * Reads the public prices of the pairs with a stop price, for a pass that the rate limit would postpone. Returns the
 * memory with these prices, and whether one has reached a stop price.
 */
export async function checkStops(
  venue: Pick<Venue, "ticker">,
  { strategies, memory, lease: { now } }: Snapshot,
  budget: Budget,
): Promise<{ readonly memory: AccountMemory; readonly isReached: boolean }> {
  const watched = strategies.filter(isStopWatched);
  const marks = { ...memory.marks };
  let isReached = false;
  for (const symbol of new Set(watched.map((strategy) => strategy.symbol))) {
    const quote = await publicPrice(venue, symbol, budget);
    if (!quote) continue;
    const mid = midOf(quote);
    marks[symbol] = { mid, at: quote.at, observedAt: now };
    isReached ||= watched.some(
      (one) => one.symbol === symbol && reachedStop(stopLevels(one), mid) !== undefined,
    );
  }
  return { memory: { ...memory, marks }, isReached };
}

/** Returns undefined if there is no price, or no call left for it. */
async function publicPrice(
  venue: Pick<Venue, "ticker">,
  symbol: Pair,
  budget: Budget,
): Promise<BidAsk | undefined> {
  try {
    return (await callWithinBudget(budget, () => venue.ticker(symbol)))?.answer;
  } catch (error) {
    if (error instanceof VenueError) return undefined;
    throw error;
  }
}

/** Returns how long the stop price has not been checked; 0 while it is watched, or if there is none. */
export function unwatchedFor(strategy: WatchedStrategy, { memory, now, interval }: StopContext): Millis {
  if (!isStopWatched(strategy)) return 0;
  const observedAt = memory.marks[strategy.symbol]?.observedAt;
  const since = observedAt === undefined ? 0 : timeGap(observedAt, now);
  return since > Math.max(MIN_UNWATCHED_MS, INTERVALS * interval) ? since : 0;
}

/** Formats the notice; `since` comes from `formatSince`. */
export const unwatchedMessage = (symbol: string, since: string): string =>
  `the stop price is not being watched: there has been no price of ${symbol} ${since}; stop it manually if you cannot wait`;

const messageAt = (symbol: string, memory: AccountMemory, now: Millis): string =>
  unwatchedMessage(symbol, formatSince(memory.marks[symbol]?.observedAt ?? now, now));

/** Returns strategies whose stop price is no longer watched, or watched again; each change is reported once. */
export function watchChanges({ lease, strategies }: Snapshot, memory: AccountMemory, interval: Millis) {
  const { account, now } = lease;
  const before = new Set(memory.unwatched);
  const late = strategies.map((strategy) => ({
    one: strategy,
    millis: unwatchedFor(strategy, { memory, now, interval }),
  }));
  const unwatched = late.filter(({ millis }) => millis > 0).map(({ one: strategy }) => strategy.id);
  const events = late.flatMap(({ one: { id, symbol }, millis }): Event[] => {
    if (millis > 0 === before.has(id)) return [];
    const message = millis > 0 ? messageAt(symbol, memory, now) : "the stop price is watched again";
    return [{ account, strategy: id, at: now, kind: "watch", message }];
  });
  return { events, unwatched: unwatched.length === 0 && before.size === 0 ? undefined : unwatched };
}

/** Returns the notice for a strategy's status. */
export function watchNotices({ strategy, memory, now }: StrategyView, interval: Millis) {
  return unwatchedFor(strategy, { memory, now, interval }) > 0
    ? [{ code: "stop_price_unwatched", message: messageAt(strategy.symbol, memory, now) }]
    : [];
}

/** Number of intervals without a complete pass that count as stalled. */
const STALLED_INTERVALS = 3;
/** Minimum duration, because with very short intervals one slow response takes several of them. */
const MIN_STALLED_MS: Millis = 10 * SECOND;
/** Minimum duration while passes fail or wait for calls, because they are retried automatically. */
const MIN_STALLED_WHILE_RETRIED_MS: Millis = MINUTE;

/** Returns the interval of an account's passes: that of the last pass, else this process's, else one minute. */
const paceOf = ({ memory }: StrategyView, interval: Millis | undefined): Millis =>
  memory.interval ?? interval ?? MINUTE;

/**
 * Returns how long a waiting strategy's account has had no complete pass, so no fill is booked and no order is placed;
 * 0 while the delay is normal.
 */
export function stalledFor(view: StrategyView, interval: Millis | undefined): Millis {
  const { strategy, steppedAt, now, memory, accountError } = view;
  if (strategy.status === "stopped" || steppedAt === null) return 0;
  const isTried = accountError !== null || memory.turn > 0;
  const most = Math.max(
    isTried ? MIN_STALLED_WHILE_RETRIED_MS : MIN_STALLED_MS,
    STALLED_INTERVALS * paceOf(view, interval),
  );
  const away = timeGap(steppedAt, now);
  return away > most ? away : 0;
}

/** Returns the notice for a strategy's status. */
export function stalledNotices(view: StrategyView, interval: Millis | undefined) {
  return stalledFor(view, interval) > 0 ? [{ code: "stalled", message: stalledMessage(view) }] : [];
}

function stalledMessage({ accountError, strategy, steppedAt, now }: StrategyView): string {
  const { exchange } = parseAccountKey(strategy.account);
  const since = `no pass over ${exchange} has been complete ${formatSince(steppedAt ?? now, now)}`;
  return accountError === null
    ? `${since}: its fills are not booked and no orders are placed; start \`edgemaker serve\`, or check the log of the server`
    : `${since}: ${accountError}; its fills are not booked and no orders are placed until a pass is complete`;
}
