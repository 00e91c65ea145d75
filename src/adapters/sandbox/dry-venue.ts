import { ZERO } from "../../kernel/decimal.ts";
import { VenueError } from "../../kernel/errors.ts";
import type { Pair } from "../../kernel/pair.ts";
import { MINUTE, SECOND } from "../../kernel/time.ts";
import {
  type Arrival,
  type BookChange,
  type BookedOrder,
  execute,
  holdingsAfter,
} from "../../market/matching.ts";
import type { AccountRef } from "../../model/account.ts";
import type { BidAsk, Market } from "../../model/market.ts";
import { type NewOrder, takes } from "../../model/order.ts";
import type { MarketData, Timing, Venue } from "../../ports/venue.ts";
import { type BookMoment, type Books, bookedVenue, type Pricing, readBooks } from "./booked-venue.ts";
import { SANDBOX_TIMING, withResting } from "./venue.ts";

/** The books are ours, so requests expire as in the sandbox; the prices come from the exchange. */
const DRY_TIMING: Timing = { ...SANDBOX_TIMING, backoff: { first: 15 * SECOND, max: 5 * MINUTE } };

interface DryAccount {
  readonly account: AccountRef;
  /** Public data of the real exchange, read without keys. */
  readonly data: MarketData;
  readonly books: Books;
}

interface MarketsMoment extends BookMoment {
  readonly markets: ReadonlyMap<Pair, QuotedMarket>;
}

interface QuotedMarket {
  readonly market: Market;
  readonly quote: BidAsk;
}

export const dryKey = ({ exchange }: Pick<AccountRef, "exchange">): string => `dry:${exchange}`;

/**
 * A paper trading account: the exchange's prices, our books. An open order fills completely at its own price after
 * the observed ask or bid has passed it; an order that crosses the market fills on arrival.
 */
export function dryVenue({ account, data, books }: DryAccount): Venue {
  const key = dryKey(account);
  const priced = async (symbol: Pair): Promise<QuotedMarket> => ({
    market: await data.market(symbol),
    quote: await data.ticker(symbol),
  });
  const pricing: Pricing<MarketsMoment> = {
    async look() {
      const { books: now, now: protocol } = await readBooks(books.load(key));
      const symbols = [...new Set(now.open.map(({ symbol }) => symbol))];
      const markets = new Map<Pair, QuotedMarket>();
      const read = symbols.map(async (symbol) => {
        const found = await priced(symbol).catch(unlessRefused);
        if (found) markets.set(symbol, found);
      });
      await Promise.all(read);
      const at = Math.max(now.settledAt, ...[...markets.values()].map(({ quote }) => quote.at));
      return { books: now, now: protocol, at, markets };
    },
    settlement: settlementAtQuotes,
    async arrival(moment, order) {
      const { market, quote } = await priced(order.symbol);
      return arrivalAt(order, market, { ...quote, at: Math.max(moment.at, quote.at) });
    },
  };
  const { market, ticker, trades, candles, candleReach } = data;
  return {
    ...bookedVenue({ account, timing: DRY_TIMING, books, key, pricing }),
    market,
    ticker,
    trades,
    candles,
    candleReach,
    async book(symbol, limit) {
      const [book, { books: now }] = [await data.book(symbol, limit), await readBooks(books.load(key))];
      const best = { bid: book.bids[0]?.price ?? ZERO, ask: book.asks[0]?.price ?? ZERO };
      // An order that others meet stays open until the price passes it, so the book is never locked meanwhile.
      const own = now.open.filter((order) => order.symbol === symbol && !takes(order, best));
      return withResting(book, own, limit);
    },
  };
}

/** Ignores a pair that the exchange does not list or refuses to return: its orders cannot fill. */
function unlessRefused(error: unknown): undefined {
  if (error instanceof VenueError && (error.failure === "unlisted" || error.failure === "refused")) return;
  throw error;
}

function settlementAtQuotes({ books, at, markets }: MarketsMoment): BookChange | undefined {
  const movements = books.open.flatMap((order) => {
    const { market, quote } = markets.get(order.symbol) ?? {};
    if (!market || !quote || !isPassed(order, quote)) return [];
    const amount = order.amount - order.filled;
    const executed = execute(order, market, { price: order.price, amount, rate: market.maker, at: quote.at });
    return [{ market, before: order, after: executed.order, fills: [executed.fill] }];
  });
  if (movements.length === 0) return undefined;
  return {
    settledAt: at,
    orders: movements.map(({ after }) => after),
    fills: movements.flatMap(({ fills }) => fills),
    holdings: holdingsAfter(books.holdings, movements),
  };
}

const isPassed = ({ side, price, meetsFrom }: BookedOrder, { bid, ask, at }: BidAsk): boolean =>
  at >= meetsFrom && (side === "buy" ? ask > ZERO && ask < price : bid > price);

/** Returns one level, deep enough for any order of a grid: the observed ask for a buy, the bid for a sell. */
const arrivalAt = ({ side, amount }: NewOrder, market: Market, { bid, ask, at }: BidAsk): Arrival => {
  const price = side === "buy" ? ask : bid;
  return { market, at, levels: price > ZERO ? [{ price, amount }] : [] };
};
