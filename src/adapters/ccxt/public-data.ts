import { AppError } from "../../errors.ts";
import type { Pair } from "../../kernel/pair.ts";
import { DAY, HOUR, MINUTE } from "../../kernel/time.ts";
import type { CandleRange, MarketData, Ticker } from "../../ports.ts";
import type { Ccxt, Dict } from "./ccxt.ts";
import type { Place } from "./place.ts";
import { bookOf, candleOf, tickerOf, tradeOf } from "./reading.ts";
import { venueErrorOf } from "./venue-error.ts";

const FRAMES: Readonly<Record<number, string>> = {
  [MINUTE]: "1m",
  [5 * MINUTE]: "5m",
  [15 * MINUTE]: "15m",
  [30 * MINUTE]: "30m",
  [HOUR]: "1h",
  [4 * HOUR]: "4h",
  [DAY]: "1d",
  [7 * DAY]: "1w",
};

/** The most that an operation asks for: one answer then serves every smaller question. */
const MOST_LEVELS = 100;

export type PublicData = Omit<MarketData, "market"> & {
  /** A ticker that nobody else has asked for. */
  quote(symbol: Pair): Promise<Ticker>;
};

/** Public data, asked without keys. */
export function publicData(place: Place): PublicData {
  const { quirks, reads, clock } = place;
  const shared = <T>(name: string, symbol: Pair, call: (exchange: Ccxt) => Promise<T>): Promise<T> =>
    reads.read(`${name} ${symbol}`, () => ask(place, symbol, call));
  const askTicker = async (exchange: Ccxt, symbol: Pair) =>
    tickerOf(await exchange.fetchTicker(symbol), clock());

  return {
    quote: (symbol) => ask(place, symbol, (exchange) => askTicker(exchange, symbol)),
    ticker: (symbol) => shared("ticker", symbol, (exchange) => askTicker(exchange, symbol)),

    async book(symbol, limit) {
      const book = await shared("book", symbol, async (exchange) =>
        bookOf(await exchange.fetchOrderBook(symbol, quirks.bookLevels), MOST_LEVELS, clock()),
      );
      return { ...book, bids: book.bids.slice(0, limit), asks: book.asks.slice(0, limit) };
    },

    async trades(symbol, limit) {
      const trades = await shared("trades", symbol, async (exchange) => {
        const told = await exchange.fetchTrades(symbol, undefined, quirks.publicTrades);
        return told.map(tradeOf).sort((a, b) => b.at - a.at);
      });
      return trades.slice(0, limit);
    },

    candles: (symbol, range) =>
      shared(`candles ${range.span} ${range.limit} ${range.since}`, symbol, async (exchange) => {
        const { since, limit } = range;
        const rows = await exchange.fetchOHLCV(symbol, frameOf(range), firstOf(range), limit);
        const candles = rows.map(candleOf).sort((a, b) => a.at - b.at);
        return since === undefined
          ? candles.slice(-limit)
          : candles.filter(({ at }) => at >= since).slice(0, limit);
      }),
  };
}

async function ask<T>(place: Place, symbol: Pair, call: (exchange: Ccxt) => Promise<T>): Promise<T> {
  try {
    const market: Dict = await place.catalog.known(symbol);
    return await call(await place.publicly(market));
  } catch (error) {
    throw venueErrorOf(error, place.quirks);
  }
}

// From the middle of a candle some exchanges count one less. Weeks do not begin where a multiple of them does.
const firstOf = ({ span, since }: CandleRange): number | undefined =>
  since === undefined || span > DAY ? since : Math.ceil(since / span) * span;

function frameOf({ span }: CandleRange): string {
  const frame = FRAMES[span];
  if (!frame) throw new AppError("Invalid request", "there are no candles of this span");
  return frame;
}
