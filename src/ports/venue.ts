import type { Candles } from "../candles/candles.ts";
import type { Coverage } from "../candles/read.ts";
import type { TapeFile } from "../candles/tape.ts";
import type { Decimal } from "../kernel/decimal.ts";
import type { VenueFailure } from "../kernel/errors.ts";
import type { ChainToken, Pair } from "../kernel/pair.ts";
import type { ReadableList } from "../kernel/readable-list.ts";
import type { Millis } from "../kernel/time.ts";
import type { AccountKey, AccountRef, Balances } from "../model/account.ts";
import type { Book, Candle, Market, Ticker, Trade } from "../model/market.ts";
import type { Fee, NewOrder, OrderStatus, OrderTerms, Span, StopTerms } from "../model/order.ts";

/** An order as the exchange reports it. */
export interface VenueOrder extends Omit<NewOrder, "clientId" | "timeInForce"> {
  readonly id: string;
  readonly clientId?: string | undefined;
  readonly filled: Decimal;
  /** Quote exchanged so far, before fees; undefined if the exchange does not report it. */
  readonly notional?: Decimal | undefined;
  readonly fees?: readonly Fee[] | undefined;
  readonly status: OrderStatus;
  /** Present if the order waits, or waited, for a price. */
  readonly stop?: StopTerms | undefined;
  readonly at: Millis;
}

/** An order that the exchange returned in a form that cannot be read, with what can be. */
export interface UnreadableOrder {
  readonly id: string | null;
  readonly clientId: string | null;
  readonly reason: string;
}

/** Open orders. Those of a pair that the exchange's market list lacks have the exchange's own name of it as symbol. */
export type OpenOrderList = ReadableList<VenueOrder, UnreadableOrder>;

/** One execution of one of the account's own orders. */
export interface VenueFill extends OrderTerms {
  readonly id: string;
  readonly orderId: string;
  readonly symbol: Pair;
  /** Quote exchanged, before fees. */
  readonly notional: Decimal;
  readonly fees: readonly Fee[];
  readonly at: Millis;
}

/** A row of the exchange that cannot be booked, with its time and order if readable. */
export interface UnreadableFill {
  readonly id: string | null;
  readonly orderId: string | null;
  readonly at: Millis | null;
  readonly reason: string;
}

export interface FillsRead {
  /** Oldest first. */
  readonly fills: readonly VenueFill[];
  readonly unreadable: readonly UnreadableFill[];
}

/** Result of one query for a time span. */
export interface FillsOfSpan extends FillsRead {
  /**
   * The part of the requested span that needs no other query, because the exchange returned all its fills. It begins
   * or ends where the span does.
   */
  readonly covered: Span;
  /** Market time of the exchange: the upper bound of the query. */
  readonly now: Millis;
}

/** A page of orders, and where the next page begins; undefined after the last page. */
export interface EndedOrders {
  readonly orders: readonly VenueOrder[];
  readonly next?: string | undefined;
}

/** Evaluated immediately before a write is sent; a refused request is never sent. */
export interface Permit {
  /** Runs when the request's turn has come, before it is signed. `mayLeave` can use its result. */
  readonly look?: () => Promise<void>;
  readonly mayLeave: () => boolean;
  /** Protocol time after which the venue does not send a create. A simulated venue refuses any later write. */
  readonly sendBy: Millis;
}

export type CreateOutcome =
  | { readonly result: "accepted"; readonly id: string }
  | { readonly result: "not_sent"; readonly reason?: string; readonly failure?: "rate_limited" }
  | {
      readonly result: "rejected";
      readonly reason: string;
      readonly failure?: VenueFailure;
      /** Whether a post-only order was refused because it would have been a taker order. */
      readonly wouldTake?: boolean;
    }
  | { readonly result: "unknown"; readonly reason: string };

/** `look`: the exchange has no such open order; read the order to learn its state. */
export type CancelOutcome =
  | { readonly result: "accepted" | "look" }
  | { readonly result: "not_sent"; readonly failure?: "rate_limited" }
  | { readonly result: "rejected"; readonly reason: string; readonly failure?: VenueFailure }
  | { readonly result: "unknown"; readonly reason: string };

