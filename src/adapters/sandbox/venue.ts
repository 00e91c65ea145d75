import { type Decimal, text, ZERO } from "../../kernel/decimal.ts";
import { AppError, VenueError } from "../../kernel/errors.ts";
import { hashText, mixHash, pseudorandomShare } from "../../kernel/hash.ts";
import type { Pair } from "../../kernel/pair.ts";
import { DAY, MINUTE, type Millis, SECOND } from "../../kernel/time.ts";
import { type Arrival, applied, type BookChange, type BookedOrder, isOpen } from "../../market/matching.ts";
import type { AccountRef } from "../../model/account.ts";
import type { Book, BookLevel, Candle, Market, Side, Ticker, Trade, Whole } from "../../model/market.ts";
import { type NewOrder, takes } from "../../model/order.ts";
import type { CandleRange, Timing, Venue } from "../../ports/venue.ts";
import type { Local } from "../../ports/within-time.ts";
import { type BookMoment, type Books, type BooksReading, bookedVenue, type Pricing } from "./booked-venue.ts";
import { emptySide, faultyBook, meetsNobody, readDespiteFault, shownTime } from "./faults.ts";
import type { Shocks } from "./listings.ts";
import { type MarketClock, marketTime } from "./market-clock.ts";
import { fillResting, type ListedPath, type MatchingRules, type PricePath } from "./matching.ts";

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
  backoff: { first: SECOND, max: SECOND },
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
  /** Delays the answers of a slow exchange. */
  readonly sleep: Local["sleep"];
}

interface BooksMoment extends BookMoment, Pick<BooksReading, "fault"> {
  readonly listed: (symbol: Pair) => ListedPath;
}

