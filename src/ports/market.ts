/** What everybody is told of a venue's markets. Prices are in quote, amounts in base, times in milliseconds. */
import type { Pair } from "../kernel/pair.ts";
import type { Millis } from "../kernel/time.ts";
import type { Book, Candle, Market, Ticker, Trade } from "../model/market.ts";

/** Public data of one venue. Throws VenueError. */
export interface MarketData {
  market(symbol: Pair): Promise<Market>;
  ticker(symbol: Pair): Promise<Ticker>;
  book(symbol: Pair, limit: number): Promise<Book>;
  trades(symbol: Pair, limit: number): Promise<readonly Trade[]>;
  /** Ascending. With `since` those of the `limit` spans from it on, else the newest; the last may be under way. */
  candles(symbol: Pair, range: CandleRange): Promise<readonly Candle[]>;
  /** Candles back from now, of any span, beyond which the venue tells none; left out where it tells all. */
  readonly candleReach?: number | undefined;
}

export interface CandleRange {
  readonly span: Millis;
  readonly limit: number;
  readonly since?: Millis | undefined;
}
