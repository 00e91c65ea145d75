/** Public market data of an exchange. Prices are in quote, amounts in base, times in milliseconds. */
import type { Pair } from "../kernel/pair.ts";
import type { Millis } from "../kernel/time.ts";
import type { Book, Candle, Market, Ticker, Trade } from "../model/market.ts";

/** Public data of one venue. Throws VenueError. */
export interface MarketData {
  market(symbol: Pair): Promise<Market>;
  ticker(symbol: Pair): Promise<Ticker>;
  book(symbol: Pair, limit: number): Promise<Book>;
  trades(symbol: Pair, limit: number): Promise<readonly Trade[]>;
  /**
   * Ascending. With `since`, returns `limit` spans from it; otherwise the newest ones. The last candle can be
   * incomplete.
   */
  candles(symbol: Pair, range: CandleRange): Promise<readonly Candle[]>;
  /** Maximum number of past candles that the exchange returns; absent without a maximum. */
  readonly candleReach?: number | undefined;
}

export interface CandleRange {
  readonly span: Millis;
  readonly limit: number;
  readonly since?: Millis | undefined;
}
