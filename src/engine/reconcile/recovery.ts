import { generationNear, parseClientOrderId, serialAt, strategyTag } from "../../kernel/ids.ts";
import { isAhead, type Millis } from "../../kernel/time.ts";
import { NEW_ORDER, type Order } from "../../model/order.ts";
import { EXIT_SLOT, type Strategy, type StrategyState, timeInForceOf } from "../../model/strategy.ts";
import type { Kind } from "../../ports/kind.ts";
import type { Timing, VenueOrder } from "../../ports/venue.ts";

/*
 * A restored database does not know what was placed since its backup, and a trade can arrive for an order that was
 * given up. The open list and the trades show both. A client order id identifies the strategy and the slot, so an
 * unknown order gets its row.
 */

/** Number of skipped generations: the strategy could have been rebuilt since its backup. */
const SKIPPED_GENERATIONS = 100;

/** Returns whether a strategy has not processed the database's epoch yet. */
export const isBehind = ({ state, epoch }: Strategy, now: number): boolean => (state.epoch ?? epoch) !== now;

/** Returns whether everything in progress is visible, but ended orders were not searched yet. */
export const isSearching = ({ state }: Strategy, now: Millis, timing: Timing): boolean =>
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
    return observed.searched && isSearching(strategy, now, timing)
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

/** Returns the time until everything in progress is visible. */
export const longestRecovery = ({ leaseTtl, expiry, skew, readLag }: Timing): Millis =>
  leaseTtl + expiry + skew + readLag;

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