/** Timing limits of an exchange, in protocol time (see docs/reliability.md). */
export interface Timing {
  readonly leaseTtl: Millis;
  readonly requestTimeout: Millis;
  /** How long after sending a request can take effect at the exchange. */
  readonly expiry: Millis;
  readonly skew: Millis;
  /** Maximum delay until the exchange shows an accepted order. */
  readonly readLag: Millis;
  /** Minimum time between the two failed lookups that end an order. */
  readonly secondMiss: Millis;
  /** Overlap when trades are read again, in market time. */
  readonly overlap: Millis;
  /** Interval of reading trades while no own order changes; 0 reads them in every pass. */
  readonly tradesEvery: Millis;
  readonly backoff: { readonly first: Millis; readonly max: Millis };
}

/** Format of the exchange's order ids. */
export interface OrderIds {
  readonly form: RegExp;
  /** Description of the format, with an example. */
  readonly like: string;
}

/** Rate limit: burst size and calls per second. */
export interface CallRate {
  readonly burst: number;
  readonly perSecond: number;
}

/** Calls to deduct from an account's rate limit; `kept` calls of its burst must remain. */
export interface CallRequests {
  readonly calls: number;
  readonly kept: number;
  readonly rate: CallRate;
}

/** One account on one exchange. Reads throw VenueError. Writes return an outcome and throw only on programming errors. */
export interface Venue extends MarketData {
  readonly account: AccountRef;
  /** Format of order ids; other texts are not valid ids. */
  readonly orderIds: OrderIds;
  readonly timing: Timing;
  /** Returns a market with public fees, read without keys; if absent, `market` returns them. */
  readonly listed?: (symbol: Pair) => Promise<Market>;
  /**
   * Public data that requests read, with or without a token. Its rate limit, circuit breaker and cache are separate, so public
   * requests never affect a pass. If absent, the venue's own reads are used.
   */
  readonly forAnyone?: MarketData;
  balances(): Promise<Balances>;
  /** Whether `balances` can run at the same time as other reads of a pass. */
  readonly readsTogether?: boolean;
  /** Returns all open orders of the account or of one pair, from all pages. */
  openOrders(symbol?: Pair): Promise<OpenOrderList>;
  /** Reads one order; undefined if the exchange has no such order. Throws UnreadableError if it can have it. */
  order(key: {
    symbol: Pair;
    id?: string | undefined;
    clientId?: string | undefined;
  }): Promise<VenueOrder | undefined>;
  /** Reads several orders by exchange id in one request, if supported; omits unknown and unreadable orders. */
  readonly orders?: (symbol: Pair, ids: readonly string[]) => Promise<readonly VenueOrder[]>;
  /** Returns own fills of a time span, perhaps only a part of them; `to` defaults to now. */
  fills(
    symbol: Pair,
    span: { readonly from: Millis; readonly to?: Millis | undefined },
  ): Promise<FillsOfSpan>;
  /** Returns all fills of some orders by exchange id, placed at or after a time, if the exchange still has them. */
  fillsOf(symbol: Pair, orderIds: readonly string[], since: Millis): Promise<FillsRead>;
  /**
   * Returns a page of the orders of a pair that were placed since a time and have ended, newest first; `page` continues
   * another page. Absent if the exchange shows every trade at once.
   */
  readonly endedOrders?: (symbol: Pair, since: Millis, page?: string) => Promise<EndedOrders>;
  create(order: NewOrder, permit: Permit): Promise<CreateOutcome>;
  cancel(order: { symbol: Pair; id: string }, permit: Permit): Promise<CancelOutcome>;
  /** Calls that a pass reserves before its first request; undefined without a rate limit. */
  readonly opening?: (isUrgent: boolean) => CallRequests | undefined;
  /**
   * Returns the same account for the holder of its lease. `requestedAt` is when the lease was requested, by the process's
   * own clock; `paid` means that the calls are already deducted. If private calls must be serial, other callers wait
   * for the lease, but its holder does not. An urgent pass can use the calls reserved for it. After `yieldsAfter` the
   * holder makes no further call once another process waits for the lease.
   */
  readonly under?: (
    lease: { readonly now: Millis },
    options: {
      readonly requestedAt: Millis;
      readonly isUrgent: boolean;
      readonly yieldsAfter: Millis | undefined;
      readonly paid?: CallRequests | undefined;
    },
  ) => Venue;
  /**
   * Runs before the first read of such a pass. Throws BudgetSpent, with the time to retry, if the calls of a whole
   * pass are not available.
   */
  readonly enter?: () => Promise<void>;
  /**
   * Present if the calls of a pass are few. Sets whether the next calls of an urgent pass leave the reserved ones to
   * people and stops.
   */
  readonly spare?: (isOn: boolean) => void;
  /** Runs after the last call of such a pass. The pass then releases its lease, so others can make calls. */
  readonly leave?: () => Promise<void>;
  /** Signals the lease's holder that a person waits for it. */
  readonly wait?: () => Promise<void>;
}

