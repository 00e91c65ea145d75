import { type Decimal, ONE } from "../kernel/decimal.ts";
import type { Millis } from "../kernel/time.ts";
import {
  applied,
  type BookChange,
  type BookedOrder,
  toVenueFill,
  toVenueOrder,
  type VenueBooks,
} from "../market/matching/books.ts";
import { execute, holdingsAfter } from "../market/matching/executing.ts";
import { cancel, place } from "../market/matching/placing.ts";
import type { Balance } from "../model/account.ts";
import type { BookLevel, Market, Quote } from "../model/market.ts";
import type { NewOrder } from "../model/order.ts";
import type { VenueFill, VenueOrder } from "../ports/venue.ts";

/** What a pass reads and does on a venue in memory. */
export interface PaperVenue {
  readonly quote: () => Quote;
  readonly place: (order: NewOrder) => Placed;
  readonly cancel: (id: string) => void;
  readonly balances: () => readonly Balance[];
  readonly openOrders: () => readonly VenueOrder[];
  /** An order as it now stands, by the id that we gave it. */
  readonly order: (clientId: string) => VenueOrder | undefined;
  /** Of an order that has ended nobody asks any more. */
  readonly forget: (clientId: string) => void;
  /** Executions that were not taken yet, oldest first. */
  readonly takeFills: () => readonly VenueFill[];
}

export type Placed = { readonly id: string } | { readonly rejected: string; readonly wouldTake?: boolean };

/** More than anybody asks for: an order that takes finds all that it wants. */
export const PLENTY: Decimal = 10n ** 12n * ONE;

export interface PaperAccount extends Omit<PaperVenue, "quote" | "place" | "cancel"> {
  readonly resting: () => readonly BookedOrder[];
  /** At its own price, as the one that rested. */
  readonly fill: (order: BookedOrder, amount: Decimal, at: Millis) => void;
  readonly place: (order: NewOrder, levels: readonly BookLevel[], at: Millis) => Placed;
  readonly cancel: (id: string, at: Millis) => void;
  /** Another that has come this far, and goes on by itself. */
  readonly fork: () => PaperAccount;
}

/** One account's orders and holdings, whatever the price: when an order fills is told to it. */
export const paperAccount = (
  market: Market,
  { balances, at: settledAt }: { readonly balances: readonly Balance[]; readonly at: Millis },
): PaperAccount => {
  const held = balances.map(({ asset, free, used }) => [asset, { total: free + used, used }]);
  const books: VenueBooks = { version: 1, settledAt, open: [], holdings: Object.fromEntries(held) };
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
      const change = cancel(books, id, { market, at });
      if (change) commit(change);
    },
    balances: (): readonly Balance[] =>
      Object.entries(books.holdings).map(([asset, { total, used }]) => ({ asset, free: total - used, used })),
    openOrders: (): readonly VenueOrder[] =>
      books.open.map((order) => orders.get(order.clientId) ?? toVenueOrder(order)),
    order: (clientId: string): VenueOrder | undefined => orders.get(clientId),
    forget: (clientId: string): void => void orders.delete(clientId),
    takeFills(): readonly VenueFill[] {
      const taken = fills;
      fills = [];
      return taken;
    },
  };
}
