import type { Decimal } from "../kernel/decimal.ts";
import type { VenueFailure } from "../kernel/errors.ts";
import type { Pair } from "../kernel/pair.ts";
import type { Millis } from "../kernel/time.ts";
import type { AccountRef, Balance } from "../model/account.ts";
import type { Span } from "../model/fill.ts";
import type { Market } from "../model/market.ts";
import type { Fee, NewOrder, OrderStatus, OrderTerms } from "../model/order.ts";
import type { MarketData } from "./market.ts";

/** An order as the exchange reports it. */
export interface VenueOrder extends Omit<NewOrder, "clientId" | "timeInForce"> {
  readonly id: string;
  readonly clientId?: string | undefined;
  readonly filled: Decimal;
  /** Quote exchanged so far, before fees; undefined if the exchange does not report it. */
  readonly notional?: Decimal | undefined;
  readonly fees?: readonly Fee[] | undefined;
  readonly status: OrderStatus;
  readonly at: Millis;
}

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
  readonly backoff: { readonly first: Millis; readonly most: Millis };
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
   * Public data for requests without a token. Its rate limit, circuit breaker and cache are separate, so public
   * requests never affect a pass. If absent, the venue's own reads are used.
   */
  readonly forAnyone?: MarketData;
  balances(): Promise<readonly Balance[]>;
  /** Whether `balances` can run at the same time as other reads of a pass. */
  readonly readsTogether?: boolean;
  /** Returns all open orders of the account or of one pair, from all pages. */
  openOrders(symbol?: Pair): Promise<readonly VenueOrder[]>;
  /** Reads one order; undefined if the exchange has no such order. */
  order(key: {
    symbol: Pair;
    id?: string | undefined;
    clientId?: string | undefined;
  }): Promise<VenueOrder | undefined>;
  /** Reads several orders by exchange id in one request, if supported; omits unknown orders. */
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
