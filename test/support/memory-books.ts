import type { Books } from "../../src/adapters/sandbox/booked-venue.ts";
import type { Shock } from "../../src/adapters/sandbox/matching.ts";
import type { Millis } from "../../src/kernel/time.ts";
import {
  applied,
  type BookedBalance,
  type BookedFill,
  type BookedOrder,
  type VenueBooks,
} from "../../src/market/matching.ts";

interface Shelf {
  books: VenueBooks;
  readonly orders: Map<string, BookedOrder>;
  readonly fills: BookedFill[];
}

/** Books that live as long as the process: for simulations. Same behaviour as the ones in libSQL. */
export function memoryBooks(
  now: () => Millis,
  start: { settledAt: Millis; holdings: Readonly<Record<string, BookedBalance>> },
) {
  const shelves = new Map<string, Shelf>();
  const shocks: Record<string, Shock[]> = {};
  const shelf = (exchange: string): Shelf => {
    const found = shelves.get(exchange);
    if (found) return found;
    const made: Shelf = { books: { version: 1, open: [], ...start }, orders: new Map(), fills: [] };
    shelves.set(exchange, made);
    return made;
  };
  const books: Books = {
    load: async (exchange) => ({ books: shelf(exchange).books, shocks, passed: 0, now: now() }),

    time: async (exchange) => ({ settledAt: shelf(exchange).books.settledAt, shocks, passed: 0, now: now() }),

    async commit(exchange, version, change, sendBy) {
      const place = shelf(exchange);
      if (place.books.version !== version || (sendBy !== undefined && now() > sendBy)) return false;
      place.books = applied(place.books, change);
      for (const order of change.orders) place.orders.set(order.id, order);
      place.fills.push(...change.fills);
      return true;
    },

    async order(exchange, { id, clientId }) {
      const { orders } = shelf(exchange);
      return id === undefined
        ? [...orders.values()].findLast((order) => order.clientId === clientId)
        : orders.get(id);
    },

    async fills(exchange, symbol, since) {
      return shelf(exchange).fills.filter((fill) => fill.symbol === symbol && fill.at >= since);
    },
  };
  return { books, shelf, shocks };
}