/** Exchange keys sent with one request; edgemaker never stores or logs them. */
export interface Keys {
  readonly key: string;
  readonly secret: string;
  readonly passphrase?: string | undefined;
  /** Distinguishes the accounts of different keys without revealing the keys. */
  readonly hash: string;
  /** Where the server's own keys are, and how to replace them; undefined for keys of a request. */
  readonly origin?: string;
}

export interface ExchangeInfo {
  readonly id: string;
  readonly venue: string;
  readonly kind: AccountRef["kind"];
  readonly passphrase: boolean;
  readonly quotes: readonly string[];
  readonly configured: boolean;
}

/** Public market data of an exchange. Prices are in quote, amounts in base, times in milliseconds. Throws VenueError. */
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

/**
 * A message of an exchange that starts a pass early. A hint can be wrong, repeated, late or missing: a pass takes no
 * state from it, and reads the exchange as always.
 */
export type Hint =
  /** An order of the account on this pair was filled or has ended. */
  | { readonly kind: "orders"; readonly symbol: Pair }
  /** Best prices of the pair. */
  | { readonly kind: "price"; readonly symbol: Pair; readonly bid: Decimal; readonly ask: Decimal };

/**
 * State of a connection. `live`: logged in, and every topic is confirmed. `down`: it has ended and stays down, because
 * a connection is opened only once.
 */
export type StreamStatus =
  | { readonly state: "connecting" | "live" }
  /** Keys never appear in the reason. `refused`: the exchange rejects the keys, so opening again cannot help soon. */
  | { readonly state: "down"; readonly reason: string; readonly refused?: boolean };

/** A status, and since when, by this process's monotonic clock. */
export type StreamState = StreamStatus & { readonly since: Millis };

/** What to follow: orders of some pairs with the account's keys, best prices of some pairs without keys. */
export interface StreamTopics {
  readonly orders: readonly Pair[];
  readonly prices: readonly Pair[];
}

export interface StreamListener {
  /** Runs for each hint. It is fast and never throws. */
  readonly onHint: (hint: Hint) => void;
  /** Runs for each change, the last time with `down`. Not before `subscribe` returns. */
  readonly onStatus: (status: StreamStatus) => void;
}

export interface Stream {
  /** Replaces the topics without a new connection. */
  follow(topics: StreamTopics): void;
  /** Ends the connection. Afterwards the listener is not called. */
  close(): void;
}

export interface Streams {
  /**
   * Opens one connection of an account (two if the exchange separates private and public messages). It answers pings,
   * renews its login, and is `down` as soon as it is closed or silent for longer than the exchange's heartbeat allows.
   * It does not reconnect: the caller does, with backoff. Returns undefined if the exchange or account has no streams.
   */
  subscribe(account: AccountRef, topics: StreamTopics, listener: StreamListener): Stream | undefined;
}

