import { ZERO } from "../../kernel/decimal.ts";
import { VenueError } from "../../kernel/errors.ts";
import type { Pair } from "../../kernel/pair.ts";
import { MINUTE, type Millis, SECOND } from "../../kernel/time.ts";
import { applied, type BookChange, isOpen } from "../../market/matching/books.ts";
import type { Arrival } from "../../market/matching/placing.ts";
import type { AccountRef } from "../../model/account.ts";
import type { Book } from "../../model/market.ts";
import type { NewOrder } from "../../model/order.ts";
import { takes } from "../../model/own-orders.ts";
import type { Timing, Venue } from "../../ports/venue.ts";
import { type BookMoment, bookedVenue, type Pricing, readBooks } from "./booked-venue.ts";
import type { Books, BooksReading } from "./books.ts";
import { depthAt, levelsAt, MOST_SIMULATED_LEVELS, withResting } from "./depth.ts";
import type { Shocks } from "./listings.ts";
import { type MarketClock, marketTime } from "./market-clock.ts";
import { fillResting, type ListedPath, type MatchingRules } from "./matching.ts";
import { candlesAt, tickerAt, tradesAt } from "./prints.ts";

/** The venue refuses late requests itself, so nothing arrives after its time and nothing is shown late. */
export const SANDBOX_TIMING: Timing = {
  leaseTtl: 5 * SECOND,
  requestTimeout: 2 * SECOND,
  expiry: 0,
  skew: 0,
  readLag: 0,
  secondMiss: 0,
  overlap: MINUTE,
  tradesEvery: 0,
  backoff: { first: SECOND, most: SECOND },
};

export interface Simulation {
  readonly account: AccountRef;
  /** The real venue that it simulates. */
  readonly venue: string;
  readonly books: Books;
  readonly clock: MarketClock;
  readonly listings: (venue: string, symbol: Pair, shocks: Shocks) => ListedPath | undefined;
  readonly rules: MatchingRules;
  readonly timing: Timing;
}

interface BooksMoment extends BookMoment {
  readonly listed: (symbol: Pair) => ListedPath;
}

/** A simulated venue; its prices are a function of market time. */
export function simulatedVenue(simulation: Simulation): Venue {
  const { account, books, timing } = simulation;
  const exchange = account.exchange;
  const withMarket = async <T>(symbol: Pair, read: (listed: ListedPath, at: Millis) => T): Promise<T> => {
    const when = await readBooks(books.time(exchange));
    return read(listing(simulation, symbol, when.shocks), simulatedNow(simulation, when, when.settledAt));
  };
  const pricing: Pricing<BooksMoment> = {
    look: () => lookAtBooks(simulation),
    settlement: (moment) => settlementAlongPath(simulation, moment),
    arrival,
  };

  return {
    ...bookedVenue({ account, timing, books, key: exchange, pricing }),
    market: async (symbol) => listing(simulation, symbol, {}).market,
    ticker: (symbol) => withMarket(symbol, ({ market, path }, at) => tickerAt(market, path, at)),
    book: (symbol, limit) => bookNow(simulation, symbol, limit),
    trades: (symbol, limit) =>
      withMarket(symbol, ({ market, path }, at) => tradesAt(market, path, at, limit)),
    candles: (symbol, range) =>
      withMarket(symbol, ({ market, path }, at) => candlesAt(market, path, at, range)),
  };
}

function listing({ listings, venue, account }: Simulation, symbol: Pair, shocks: Shocks): ListedPath {
  const found = listings(venue, symbol, shocks);
  if (!found) throw new VenueError("unlisted", `${symbol} is not listed on ${account.exchange}`);
  return found;
}

async function lookAtBooks(simulation: Simulation): Promise<BooksMoment> {
  const when = await readBooks(simulation.books.load(simulation.account.exchange));
  const { books, now, shocks } = when;
  const listed = (symbol: Pair) => listing(simulation, symbol, shocks);
  return { books, now, listed, at: simulatedNow(simulation, when, books.settledAt) };
}

/** Returns other people's depth and the account's open orders, after matching them with the price up to now. */
async function bookNow(simulation: Simulation, symbol: Pair, limit: number): Promise<Book> {
  const moment = await lookAtBooks(simulation);
  const change = settlementAlongPath(simulation, moment);
  const { open } = change ? applied(moment.books, change) : moment.books;
  const { market, path } = moment.listed(symbol);
  const others = depthAt(market, path.at(moment.at), moment.at, limit);
  // Orders that the price has passed fill part by part, so the book is never crossed meanwhile.
  const own = open.filter(
    (order) => order.symbol === symbol && isOpen(order) && !takes(order, bestPricesIn(others)),
  );
  return withResting(others, own, limit);
}

const bestPricesIn = ({ bids, asks }: Book) => ({ bid: bids[0]?.price ?? ZERO, ask: asks[0]?.price ?? ZERO });

// Another process can have settled slightly later than this one read the clock.
const simulatedNow = ({ clock }: Simulation, { now, passed }: BooksReading, settledAt: Millis): Millis =>
  Math.max(marketTime({ ...clock, passed }, now), settledAt);

/** Computing a long path without fills repeatedly costs more than storing that there were none. */
const QUIET: Millis = 240 * MINUTE;

function settlementAlongPath(
  { rules }: Simulation,
  { books, at, listed }: BooksMoment,
): BookChange | undefined {
  const change = fillResting(books, at, (symbol) => listed(symbol as Pair), rules);
  if (change || at - books.settledAt < QUIET) return change;
  return { settledAt: at, orders: [], fills: [], holdings: {} };
}

function arrival({ listed, at }: BooksMoment, { symbol, side }: NewOrder): Arrival {
  const { market, path } = listed(symbol);
  const other = { side: side === "buy" ? "sell" : "buy", limit: MOST_SIMULATED_LEVELS } as const;
  return { market, levels: levelsAt(market, path.at(at), at, other), at };
}
