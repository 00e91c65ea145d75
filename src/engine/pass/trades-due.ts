import { max } from "../../kernel/decimal.ts";
import type { Pair } from "../../kernel/pair.ts";
import { ageOf, isAhead } from "../../kernel/time.ts";
import type { Order } from "../../model/order.ts";
import type { Snapshot } from "../../ports/stores/step-store.ts";
import type { Timing, VenueOrder } from "../../ports/venue.ts";
import { isWaitedOut } from "../reconcile/fills.ts";
import { listedIn } from "../reconcile/open-list.ts";
import { isFinal } from "../reconcile/order-life.ts";
import { isBehind, isOfStrategy, longestRecovery } from "../reconcile/recovery.ts";

/**
 * Returns whether a pass reads a market's trades. The open list shows every open order, so if none disappeared and
 * none filled further, there is nothing to book. Trades without an order are found at intervals.
 */
export function tradesAreDue(
  snapshot: Snapshot,
  symbol: Pair,
  open: readonly VenueOrder[],
  timing: Timing,
): boolean {
  const { memory, lease, orders, strategies, epoch } = snapshot;
  const readAt = memory.tradesAt?.[symbol];
  if (readAt === undefined || ageOf(readAt, lease.now) >= timing.tradesEvery) return true;
  // After a restore, the exchange knows more than the rows.
  const recovers = ({ state }: Snapshot["strategies"][number]) =>
    isAhead(state.recoversUntil, lease.now, longestRecovery(timing)) || state.searchSince !== undefined;
  if (
    strategies.some(
      (strategy) => strategy.symbol === symbol && (isBehind(strategy, epoch) || recovers(strategy)),
    )
  )
    return true;
  const known = new Set(orders.map(({ exchangeId }) => exchangeId));
  return (
    open.some((order) => !known.has(order.id) && isOfStrategy(order)) || haveMoved(snapshot, symbol, open)
  );
}

/** Returns whether an order of a strategy has disappeared from the open list, or has filled further. */
export function haveMoved({ orders, lease }: Snapshot, symbol: Pair, open: readonly VenueOrder[]): boolean {
  const listedAs = listedIn(open);
  return orders.some(
    (order) =>
      order.symbol === symbol &&
      order.strategy !== null &&
      !isWaitedOut(order, lease.now) &&
      hasMoved(order, listedAs(order)),
  );
}

function hasMoved(order: Order, listed: VenueOrder | undefined): boolean {
  if (!listed && !isFinal(order)) return true;
  return max(order.filled, listed?.filled ?? order.filled) > order.booked;
}