/** A simulated venue; its prices are a function of market time. */
export function simulatedVenue(simulation: Simulation): Venue {
  const { account, books, timing } = simulation;
  const exchange = account.exchange;
  const withMarket = async <T>(
    symbol: Pair,
    read: (listed: ListedPath, at: Millis, empty?: "bids" | "asks") => T,
  ): Promise<T> => {
    const when = await readDespiteFault(exchange, simulation.sleep, () => books.time(exchange));
    const at = shownTime(when.fault, simulatedNow(simulation, when, when.settledAt));
    return read(listing(simulation, symbol, when.shocks), at, emptySide(when.fault));
  };
  const pricing: Pricing<BooksMoment> = {
    look: () => lookAtBooks(simulation),
    settlement: (moment) => settlementAlongPath(simulation, moment),
    arrival,
  };

  return {
    ...bookedVenue({ account, timing, books, key: exchange, pricing }),
    market: async (symbol) => listing(simulation, symbol, {}).market,
    ticker: (symbol) =>
      withMarket(symbol, ({ market, path }, at, empty) => {
        if (empty) throw new VenueError("unavailable", `${exchange} has no ${empty} for ${symbol}`);
        return tickerAt(market, path, at);
      }),
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
  const { account, sleep } = simulation;
  const when = await readDespiteFault(account.exchange, sleep, () => simulation.books.load(account.exchange));
  const { books, now, shocks, fault } = when;
  const listed = (symbol: Pair) => listing(simulation, symbol, shocks);
  return { books, now, listed, fault, at: simulatedNow(simulation, when, books.settledAt) };
}

/** Returns other people's depth and the account's open orders, after matching them with the price up to now. */
async function bookNow(simulation: Simulation, symbol: Pair, limit: number): Promise<Book> {
  const moment = await lookAtBooks(simulation);
  const change = settlementAlongPath(simulation, moment);
  const { open } = change ? applied(moment.books, change) : moment.books;
  const { market, path } = moment.listed(symbol);
  const shown = shownTime(moment.fault, moment.at);
  const others = depthAt(market, path.at(shown), shown, limit);
  // Orders that the price has passed fill part by part, so the book is never crossed meanwhile.
  const own = open.filter(
    (order) => order.symbol === symbol && isOpen(order) && !takes(order, bestPricesIn(others)),
  );
  return faultyBook(withResting(others, own, limit), moment.fault, moment.at);
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

function arrival({ listed, at, fault }: BooksMoment, { symbol, side }: NewOrder): Arrival {
  const { market, path } = listed(symbol);
  const other = { side: side === "buy" ? "sell" : "buy", limit: MAX_SIMULATED_LEVELS } as const;
  return { market, levels: meetsNobody(fault, side) ? [] : levelsAt(market, path.at(at), at, other), at };
}

/** Depth changes once per second of market time. */
const REFRESH: Millis = 1000;
const HALF_SPREAD = 0.00005;
const LEVEL_STEP = 0.0001;
/** Average quote at a level; deeper levels have more. */
const NOTIONAL = 4000;
export const MAX_SIMULATED_LEVELS = 200;

/** Returns the order book around a price in ticks; it depends only on its arguments. */
export const depthAt = (market: Market, ticks: number, at: Millis, limit: number): Book => ({
  bids: [...levelsAt(market, ticks, at, { side: "buy", limit })],
  asks: [...levelsAt(market, ticks, at, { side: "sell", limit })],
  at,
});

/** Yields one side of it, best first; a level is computed when it is read, because most orders meet none. */
function* levelsAt(
  market: Market,
  ticks: number,
  at: Millis,
  { side, limit }: { readonly side: Side; readonly limit: number },
): Generator<BookLevel> {
  const direction = side === "buy" ? -1 : 1;
  const hash = mixHash(hashText(market.symbol), Math.floor(at / REFRESH));
  const half = Math.max(1, Math.round(ticks * HALF_SPREAD));
  const step = Math.max(1, Math.round(ticks * LEVEL_STEP));
  for (let index = 0; index < Math.min(limit, MAX_SIMULATED_LEVELS); index++) {
    const level = ticks + direction * (half + index * step);
    if (level <= 0) return;
    const notional =
      NOTIONAL * (0.25 + index / 20) * (0.5 + pseudorandomShare(hash, direction * (index + 1)));
    yield { price: BigInt(level) * market.tick, amount: lots(market, level, notional) };
  }
}

function lots({ tick, lot }: Market, ticks: number, notional: number): Decimal {
  const price = ticks * (Number(tick) / 1e18);
  const count = Math.max(1, Math.floor(notional / price / (Number(lot) / 1e18)));
  return BigInt(count) * lot;
}

/** Returns the public book, including an account's open orders, level by level. */
export function withResting({ bids, asks, at }: Book, open: readonly BookedOrder[], limit: number): Book {
  const side = (levels: readonly BookLevel[], which: Side): BookLevel[] => {
    const amounts = new Map(levels.map(({ price, amount }) => [price, amount]));
    for (const { side: own, price, amount, filled } of open)
      if (own === which) amounts.set(price, (amounts.get(price) ?? 0n) + amount - filled);
    const better = which === "buy" ? (a: Decimal, b: Decimal) => a > b : (a: Decimal, b: Decimal) => a < b;
    const sorted = [...amounts].sort(([a], [b]) => (better(a, b) ? -1 : 1));
    return sorted.slice(0, limit).map(([price, amount]) => ({ price, amount }));
  };
  return { bids: side(bids, "buy"), asks: side(asks, "sell"), at };
}

const BETWEEN_TRADES = 3 * SECOND;

export function tickerAt(market: Market, path: PricePath, at: Millis): Whole<Ticker> {
  const ticks = path.at(at);
  const { bids, asks } = depthAt(market, ticks, at, 1);
  const last = BigInt(ticks) * market.tick;
  const volume = path.volume(at - DAY, at);
  const bid = bids[0]?.price ?? market.tick;
  const ask = asks[0]?.price ?? last + market.tick;
  return {
    last,
    bid,
    ask,
    at,
    baseVolume: toLots(market, volume),
    quoteVolume: (toLots(market, volume) * last) / 10n ** 18n,
  };
}

/** Returns the newest public trades up to a time, newest first. */
export function tradesAt(market: Market, path: PricePath, at: Millis, limit: number): Trade[] {
  const hash = hashText(market.symbol);
  const newest = Math.floor(at / BETWEEN_TRADES);
  return Array.from({ length: limit }, (_, back) => {
    const index = newest - back;
    const time = index * BETWEEN_TRADES;
    const draw = pseudorandomShare(mixHash(hash, 1), index);
    return {
      id: String(index),
      price: BigInt(path.at(time)) * market.tick,
      amount: toLots(market, (path.volume(time - BETWEEN_TRADES, time) || 0.001) * (0.5 + draw)),
      side: pseudorandomShare(mixHash(hash, 2), index) < 0.5 ? "buy" : "sell",
      at: time,
    };
  });
}

/** Returns candles in ascending order; the last one is incomplete. */
export function candlesAt(
  market: Market,
  path: PricePath,
  at: Millis,
  { span, limit, since }: CandleRange,
): Whole<Candle>[] {
  const newest = Math.floor(at / span);
  const first = since === undefined ? newest - limit + 1 : Math.ceil(since / span);
  const count = Math.max(0, Math.min(limit, newest - first + 1));
  return Array.from({ length: count }, (_, index) => {
    const from = (first + index) * span;
    return candle(market, path, from, Math.min(from + span, at + 1));
  });
}

function candle(market: Market, path: PricePath, from: Millis, to: Millis): Whole<Candle> {
  const prices = [path.at(from), ...path.inside(from, to), path.at(to - 1)];
  const price = (ticks: number): Decimal => BigInt(ticks) * market.tick;
  return {
    at: from,
    open: price(prices[0] as number),
    high: price(Math.max(...prices)),
    low: price(Math.min(...prices)),
    close: price(prices.at(-1) as number),
    volume: toLots(market, path.volume(from, to)),
  };
}

const toLots = ({ lot }: Market, amount: number): Decimal =>
  BigInt(Math.max(1, Math.floor(amount / (Number(lot) / 1e18)))) * lot;

/** Actions of a person on a simulated venue outside the API. */
const PERSON_TRIES = 50;

/** Adds to a balance, or withdraws from the free part with a negative amount. Returns the new total. */
export async function deposit(
  books: Books,
  { exchange, asset, amount }: { exchange: string; asset: string; amount: Decimal },
): Promise<Decimal> {
  for (let attempt = 0; attempt < PERSON_TRIES; attempt++) {
    const { books: now } = await books.load(exchange);
    const holding = now.holdings[asset] ?? { total: ZERO, used: ZERO };
    const total = holding.total + amount;
    if (total < holding.used)
      throw new AppError("Invalid amount", `only ${text(holding.total - holding.used)} ${asset} is free`);
    const change = {
      settledAt: now.settledAt,
      orders: [],
      fills: [],
      holdings: { [asset]: { ...holding, total } },
    };
    if (await books.commit(exchange, now.version, change)) return total;
  }
  throw new AppError("Conflict", "the simulated exchange is too busy: try again");
}
