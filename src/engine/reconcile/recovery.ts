import { ZERO } from "../../kernel/decimal.ts";
import { generationNear, parseClientOrderId, serialAt, strategyTag } from "../../kernel/ids.ts";
import type { Pair } from "../../kernel/pair.ts";
import { isAhead, type Millis } from "../../kernel/time.ts";
import { NEW_ORDER, type Order } from "../../model/order.ts";
import { EXIT_SLOT, type Strategy, type StrategyState, timeInForceOf } from "../../model/strategy.ts";
import type { Kind } from "../../ports/kind.ts";
import type { Timing, VenueOrder } from "../../ports/venue.ts";
import { isFinal } from "./order-fills.ts";
import {
  areTradesRequested,
  type Observation,
  type Reconciled,
  reconcileFound,
  settledFromSums,
  wouldBeObserved,
} from "./reconcile.ts";

/*
 * A restored database does not know what was placed since its backup, and a trade can arrive for an order that was
 * given up. The open list and the trades show both. A client order id identifies the strategy and the slot, so an
 * unknown order gets its row.
 */

/** Number of skipped generations: the strategy could have been rebuilt since its backup. */
const SKIPPED_GENERATIONS = 100;

/** Returns whether a strategy has not processed the database's epoch yet. */
export const isBehind = ({ state, epoch }: Strategy, now: number): boolean => (state.epoch ?? epoch) !== now;

/** Returns the time until everything in progress is visible. */
export const longestRecovery = ({ leaseTtl, expiry, skew, readLag }: Timing): Millis =>
  leaseTtl + expiry + skew + readLag;

/** Returns whether everything in progress is visible, but ended orders were not searched yet. */
export const isSearchingEndedOrders = ({ state }: Strategy, now: Millis, timing: Timing): boolean =>
  state.searchSince !== undefined && !isAhead(state.recoversUntil, now, longestRecovery(timing));

/**
 * Processes a new epoch after all trades are read: skips generations, and places nothing until everything in progress
 * is visible.
 */
export function recover(
  strategy: Strategy,
  {
    kind,
    epoch,
    isWaiting,
    now,
    timing,
    observed,
    readAt,
  }: {
    kind: Kind;
    epoch: number;
    isWaiting: boolean;
    now: Millis;
    timing: Timing;
    observed: { readonly tradesRead: boolean; readonly searched?: boolean };
    /** When the restored database last read all trades of the market. */
    readAt: Millis | undefined;
  },
): StrategyState {
  if (isWaiting || !observed.tradesRead) return strategy.state;
  if (!isBehind(strategy, epoch))
    return observed.searched && isSearchingEndedOrders(strategy, now, timing)
      ? searched(strategy.state)
      : strategy.state;
  const since = Math.max(strategy.startedAt, readAt ?? 0);
  const state = kind.skipGenerations(strategy, SKIPPED_GENERATIONS);
  return {
    ...state,
    epoch,
    epochSerial: Math.max(state.serial, serialAt(now)),
    recoversUntil: now + longestRecovery(timing),
    searchSince: Math.min(state.searchSince ?? since, since) - timing.overlap,
  };
}

const searched = ({ searchSince: _searchSince, ...state }: StrategyState): StrategyState => state;

/** Returns the serial of an order, which shows its place among all orders of its strategy. */
export const serialOf = ({ clientId }: Pick<Order, "clientId">): number =>
  parseClientOrderId(clientId)?.serial ?? 0;

/** Returns whether an order on the exchange belongs to a strategy, by the format of its id. */
export const isOfStrategy = ({ clientId }: VenueOrder): boolean =>
  clientId !== undefined && parseClientOrderId(clientId) !== undefined;

/** Returns the row of an order that only the exchange knew; undefined if it belongs to none of the current strategies. */
export function adopted(
  venueOrder: VenueOrder,
  strategies: readonly Strategy[],
  now: Millis,
): Order | undefined {
  const key = parseClientOrderId(venueOrder.clientId ?? "");
  const strategy = strategies.find(({ number }) => strategyTag(number) === key?.tag);
  if (!key || !strategy) return undefined;
  return {
    ...NEW_ORDER,
    clientId: venueOrder.clientId ?? "",
    account: strategy.account,
    strategy: strategy.id,
    kind: key.slot === EXIT_SLOT ? "exit" : "slot",
    generation: generationNear(key.generation, strategy.state.generation),
    slot: key.slot,
    symbol: strategy.symbol,
    side: venueOrder.side,
    type: venueOrder.type,
    price: venueOrder.price,
    amount: venueOrder.amount,
    timeInForce: timeInForceOf(key.slot, strategy.config),
    state: "submitted",
    exchangeId: venueOrder.id,
    createdAt: venueOrder.at,
    sendBy: now,
    notAfter: now,
  };
}