/** Counts of times from fills to the orders that answer them; each bucket includes the smaller ones. */
export interface Reactions {
  readonly account: AccountKey;
  readonly count: number;
  readonly sum: Millis;
  readonly buckets: readonly { readonly most: Millis; readonly count: number }[];
}

/** State of an account's connection. */
type StreamView = StreamState & {
  readonly account: AccountKey;
  /** How long it has been in this state. */
  readonly for: Millis;
  /** How long it has not been live, however often it was opened again; undefined while it is live, or before that. */
  readonly downFor: Millis | undefined;
  /** Number of times that it was opened again. */
  readonly reopened: number;
};

/** What this process knows of its streams; another process has its own. */
export interface StreamReport {
  readonly streams: readonly StreamView[];
  readonly reactions: readonly Reactions[];
}

/** A pool of ADA, Cardano's native asset, and one token on a decentralized exchange, with a state. */
export interface Pool {
  /** The exchange's name. */
  readonly dex: string;
  readonly identifier: string;
  /** Total value locked, in ADA. */
  readonly tvl: Decimal;
  /** ADA per token, as quoted; undefined when the pool is not quoted. */
  readonly quoted: Decimal | undefined;
  readonly reserves: { readonly ada: Decimal; readonly token: Decimal };
  /** The token's smallest amount. */
  readonly lot: Decimal;
  /** Fees for buying and selling the token, as shares of the payment; undefined if unknown. */
  readonly fees: { readonly buy: Decimal | undefined; readonly sell: Decimal | undefined };
}

/** Source of pools. Throws VenueError. */
export interface Aggregator {
  /** Returns every pool of ADA and the token that has a state, unordered. */
  pools(token: ChainToken): Promise<readonly Pool[]>;
}

/** Median ADA/USDT mid price of the exchanges that responded, and their ids. */
export interface AdaPrice {
  readonly price: Decimal;
  readonly exchanges: readonly string[];
}

export interface Source {
  readonly id: string;
  readonly name: string;
  readonly exchange: string;
}

export interface DexPrice {
  /** USDT per token. */
  readonly price: Decimal;
  /** 0 to 1. */
  readonly confidence: Decimal;
  /** The pools and exchanges that contributed. */
  readonly sources: readonly Source[];
}

/** A pool that counts toward a price: it has a quote and at least 1,000 ADA. */
export type PricedPool = Pool & { readonly quoted: Decimal };

/** Sources of a token's price, largest pool first. */
export interface ChainMarket {
  readonly pools: readonly PricedPool[];
  readonly ada: AdaPrice;
}

/** The chain's decentralized exchanges. Reads throw VenueError, also after the time limit of a read. */
export interface Dex extends Aggregator {
  market(token: ChainToken): Promise<ChainMarket>;
  price(token: ChainToken): Promise<DexPrice>;
}

export interface CandlesRequest {
  readonly exchange: string;
  readonly symbol: Pair;
  /** Length of a bar in milliseconds. */
  readonly span: Millis;
  /** Market time, inclusive; `until` exclusive. */
  readonly since?: Millis | undefined;
  readonly until?: Millis | undefined;
}

/** All candles of a file. */
export interface CandleFile {
  readonly candles: Candles;
  readonly coverage: Coverage;
}

/** Local candles: a given file, or downloaded and imported candles. */
export interface CandleReader {
  /** Returns undefined without candles. */
  readonly candles: (request: CandlesRequest) => Promise<Candles | undefined>;
  /** Trades and the order books between them, if the user named a file of those; candles are not read then. */
  readonly tape?: ((symbol: Pair) => Promise<TapeFile | undefined>) | undefined;
}

/** Prices of a pair from other sources. */
export interface Reference {
  readonly prices: readonly {
    readonly source: string;
    readonly price: Decimal;
    /** The quote that the price is the mid of; absent if the source has none. */
    readonly bid?: Decimal | undefined;
    readonly ask?: Decimal | undefined;
  }[];
  /** The chain's own confidence in its price, if the chain is a source; our confidence never exceeds it. */
  readonly maxConfidence: Decimal | null;
  /** Whether any source lists the pair, even if it did not respond. */
  readonly listed: boolean;
}
