import type { Pair } from "../../kernel/pair.ts";
import type { Event } from "../../model/events.ts";
import type { Order } from "../../model/order.ts";
import type { Strategy } from "../../model/strategy.ts";
import type { Settlement, Snapshot } from "../../ports/stores/pass-store.ts";
import type { Decision } from "../decide/decide.ts";
import { cancellable } from "../decide/intents.ts";
import { startingAt } from "./observe-orders.ts";

/*
 * Cancels that are sent before anything is read from the exchange. A stop must not depend on trades that cannot be
 * read, so the known cancels go first. Only a lookup shows an order's result, so no state follows from these.
 */

/** Returns whether a strategy cancels its orders to end, which a stop that leaves the orders and sells nothing does not. */
const isLeaving = ({ wants, keepOrders, sellBase, state }: Strategy): boolean =>
  state.exit !== null || (wants === "stop" && (!keepOrders || sellBase));

const isCleared = ({ kill }: Snapshot): boolean => kill.on && kill.cancels;

/** Returns whether a strategy leaves the market, or orders wait for their cancel. Such a pass is urgent. */
export const isStopping = (snapshot: Snapshot): boolean =>
  (isCleared(snapshot) && (snapshot.kill.sells || cancellable(snapshot.orders).length > 0)) ||
  leavingStrategies(snapshot).length > 0;

/** Returns the strategies that leave the market and can do so now; one that cannot leaves the calls to others. */
export function leavingStrategies({ strategies, orders, kill }: Snapshot): readonly Strategy[] {
  const leaving = strategies.filter(isLeaving);
  if (leaving.length === 0) return leaving;
  const isRefused = ({ kind, state }: Order) => kind === "exit" && state === "rejected";
  const refused = new Set(orders.filter(isRefused).map(({ strategy }) => strategy));
  const waiting = new Set(orders.filter((order) => !isRefused(order)).map(({ strategy }) => strategy));
  /** Nothing is left but a sale that cannot happen now: retried, but not with the calls of others. */
  const isBlocked = ({ id, wants, state }: Strategy): boolean =>
    !waiting.has(id) &&
    (refused.has(id) || state.closedSince !== undefined || wants === "pause" || (kill.on && !kill.sells));
  return leaving.filter((strategy) => !isBlocked(strategy));
}

export const leavingPairs = (snapshot: Snapshot): ReadonlySet<Pair> =>
  new Set(leavingStrategies(snapshot).map(({ symbol }) => symbol));

/** Returns whether a strategy sells its base now. */
export const sellsBase = ({ wants, sellBase, state }: Strategy): boolean =>
  (state.exit !== null && !state.exit.keeps) || (wants === "stop" && sellBase);

/**
 * Returns urgent cancels, at most half of a pass's calls: a pass must also read to make progress. If that cannot read
 * their results, the next pass cancels other orders.
 */
export function urgentCancels(snapshot: Snapshot, calls: number): Order[] {
  const { strategies, orders, memory, failures } = snapshot;
  const most = Math.floor(Math.max(0, calls) / 2);
  const leaving = new Set(strategies.filter(isLeaving).map(({ id }) => id));
  const isRequested = ({ strategy }: Order) =>
    isCleared(snapshot) || (strategy !== null && leaving.has(strategy));
  return startingAt(cancellable(orders.filter(isRequested)), (memory.turn + failures) * most).slice(0, most);
}

/** Event for cancels whose result the pass could not read; once per stop. */
export function unread(
  { strategies, failures, lease: { now } }: Snapshot,
  requests: readonly Order[],
  why: string,
): Pick<Settlement, "events" | "phases"> {
  const mine = ({ id }: Strategy) => requests.filter(({ strategy }) => strategy === id).length;
  const results = strategies.filter((strategy) => isLeaving(strategy) && mine(strategy) > 0);
  const event = (strategy: Strategy): Event => ({
    account: strategy.account,
    strategy: strategy.id,
    at: now,
    kind: "error",
    message: `${mine(strategy)} cancels were sent, then reading failed: ${why}`,
  });
  return {
    events: results.filter(({ phase }) => phase !== "stopping" || failures === 0).map(event),
    phases: results.map(({ id }) => ({ id, phase: "stopping" })),
  };
}

type Owned = readonly Pick<Order, "strategy">[];

/**
 * Returns whether a strategy has begun to leave the market, or cancels its orders, so that the next pass can sell. After
 * a sale the next pass waits for its round: the book needs time, because each further sale is cheaper.
 */
export function leavesWith(
  { strategies }: Snapshot,
  { changes }: Decision,
  { cancels, creates }: { readonly cancels: Owned; readonly creates: Owned },
): boolean {
  const leaving = new Set(strategies.filter(isLeaving).map(({ id }) => id));
  const isOfLeaving = ({ strategy }: Owned[number]) => strategy !== null && leaving.has(strategy);
  const begins = changes.some(({ strategy }) => strategy?.state.exit && !leaving.has(strategy.id));
  return begins || (cancels.some(isOfLeaving) && !creates.some(isOfLeaving));
}