export interface AdoptedOrder {
  /** All orders of the account, including those that only the exchange knew. */
  readonly reconciled: readonly Reconciled[];
  /** An open order of one of these strategies that must wait for its row. */
  readonly orphan: string | null;
  /** An open order of a strategy that this database does not know. */
  readonly stranger: string | null;
  /** When the first waiting order was placed: its market is read again from that time. */
  readonly waiting: ReadonlyMap<Pair, Millis>;
}

/** Creates rows for orders that only the exchange knew, in the order of each slot. */
export function adopt(
  known: readonly Reconciled[],
  strategies: readonly Strategy[],
  observation: Observation,
  now: Millis,
): AdoptedOrder {
  let reconciled = known;
  let orphan: string | null = null;
  let stranger: string | null = null;
  const waiting = new Map(observation.unlooked);
  const found = observation.found.flatMap((venueOrder) => {
    const row = adopted(venueOrder, strategies, now);
    if (!row && isOpen(venueOrder)) stranger = venueOrder.clientId ?? venueOrder.id;
    return row ? [{ venueOrder, row }] : [];
  });
  for (const { venueOrder, row } of found.sort((a, b) => serialOf(a.row) - serialOf(b.row))) {
    const one = reconcileFound(row, venueOrder, observation, now);
    // The next pass queries trades that this pass has not looked for.
    const isWhole = one.order.gap === ZERO || wouldBeObserved(one.order, observation);
    const isNext = venueOrder.at <= knownUntil(observation, row.symbol);
    const after =
      isWhole && isNext ? withAdopted(reconciled, one, { at: venueOrder.at, observation }) : undefined;
    if (after) reconciled = after;
    else {
      waiting.set(row.symbol, Math.min(venueOrder.at, waiting.get(row.symbol) ?? venueOrder.at));
      if (isOpen(venueOrder)) orphan = row.clientId;
    }
  }
  return { reconciled, orphan, stranger, waiting };
}

/** Returns the time until which every trade and its order are known: no trade of an earlier order of a slot can follow. */
function knownUntil({ markets, unlooked }: Observation, symbol: Pair): Millis {
  const { tradesRead = false, reading } = markets.get(symbol) ?? {};
  const read = tradesRead ? Number.POSITIVE_INFINITY : (reading?.from ?? Number.NEGATIVE_INFINITY);
  return Math.min(read, unlooked.get(symbol) ?? Number.POSITIVE_INFINITY);
}

const isOpen = ({ status }: VenueOrder): boolean => status === "open" || status === "partially_filled";

/**
 * Adds an order; returns undefined while another order of its slot is in the way. A later order of a slot proves that
 * the earlier one ended and was booked from its own sums, if its trades are no longer visible.
 */
function withAdopted(
  orders: readonly Reconciled[],
  reconciled: Reconciled,
  { at, observation }: { at: Millis; observation: Observation },
): readonly Reconciled[] | undefined {
  const isBefore = ({ order }: Reconciled) =>
    isSameSlot(order, reconciled.order) && serialOf(order) < serialOf(reconciled.order);
  const after = orders.map((other) =>
    isBefore(other) && isFinal(other.order) && isRequestedInVain(other, observation)
      ? settledFromSums(other, at)
      : other,
  );
  const isBlocked = after.some(
    ({ order }) =>
      !order.settled &&
      isSameSlot(order, reconciled.order) &&
      (!reconciled.order.settled || serialOf(order) < serialOf(reconciled.order)),
  );
  return isBlocked ? undefined : [...after, reconciled];
}

/**
 * Returns whether an order was known to lack trades before this pass, and the pass queried them without success. Only
 * then can trades older than the cursor be distinguished from booked ones.
 */
const isRequestedInVain = ({ before, order }: Reconciled, observation: Observation): boolean =>
  before.filled > before.booked && areTradesRequested(order, observation);

const isSameSlot = (a: Order, b: Order): boolean =>
  a.strategy === b.strategy && a.generation === b.generation && a.slot === b.slot;

/** Finds orders that were given up but are open after all, which means that a timing limit was exceeded. */
export function reopenedOrders({ late, markets }: Observation): Order[] {
  if (late.length === 0) return [];
  const open = new Set([...markets.values()].flatMap((observed) => observed.open.map(({ id }) => id)));
  return late.filter(
    (order) => order.strategy !== null && isFinal(order) && open.has(order.exchangeId ?? ""),
  );
}
