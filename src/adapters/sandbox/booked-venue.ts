import { messageOf, StoreError, VenueError } from "../../kernel/errors.ts";
import type { Pair } from "../../kernel/pair.ts";
import type { Millis } from "../../kernel/time.ts";
import {
  type Arrival,
  applied,
  type BookChange,
  type BookedFill,
  type BookedOrder,
  cancel,
  place,
  toVenueFill,
  toVenueOrder,
  type VenueBooks,
} from "../../market/matching.ts";
import type { AccountRef } from "../../model/account.ts";
import type { NewOrder } from "../../model/order.ts";
import type { VenueFault } from "../../model/venue-fault.ts";
import type {
  CancelOutcome,
  CreateOutcome,
  MarketData,
  OrderIds,
  Permit,
  Timing,
  Venue,
} from "../../ports/venue.ts";
import type { Shock } from "./matching.ts";

/** A venue's books at one version, with the current prices. */
export interface BookMoment {
  readonly books: VenueBooks;
  /** Protocol time. */
  readonly now: Millis;
  /** Market time. */
  readonly at: Millis;
}

/** Source of the prices that an account's orders meet; the only difference between simulated accounts. */
export interface Pricing<M extends BookMoment> {
  look(): Promise<M>;
  /** Returns what happened to open orders up to this moment; undefined if nothing must be written. */
  settlement(moment: M): BookChange | undefined;
  arrival(moment: M, order: NewOrder): Arrival | Promise<Arrival>;
}

interface Simulated<M extends BookMoment> {
  readonly account: AccountRef;
  readonly timing: Timing;
  readonly books: Books;
  /** Key of the books. */
  readonly key: string;
  readonly pricing: Pricing<M>;
}

const BOOK_TRIES = 50;
const ORDER_IDS: OrderIds = { form: /^\d{1,20}$/, like: "digits, for example 1000000007" };

/** An account on simulated books: each call first matches open orders with the price up to now. */
export function bookedVenue<M extends BookMoment>(simulated: Simulated<M>): Omit<Venue, keyof MarketData> {
  const { account, timing, books, key } = simulated;
  const settled = () => settledMoment(simulated);
  return {
    account,
    orderIds: ORDER_IDS,
    timing,

    async balances() {
      const { books: now } = await settled();
      return Object.entries(now.holdings).map(([asset, { total, used }]) => ({
        asset,
        free: total - used,
        used,
      }));
    },

    async openOrders(symbol) {
      const { books: now } = await settled();
      return now.open.filter((order) => symbol === undefined || order.symbol === symbol).map(toVenueOrder);
    },

    async order({ symbol, ...one }) {
      await settled();
      const found = await readBooks(books.order(key, one));
      return found && found.symbol === symbol ? toVenueOrder(found) : undefined;
    },

    async fills(symbol, { from, to }) {
      const { at } = await settled();
      const end = to ?? at;
      const found = await readBooks(books.fills(key, symbol, from));
      const fills = found.filter(({ at: made }) => to === undefined || made < to).map(toVenueFill);
      return { fills, unreadable: [], covered: { from, to: end }, now: at };
    },

    async fillsOf(symbol, orderIds, since) {
      await settled();
      const found = await readBooks(books.fills(key, symbol, since));
      return {
        fills: found.filter(({ orderId }) => orderIds.includes(orderId)).map(toVenueFill),
        unreadable: [],
      };
    },

    create: (order, permit) => createInBooks(simulated, order, permit),
    cancel: (order, permit) => cancelOne(simulated, order, permit),
  };
}

async function settledMoment<M extends BookMoment>({ books, key, pricing }: Simulated<M>): Promise<M> {
  for (let attempt = 0; attempt < BOOK_TRIES; attempt++) {
    const moment = await pricing.look();
    const change = pricing.settlement(moment);
    if (!change) return moment;
    if (await readBooks(books.commit(key, moment.books.version, change)))
      return { ...moment, books: applied(moment.books, change) };
  }
  throw new VenueError("unavailable", "the simulated exchange is too busy");
}

async function createInBooks<M extends BookMoment>(
  simulated: Simulated<M>,
  order: NewOrder,
  permit: Permit,
): Promise<CreateOutcome> {
  const { books, key, pricing } = simulated;
  for (let attempt = 0; attempt < BOOK_TRIES; attempt++) {
    const moment = await settledMoment(simulated).catch(notReached);
    if (!("books" in moment)) return { result: "not_sent" };
    const arrival = await Promise.resolve(pricing.arrival(moment, order)).catch(notReached);
    if ("failed" in arrival) return { result: "not_sent" };
    await permit.look?.();
    if (!permit.mayLeave()) return { result: "not_sent" };
    if (moment.now > permit.sendBy) return { result: "rejected", reason: "expired before it arrived" };
    const change = place(moment.books, order, arrival);
    if ("rejected" in change)
      return { result: "rejected", reason: change.rejected, wouldTake: change.wouldTake === true };
    try {
      if (await books.commit(key, moment.books.version, change, permit.sendBy))
        return { result: "accepted", id: (change.orders[0] as BookedOrder).id };
    } catch (error) {
      return { result: "unknown", reason: messageOf(error) };
    }
  }
  return { result: "not_sent" };
}

async function cancelOne<M extends BookMoment>(
  simulated: Simulated<M>,
  { id }: { id: string },
  permit: Permit,
): Promise<CancelOutcome> {
  const { books, key } = simulated;
  for (let attempt = 0; attempt < BOOK_TRIES; attempt++) {
    const moment = await settledMoment(simulated).catch(notReached);
    if (!("books" in moment)) return { result: "not_sent" };
    if (!permit.mayLeave()) return { result: "not_sent" };
    const change = cancel(moment.books, id, moment.at);
    if (!change) return { result: "look" };
    try {
      if (await books.commit(key, moment.books.version, change)) return { result: "accepted" };
    } catch (error) {
      return { result: "unknown", reason: messageOf(error) };
    }
  }
  return { result: "not_sent" };
}

/** A write that could not read the books or the price has not happened, whatever the reason. */
const notReached = (error: unknown): { readonly failed: unknown } => {
  if (error instanceof VenueError) return { failed: error };
  throw error;
};

/** Reads the books; failures become VenueErrors. */
export const readBooks = <T>(read: Promise<T>): Promise<T> =>
  read.catch((error: unknown) => {
    if (error instanceof StoreError)
      throw new VenueError("unavailable", "the simulated exchange cannot be reached", { cause: error });
    throw error;
  });

/** Times of a venue's read: protocol time, the time by which passes have advanced, the known price changes, and its fault. */
export interface BooksReading {
  readonly now: Millis;
  readonly passed: Millis;
  readonly shocks: Readonly<Record<string, readonly Shock[]>>;
  readonly fault?: VenueFault | undefined;
}

/** Storage of simulated venues' books. Reads and writes throw StoreError if it is unavailable. */
export interface Books {
  load(exchange: string): Promise<BooksReading & { readonly books: VenueBooks }>;
  /** Returns the part that a price needs. */
  time(exchange: string): Promise<BooksReading & Pick<VenueBooks, "settledAt">>;
  /** Returns false, and writes nothing, if another version was committed first or protocol time has passed `sendBy`. */
  commit(exchange: string, version: number, change: BookChange, sendBy?: Millis): Promise<boolean>;
  /** Returns the newest order with this id or client id, open or not. */
  order(
    exchange: string,
    key: { id?: string | undefined; clientId?: string | undefined },
  ): Promise<BookedOrder | undefined>;
  /** Oldest first. */
  fills(exchange: string, symbol: Pair, since: Millis): Promise<readonly BookedFill[]>;
}
