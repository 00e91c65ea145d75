import { type Decimal, ONE } from "../../kernel/decimal.ts";
import type { Millis } from "../../kernel/time.ts";
import {
  applied,
  type BookChange,
  type BookedOrder,
  toVenueFill,
  toVenueOrder,
  type VenueBooks,
} from "../../market/matching/books.ts";
import { execute, holdingsAfter } from "../../market/matching/executing.ts";
import { cancel, place } from "../../market/matching/placing.ts";
import type { Balance } from "../../model/account.ts";
import type { BookLevel, Market, Quote } from "../../model/market.ts";
import type { NewOrder } from "../../model/order.ts";
import type { VenueFill, VenueOrder } from "../../ports/venue.ts";

/** Reads and actions of a pass on a venue in memory. */
export interface PaperVenue {
  readonly quote: () => Quote;
  readonly place: (order: NewOrder) => Placed;
  readonly cancel: (id: string) => void;
  readonly balances: () => readonly Balance[];
  readonly openOrders: () => readonly VenueOrder[];
  /** Returns an order's current state by our client id. */
  readonly order: (clientId: string) => VenueOrder | undefined;
  /** Removes an ended order that is no longer needed. */
  readonly forget: (clientId: string) => void;
  /** Returns executions since the last call, oldest first. */
  readonly takeFills: () => readonly VenueFill[];
}

export type Placed = { readonly id: string } | { readonly rejected: string; readonly wouldTake?: boolean };

/** More depth than any order needs, so every taker order fills completely. */
export const PLENTY: Decimal = 10n ** 12n * ONE;

export interface PaperAccount extends Omit<PaperVenue, "quote" | "place" | "cancel"> {
  readonly resting: () => readonly BookedOrder[];
  /** Fills an open order at its own price, as maker. */
  readonly fill: (order: BookedOrder, amount: Decimal, at: Millis) => void;
  readonly place: (order: NewOrder, levels: readonly BookLevel[], at: Millis) => Placed;
  readonly cancel: (id: string, at: Millis) => void;
  /** Returns an independent copy of its current state. */
  readonly fork: () => PaperAccount;
}

/** Creates an account with its orders and balances, independent of prices: the caller reports when an order fills. */
export const paperAccount = (
  market: Market,
  { balances, at: settledAt }: { readonly balances: readonly Balance[]; readonly at: Millis },
): PaperAccount => {
  const entries = balances.map(({ asset, free, used }) => [asset, { total: free + used, used }]);
  const books: VenueBooks = { version: 1, settledAt, open: [], holdings: Object.fromEntries(entries) };
  return accountFrom(market, { books, fills: [], orders: new Map() });
};

interface Stood {
  readonly books: VenueBooks;
  readonly fills: readonly VenueFill[];
  readonly orders: ReadonlyMap<string, VenueOrder>;
}

function accountFrom(market: Market, stood: Stood): PaperAccount {
  let { books } = stood;
  let fills = [...stood.fills];
  const orders = new Map(stood.orders);
  const commit = (change: BookChange): void => {
    books = applied(books, change);
    for (const order of change.orders) orders.set(order.clientId, toVenueOrder(order));
    fills.push(...change.fills.map(toVenueFill));
  };
  return {
    resting: (): readonly BookedOrder[] => books.open,
    fork: () => accountFrom(market, { books, fills, orders }),
    fill(order: BookedOrder, amount: Decimal, at: Millis): void {
      const executed = execute(order, market, { price: order.price, amount, rate: market.maker, at });
      const change = { market, before: order, after: executed.order, fills: [executed.fill] };
      commit({
        settledAt: at,
        orders: [executed.order],
        fills: [executed.fill],
        holdings: holdingsAfter(books.holdings, [change]),
      });
    },
    place(order: NewOrder, levels: readonly BookLevel[], at: Millis): Placed {
      const change = place(books, order, { market, levels, at });
      if ("rejected" in change) return change;
      commit(change);
      return { id: (change.orders[0] as BookedOrder).id };
    },
    cancel(id: string, at: Millis): void {
      const change = cancel(books, id, at);
      if (change) commit(change);
    },
    balances: (): readonly Balance[] =>
      Object.entries(books.holdings).map(([asset, { total, used }]) => ({ asset, free: total - used, used })),
    openOrders: (): readonly VenueOrder[] =>
      books.open.map((order) => orders.get(order.clientId) ?? toVenueOrder(order)),
    order: (clientId: string): VenueOrder | undefined => orders.get(clientId),
    forget: (clientId: string): void => void orders.delete(clientId),
    takeFills(): readonly VenueFill[] {
      const newFills = fills;
      fills = [];
      return newFills;
    },
  };
}
