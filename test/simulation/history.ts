import type { Books } from "../../src/adapters/sandbox/booked-venue.ts";
import { hashText, pseudorandomShare } from "../../src/kernel/hash.ts";
import {
  applied,
  type BookChange,
  type BookedBalance,
  type BookedFill,
  type BookedOrder,
  isOpen,
  type VenueBooks,
} from "../../src/market/matching.ts";

export interface Committed {
  readonly exchange: string;
  readonly before: VenueBooks;
  readonly change: BookChange;
}

/** When a trade is shown: most at once, some late, some never. */
export type Delay = (fillId: string) => number;

const MINUTE = 60_000;
/** Longer than any run. */
const NEVER = 1e12;

export const promptTrades: Delay = () => 0;

/** Of all trades a tenth is late, or another share. */
export const lateTrades =
  (seed: number, lateShare = 0.1): Delay =>
  (id) => {
    const draw = 1 - (1 - pseudorandomShare(hashText(id), seed)) * (0.1 / lateShare);
    if (draw < 0.9) return 0;
    if (draw < 0.96) return (draw - 0.9) * 1000 * 1000;
    return draw < 0.99 ? MINUTE + (draw - 0.96) * 30_000 * 1000 : NEVER;
  };

/** A venue's books as they were: for reads that lag behind. */
export interface Past {
  open(exchange: string, at: number): readonly BookedOrder[];
  order(
    exchange: string,
    key: { id?: string | undefined; clientId?: string | undefined },
    at: number,
  ): BookedOrder | undefined;
  fills(exchange: string, symbol: string, since: number, at: number): readonly BookedFill[];
  /** Orders that had ended by then and were placed since a time, newest first. */
  ended(exchange: string, symbol: string, since: number, at: number): readonly BookedOrder[];
  holdings(exchange: string, at: number): Readonly<Record<string, BookedBalance>>;
}

interface Version<T> {
  readonly at: number;
  readonly value: T;
}

interface Shelf {
  books: Version<VenueBooks>[];
  readonly orders: Map<string, Version<BookedOrder>[]>;
  readonly byClientId: Map<string, string>;
  /** At which time each is shown. */
  readonly fills: Version<BookedFill>[];
  effects: number;
}

const asOf = <T>(versions: readonly Version<T>[], at: number): T | undefined => {
  for (let place = versions.length - 1; place >= 0; place--) {
    const version = versions[place] as Version<T>;
    if (version.at <= at) return version.value;
  }
  return undefined;
};

export interface HistoryOptions {
  readonly now: () => number;
  readonly start: number;
  readonly holdings: Readonly<Record<string, BookedBalance>>;
  readonly delay: Delay;
  /** Trades made after it are shown at once. */
  readonly quietAt: number;
  /** How far back reads may look. */
  readonly memory: number;
}

/** Books in memory that remember, and tell of each commit. */
export function historyBooks(
  { now, start, holdings, delay, quietAt, memory }: HistoryOptions,
  report: (committed: Committed) => void,
) {
  const shelves = new Map<string, Shelf>();
  const shelf = (exchange: string): Shelf => {
    const found = shelves.get(exchange);
    if (found) return found;
    const first: VenueBooks = { version: 1, settledAt: start, open: [], holdings };
    const made: Shelf = {
      books: [{ at: start, value: first }],
      orders: new Map(),
      byClientId: new Map(),
      fills: [],
      effects: 0,
    };
    shelves.set(exchange, made);
    return made;
  };
  const latest = ({ books }: Shelf): VenueBooks => (books.at(-1) as Version<VenueBooks>).value;

  const books: Books = {
    load: async (exchange) => ({ books: latest(shelf(exchange)), shocks: {}, passed: 0, now: now() }),
    time: async (exchange) => ({
      settledAt: latest(shelf(exchange)).settledAt,
      shocks: {},
      passed: 0,
      now: now(),
    }),
    async commit(exchange, version, change, sendBy) {
      const place = shelf(exchange);
      const before = latest(place);
      if (before.version !== version || (sendBy !== undefined && now() > sendBy)) return false;
      place.books.push({ at: now(), value: applied(before, change) });
      if (place.books.length > 64)
        // The newest of those before `memory` is still shown by the oldest read.
        place.books = place.books.filter((_, i, all) => (all[i + 1]?.at ?? now()) >= now() - memory);
      for (const order of change.orders) {
        place.orders.set(order.id, [...(place.orders.get(order.id) ?? []), { at: now(), value: order }]);
        place.byClientId.set(order.clientId, order.id);
      }
      const at = now();
      const shownAt = (id: string) => at + (at < quietAt ? delay(id) : 0);
      for (const fill of change.fills) place.fills.push({ at: shownAt(fill.id), value: fill });
      // Every four hours without a change, the exchange records its time alone.
      if (change.orders.length + change.fills.length + Object.keys(change.holdings).length > 0)
        place.effects++;
      report({ exchange, before, change });
      return true;
    },
    order: async (exchange, key) => past.order(exchange, key, now()),
    fills: async (exchange, symbol, since) => past.fills(exchange, symbol, since, now()),
  };

  const past: Past = {
    open: (exchange, at) => asOf(shelf(exchange).books, at)?.open ?? [],
    // Before its first moment the account held what it began with.
    holdings: (exchange, at) => asOf(shelf(exchange).books, at)?.holdings ?? holdings,
    order(exchange, { id, clientId }, at) {
      const place = shelf(exchange);
      return asOf(place.orders.get(id ?? place.byClientId.get(clientId ?? "") ?? "") ?? [], at);
    },
    ended: (exchange, symbol, since, at) =>
      [...shelf(exchange).orders.values()]
        .flatMap((versions) => asOf(versions, at) ?? [])
        .filter((order) => order.symbol === symbol && order.at >= since && !isOpen(order))
        .sort((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1)),
    fills: (exchange, symbol, since, at) =>
      shelf(exchange)
        .fills.filter(
          ({ at: shownAt, value }) => value.symbol === symbol && value.at >= since && shownAt <= at,
        )
        .map(({ value }) => value),
  };
  return {
    books,
    past,
    latest: (exchange: string) => latest(shelf(exchange)),
    /** Number of commits that changed an order, a trade or a balance. */
    effects: (exchange: string) => shelf(exchange).effects,
    allFills: (exchange: string) => shelf(exchange).fills.map(({ value }) => value),
  };
}
