/** Data that passes store. Protocol time is the database's clock, market time the exchange's. */
import type { Decimal } from "../kernel/decimal.ts";
import type { VenueFailure } from "../kernel/errors.ts";
import type { Pair } from "../kernel/pair.ts";
import type { Millis } from "../kernel/time.ts";
import type { Balance, UnreadBalance } from "./account.ts";
import type { Candle } from "./market.ts";
import type { MinuteOffer } from "./samples/sample.ts";

/** How reliable a venue's price is, from 0 to 1, and why. */
export interface Confidence {
  readonly value: Decimal;
  readonly source: string;
  /** Protocol time of the responses behind it, and of the last query. */
  readonly at: Millis;
  readonly requestedAt: Millis;
}

/** Prices of a pair from other sources, each with the protocol time of its response. */
export interface Elsewhere {
  readonly prices: readonly {
    readonly source: string;
    readonly price: Decimal;
    /** The quote that the price is the mid of; absent if the source has none. */
    readonly bid?: Decimal | undefined;
    readonly ask?: Decimal | undefined;
    readonly at: Millis;
  }[];
  /** When they were last queried, and when the pair's own book was last read; null for never. */
  readonly requestedAt: Millis | null;
  readonly bookAt: Millis | null;
}

/** Which candles: their length, and the pair and the exchange if they are not the strategy's. */
export interface CandleSource {
  readonly span: Millis;
  readonly symbol?: Pair | undefined;
  readonly exchange?: string | undefined;
}

/** Earlier versions read the candles of a pair by their length alone, so others have a key of their own. */
export const elsewhereKey = (symbol: Pair): string => `${symbol} elsewhere`;

export const isSameSource = (a: CandleSource, b: CandleSource): boolean =>
  a.span === b.span && a.symbol === b.symbol && a.exchange === b.exchange;

/** The newest completed candles of a pair, oldest first. Times are market time. */
export interface CandleSeries extends CandleSource {
  /** Number that was requested. */
  readonly count: number;
  /** End of the last completed candle. */
  readonly until: Millis;
  readonly rows: readonly Candle[];
}

/** A result whose loss from its best value is limited, in quote. */
export interface LossWatch {
  readonly peak: Decimal;
  /** Why no more orders are placed; null while the loss is within its limit. */
  readonly over: string | null;
  /** Version of the limits, and number of resumes, at the last check. */
  readonly version: number;
  readonly resumes: number;
}

/** By quote asset; `closed` is the result of strategies that stopped since the limit was set. */
export type Losses = Readonly<Record<string, { readonly closed: Decimal; readonly watch: LossWatch | null }>>;

/** Last price of a symbol at market time `at`, and the market's lot. */
interface Mark {
  readonly mid: Decimal;
  readonly at: Millis;
  readonly lot?: Decimal | undefined;
  /** Protocol time of the pass that read it. */
  readonly observedAt?: Millis;
}

/** Own orders of a pair, for the minute that is not over. Times are protocol time. */
export interface OfferMemory {
  /** Start of the last pass that read the pair. */
  readonly since: Millis;
  /** The minute up to then. */
  readonly offer: MinuteOffer;
  /** When new orders were accepted, by client id, until a pass reads them as open. */
  readonly opened: Readonly<Record<string, Millis>>;
  /** When cancels were sent, by client id, until a pass reads the order as ended. */
  readonly canceled: Readonly<Record<string, Millis>>;
}

/** What keeps a strategy from acting. docs/errors.md lists the codes. */
export type WaitCode = "limit" | "funds_missing" | "base_missing" | "market_closed" | "exit";

/** Something that a strategy waits for; each one is reported in one event. */
export interface Wait {
  readonly code: WaitCode;
  /** Null if all strategies of the account wait for it. */
  readonly strategy: string | null;
  /** What it waits for, and what its owner can do. */
  readonly message: string;
  /** Protocol time of the first pass that found it. */
  readonly since: Millis;
  readonly isReported: boolean;
}

/** What one pass stores for the next pass of an account. */
export interface AccountMemory {
  /** Account totals at the first strategy's start; other changes are counted from them. */
  readonly baseline: Readonly<Record<string, Decimal>> | null;
  /** Balance changes from strategies' fills since then. */
  readonly moved: Readonly<Record<string, Decimal>>;
  readonly balances: readonly Balance[] | null;
  /** Balances that the last read did not return in a readable form; absent if there never was one. */
  readonly unreadBalances?: readonly UnreadBalance[];
  /** Balance changes from strategies' fills when the totals were read. */
  readonly movedBefore?: Readonly<Record<string, Decimal>>;
  readonly marks: Readonly<Record<string, Mark>>;
  /** Market time of the newest fill, per symbol; later prices of the pair measure its fills. */
  readonly filledAt?: Readonly<Record<string, Millis>> | undefined;
  /** Times of own orders, per symbol. */
  readonly offers?: Readonly<Record<string, OfferMemory>> | undefined;
  /** Confidence of prices, per symbol, if a strategy uses it. */
  readonly confidence?: Readonly<Record<string, Confidence>>;
  /** Prices from other sources, per symbol, if a strategy uses them. */
  readonly elsewhere?: Readonly<Record<string, Elsewhere>>;
  /** Candles per symbol, if a strategy uses them; those of other pairs and exchanges under `elsewhereKey`. */
  readonly candles?: Readonly<Record<string, readonly CandleSeries[]>>;
  /** Losses, if the account's loss is limited. */
  readonly losses?: Losses;
  /** Orders that appeared in trades and belong to no strategy, newest last. */
  readonly foreign: readonly string[];
  /** Trades that cannot be booked and were already reported in an event, newest last. */
  readonly unreadable?: readonly string[] | undefined;
  /** Protocol time of the last complete read of a pair's trades. */
  readonly tradesAt?: Readonly<Record<string, Millis>>;
  /** Where the search for a pair's ended orders continues after a restore. */
  readonly searchPages?: Readonly<Record<string, string>> | undefined;
  /** Strategies whose unwatched stop price was already reported in an event. */
  readonly unwatched?: readonly string[] | undefined;
  /** What strategies wait for. */
  readonly waits?: readonly Wait[] | undefined;
  /** Why the exchange made the last pass incomplete; absent after a complete pass. */
  readonly failed?: VenueFailure | undefined;
  /** Time between two rounds of the process that made the last complete pass. */
  readonly interval?: Millis;
  /** Where the next pass begins, because this one ran out of rate limit. */
  readonly turn: number;
}

export const NO_MEMORY: AccountMemory = {
  baseline: null,
  moved: {},
  balances: null,
  marks: {},
  foreign: [],
  turn: 0,
};
