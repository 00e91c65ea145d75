import { sum, ZERO } from "../../kernel/decimal.ts";
import { UnreadableError } from "../../kernel/errors.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Order } from "../../model/order.ts";
import type { OpenOrderList, UnreadableOrder, Venue, VenueFill, VenueOrder } from "../../ports/venue.ts";
import { isFinal, isLookupDue, listedIn, type OrderReport } from "../reconcile/order-fills.ts";
import { type Budget, callWithinBudget } from "./budget.ts";

interface Looking {
  readonly orders: readonly Order[];
  /** The exchange's list of open orders of their market. */
  readonly open: OpenOrderList;
  /** Their new trades, read after that list. */
  readonly trades: readonly VenueFill[];
  /** Where lookups begin; it changes after a pass that ran out of budget. */
  readonly turn: number;
  /** Protocol time, and that of the last pass that read the trades of their market. */
  readonly now: Millis;
  readonly readAt: Millis | undefined;
}

/**
 * Looks up live orders that are missing from the open list and not filled by their trades, when a lookup is due: many
 * in one call if the exchange supports it.
 */
export async function lookUp(venue: Venue, { orders, open, trades, turn, ...when }: Looking, budget: Budget) {
  const reports = new Map<string, OrderReport>();
  const unreadable: UnreadableOrder[] = [...(open.unreadable ?? [])];
  const gone: Order[] = [];
  const listedAs = listedIn(open);
  for (const order of orders) {
    const listed = listedAs(order) ?? filledByTrades(trades, order);
    if (listed) reports.set(order.clientId, listed);
    else if (!isFinal(order) && isLookupDue(order, when, venue.timing)) gone.push(order);
  }
  for (const [clientId, found] of await lookAtMany(venue, gone, budget)) reports.set(clientId, found);
  for (const order of startingAt(gone, turn).filter(({ clientId }) => !reports.has(clientId))) {
    const { symbol, clientId, exchangeId } = order;
    const key = { symbol, clientId, id: exchangeId ?? undefined };
    const found = await callWithinBudget(
      budget,
      () => unlessUnreadable(() => venue.order(key)),
      order.strategy,
    );
    if (!found) return { reports, unreadable, short: true };
    // An order that cannot be read is unknown: it stays as it was, and is looked up again.
    if (found.answer instanceof UnreadableError)
      unreadable.push({ id: exchangeId, clientId, reason: found.answer.message });
    else reports.set(clientId, found.answer ?? "missing");
  }
  return { reports, unreadable, short: false };
}

/** Returns the error if the exchange's answer cannot be read, so that only this order waits. */
export async function unlessUnreadable<T>(read: () => Promise<T>): Promise<T | UnreadableError> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof UnreadableError) return error;
    throw error;
  }
}

/** Returns the report of an order whose trades add up to its amount: it has filled, whatever a lookup would return. */
function filledByTrades(trades: readonly VenueFill[], order: Order): VenueOrder | undefined {
  const { clientId, strategy, symbol, side, type, price, amount, exchangeId: id, booked, gap } = order;
  // Trades of a gap that was booked from the order itself do not count again.
  if (isFinal(order) || strategy === null || type === "market" || id === null || gap > ZERO) return undefined;
  const traded = sum(trades.filter(({ orderId }) => orderId === id).map((trade) => trade.amount));
  if (booked + traded !== amount) return undefined;
  const sums = { filled: amount, notional: undefined, fees: undefined };
  return { id, clientId, symbol, side, type, price, amount, ...sums, status: "filled", at: order.createdAt };
}

/** Looks up accepted orders in one call; orders that it omits are looked up individually. */
async function lookAtMany(
  venue: Venue,
  gone: readonly Order[],
  budget: Budget,
): Promise<ReadonlyMap<string, VenueOrder>> {
  const { orders } = venue;
  const known = gone.filter(({ exchangeId }) => exchangeId !== null);
  const [first] = known;
  if (!orders || !first || known.length < 2) return new Map();
  const ids = known.map(({ exchangeId }) => exchangeId ?? "");
  const found = await callWithinBudget(budget, () => unlessUnreadable(() => orders(first.symbol, ids)));
  const venueOrders = !found || found.answer instanceof UnreadableError ? [] : found.answer;
  const byId = new Map(venueOrders.map((venueOrder) => [venueOrder.id, venueOrder]));
  return new Map(
    known.flatMap(({ clientId, exchangeId }) => {
      const order = byId.get(exchangeId ?? "");
      return order ? [[clientId, order] as const] : [];
    }),
  );
}

/** Returns the list from another element on; a later turn begins at a later one. */
export function startingAt<T>(list: readonly T[], turn: number): readonly T[] {
  const first = list.length > 0 ? turn % list.length : 0;
  return [...list.slice(first), ...list.slice(0, first)];
}
