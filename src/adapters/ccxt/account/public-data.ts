import { AppError } from "../../../kernel/errors.ts";
import type { Pair } from "../../../kernel/pair.ts";
import { DAY, HOUR, MINUTE, type Millis } from "../../../kernel/time.ts";
import type { Candle, Ticker } from "../../../model/market.ts";
import type { CandleRange, MarketData } from "../../../ports/market.ts";
import type { Ccxt, Dict } from "../client/ccxt.ts";
import { venueErrorOf } from "../client/venue-error.ts";
import type { Asker, ExchangeLink } from "./exchange-link.ts";
import { bookOf, candleOf, tickerOf, tradeOf } from "./reading.ts";

const CCXT_TIMEFRAMES: Readonly<Record<number, string>> = {
  [MINUTE]: "1m",
  [5 * MINUTE]: "5m",
  [15 * MINUTE]: "15m",
  [30 * MINUTE]: "30m",
  [HOUR]: "1h",
  [4 * HOUR]: "4h",
  [DAY]: "1d",
  [7 * DAY]: "1w",
};

/** Maximum number of levels of any operation, so one response serves every smaller request. */
const MOST_BOOK_LEVELS = 100;
/** Candles are requested in one of these numbers, for the same reason. */
const CANDLES = [100, 300, 1000] as const;

export type PublicData = Omit<MarketData, "market"> & {
  /** Reads a ticker that is not shared with other callers. */
  quote(symbol: Pair): Promise<Ticker>;
};

/** Returns public data, read without keys, for one type of caller. */
export function publicData(link: ExchangeLink, asker: Asker): PublicData {
  const { quirks, reads, clock } = link;
  const market = (symbol: Pair): Promise<Dict> =>
    asker === "anyone" ? link.catalog.forAnyone.known(symbol) : link.catalog.known(symbol);
  const ask = async <T>(symbol: Pair, call: (exchange: Ccxt) => Promise<T>): Promise<T> => {
    try {
      return await call(await link.publicly(await market(symbol)));
    } catch (error) {
      throw venueErrorOf(error, quirks);
    }
  };
  const shared = <T>(
    kind: string,
    symbol: Pair,
    call: (exchange: Ccxt) => Promise<T>,
    part = "",
  ): Promise<T> => reads[asker].read({ kind, about: `${symbol} ${part}` }, () => ask(symbol, call));
  const askTicker = async (exchange: Ccxt, symbol: Pair) =>
    tickerOf(await exchange.fetchTicker(symbol), clock());

  return {
    quote: (symbol) => ask(symbol, (exchange) => askTicker(exchange, symbol)),
    ticker: (symbol) => shared("ticker", symbol, (exchange) => askTicker(exchange, symbol)),

    async book(symbol, limit) {
      const book = await shared("book", symbol, async (exchange) =>
        bookOf(await exchange.fetchOrderBook(symbol, quirks.bookLevels), MOST_BOOK_LEVELS, clock()),
      );
      return { ...book, bids: book.bids.slice(0, limit), asks: book.asks.slice(0, limit) };
    },

    async trades(symbol, limit) {
      const trades = await shared("trades", symbol, async (exchange) => {
        const results = await exchange.fetchTrades(symbol, undefined, quirks.publicTrades);
        return results.map(tradeOf).sort((a, b) => b.at - a.at);
      });
      return trades.slice(0, limit);
    },

    async candles(symbol, range) {
      const { since, limit, span } = range;
      const askFor = (first: number | undefined, count: number) => {
        const most = CANDLES.find((one) => one >= count) ?? count;
        const page = first === undefined ? most : Math.min(most, quirks.candlePage);
        const ask = async (exchange: Ccxt) => {
          const rows = await exchange.fetchOHLCV(symbol, frameOf(range), first, page);
          return rows.map(candleOf).sort((a, b) => a.at - b.at);
        };
        return shared("candles", symbol, ask, `${span} ${page} ${first}`);
      };
      const from = async (start: Millis, most: number) => {
        const found: Candle[] = [];
        const first = firstOf(span, start);
        for (let done = 0; done < most && first + done * span <= clock(); done += quirks.candlePage)
          found.push(...(await askFor(first + done * span, most - done)));
        return apart(found.filter(({ at }) => at >= start)).slice(0, most);
      };
      if (since !== undefined) return from(since, limit);
      const newest = (await askFor(undefined, limit)).slice(-limit);
      return limit > quirks.candlePage && !quirks.candleReach ? withOlder(newest, range, from) : newest;
    },
    candleReach: quirks.candleReach,
  };
}

/** Adds older candles, because mexc returns 500 at most without a time. */
async function withOlder(
  newest: readonly Candle[],
  { limit, span }: CandleRange,
  from: (start: Millis, most: number) => Promise<readonly Candle[]>,
): Promise<Candle[]> {
  let all = [...newest];
  for (let [first] = all; first && all.length < limit; [first] = all) {
    const { at } = first;
    const lacking = limit - all.length;
    const older = (await from(at - lacking * span, lacking)).filter((candle) => candle.at < at);
    if (older.length === 0) break;
    all = [...older, ...all];
  }
  return all;
}

/** Removes duplicates, because some exchanges return more candles than requested, which the next page repeats. */
const apart = (candles: readonly Candle[]): Candle[] =>
  [...new Map(candles.map((candle) => [candle.at, candle])).values()].sort((a, b) => a.at - b.at);

// From the middle of a candle, some exchanges return one candle less. Weeks do not begin at a multiple of a week.
function firstOf(span: Millis, since: Millis): Millis {
  const unit = Math.min(span, DAY);
  return Math.ceil(since / unit) * unit;
}

function frameOf({ span }: CandleRange): string {
  const frame = CCXT_TIMEFRAMES[span];
  if (!frame) throw new AppError("Invalid request", "there are no candles of this length");
  return frame;
}
