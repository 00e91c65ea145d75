/** The exchanges that a process is configured for, and other sources of their prices. */

import type { Decimal } from "../kernel/decimal.ts";
import type { Pair } from "../kernel/pair.ts";
import type { Millis } from "../kernel/time.ts";
import type { AccountRef, Balance } from "../model/account.ts";
import type { Candle } from "../model/market.ts";
import type { CandleRange, Dex, ExchangeInfo, Keys, Reference, Venue } from "./venue.ts";

export interface ConfiguredExchanges {
  readonly exchanges: readonly ExchangeInfo[];
  /** Returns the venue of a configured exchange id, with the server's keys or with the given keys. */
  readonly venue: (exchange: string, keys?: Keys) => Venue;
  /** Returns the venue of a stored account; undefined if this process has no configuration for it. */
  readonly venueOf: (account: AccountRef) => Venue | undefined;
  /** Paper trading; absent if it is disabled. */
  readonly dry?: DryRuns;
  /** Returns the market time of an account at a protocol time. They are equal on real exchanges. */
  readonly marketTime: (account: AccountRef, now: Millis) => Millis;
}

/** Prices of other exchanges and the chain that strategies use. */
export interface OtherPrices {
  /** Reads a pair's price from other exchanges and the chain; absent without other sources. */
  readonly reference?: (exchange: string, symbol: Pair) => Promise<Reference>;
  /** Reads candles of another exchange. Throws VenueError, and AppError if it is not configured. */
  readonly candlesAt?: (exchange: string, symbol: Pair, range: CandleRange) => Promise<readonly Candle[]>;
}

/** Public reads that anyone can request. */
export interface PublicReads {
  readonly dex: Dex;
  /** Applies a time limit to an external read. On timeout, throws VenueError with the name of the source. */
  readonly inTime: <T>(who: string, read: () => Promise<T>) => Promise<T>;
}

/** Paper trading accounts, one per exchange, with public prices, simulated fills and separate balances. */
export interface DryRuns {
  venue(exchange: string): Venue;
  /** Returns its balances, or those after a start with these balances; the default is 10,000 of `quote`. */
  balances(exchange: string, first: DryBalances): Promise<readonly Balance[]>;
  /** Creates the account or sets its balances. Throws AppError while it has open orders. */
  fund(exchange: string, first: DryBalances): Promise<void>;
}

export interface DryBalances {
  readonly given: Readonly<Record<string, Decimal>> | undefined;
  readonly quote: string;
}
