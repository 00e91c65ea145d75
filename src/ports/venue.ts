import type { Decimal } from "../kernel/decimal.ts";
import type { VenueFailure } from "../kernel/errors.ts";
import type { Pair } from "../kernel/pair.ts";
import type { Millis } from "../kernel/time.ts";
import type { AccountRef, Balance } from "../model/account.ts";
import type { Span } from "../model/fill.ts";
import type { Market, Side } from "../model/market.ts";
import type { Fee, NewOrder, OrderStatus, OrderType } from "../model/order.ts";
import type { MarketData } from "./market.ts";

/** An order as its venue tells it. */
export interface VenueOrder {
  readonly id: string;
  readonly clientId?: string | undefined;
  readonly symbol: Pair;
  readonly side: Side;
  readonly type: OrderType;
  readonly price: Decimal;
  readonly amount: Decimal;
  readonly filled: Decimal;
  /** Quote exchanged so far, before fees; undefined when the venue does not tell. */
  readonly notional?: Decimal | undefined;
  readonly fees?: readonly Fee[] | undefined;
  readonly status: OrderStatus;
  readonly at: Millis;
}

/** One execution of one of the account's own orders. */
export interface VenueFill {
  readonly id: string;
  readonly orderId: string;
  readonly symbol: Pair;
  readonly side: Side;
  readonly price: Decimal;
  readonly amount: Decimal;
  /** Quote exchanged, before fees. */
  readonly notional: Decimal;
  readonly fees: readonly Fee[];
  readonly at: Millis;
}

/** A row of the venue's that cannot be booked as it stands; its time and order where they can be read. */
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

/** What one question for a span of time has been answered with. */
export interface FillsOfSpan extends FillsRead {
  /**
   * The part of the span asked for that needs no other question: all that the venue tells of it is here. It begins
   * where the span begins, or ends where it ends.
   */
  readonly told: Span;
  /** The venue's market time, up to which it was asked at most. */
  readonly now: Millis;
}

/** Asked in the very turn in which a write leaves; a request that may not leave never does. */
export interface Permit {
  /** Waited for when the request's turn has come, before it is signed: `mayLeave` may rest on what this finds. */
  readonly look?: () => Promise<void>;
  readonly mayLeave: () => boolean;
  /** Protocol time after which a simulated venue refuses the request itself. */
  readonly sendBy: Millis;
}

export type CreateOutcome =
  | { readonly result: "accepted"; readonly id: string }
  | { readonly result: "not_sent"; readonly reason?: string; readonly failure?: "rate_limited" }
  | {
      readonly result: "rejected";
      readonly reason: string;
      readonly failure?: VenueFailure;
      /** An order that may only rest would have taken. */
      readonly wouldTake?: boolean;
    }
  | { readonly result: "unknown"; readonly reason: string };

/** `look` says that the venue knows no such open order: only a look at the order tells what became of it. */
export type CancelOutcome =
  | { readonly result: "accepted" | "look" }
  | { readonly result: "not_sent"; readonly failure?: "rate_limited" }
  | { readonly result: "rejected"; readonly reason: string; readonly failure?: VenueFailure }
  | { readonly result: "unknown"; readonly reason: string };

/** Bounds of a venue's behaviour, in protocol time (see docs/reliability.md). */
export interface Timing {
  readonly leaseTtl: Millis;
  readonly requestTimeout: Millis;
  /** How long after leaving a request may still take effect at the venue. */
  readonly expiry: Millis;
  readonly skew: Millis;
  /** How long a venue may not show what it has accepted. */
  readonly readLag: Millis;
  /** Least time between the two misses that end an order. */
  readonly secondMiss: Millis;
  /** How far behind the time up to which trades were read reading begins, in market time. */
  readonly overlap: Millis;
  /** How often trades are read where no order of ours has moved; 0 reads them in every pass. */
  readonly tradesEvery: Millis;
  readonly backoff: { readonly first: Millis; readonly most: Millis };
}

/** What the ids of a venue's orders look like. */
export interface OrderIds {
  readonly form: RegExp;
  /** For a person: what they are, with an example. */
  readonly like: string;
}

/** Calls that may be made: so many at once, regained at so many a second. */
export interface CallRate {
  readonly burst: number;
  readonly perSecond: number;
}

/** Calls to be taken from an account's rate, so that `kept` of its burst are left. */
export interface CallsAsked {
  readonly calls: number;
  readonly kept: number;
  readonly rate: CallRate;
}

/** One account on one venue. Reads throw VenueError; writes answer an outcome and throw only on our own mistakes. */
export interface Venue extends MarketData {
  readonly account: AccountRef;
  /** Anything else is no id that it could know of. */
  readonly orderIds: OrderIds;
  readonly timing: Timing;
  /** A market with the fees that everybody is told, asked without keys; where absent, `market` tells those. */
  readonly listed?: (symbol: Pair) => Promise<Market>;
  /**
   * Public data for whoever asks without a token, within a budget, a circuit and kept answers of its own: no question
   * of a stranger's touches a pass. Where absent, the venue's own reads do.
   */
  readonly forAnyone?: MarketData;
  balances(): Promise<readonly Balance[]>;
  /** Every open order of the account, or of one pair; all pages. */
  openOrders(symbol?: Pair): Promise<readonly VenueOrder[]>;
  /** A targeted look; undefined when the venue says that it knows none. */
  order(key: {
    symbol: Pair;
    id?: string | undefined;
    clientId?: string | undefined;
  }): Promise<VenueOrder | undefined>;
  /** Many targeted looks in one, by the venue's ids, where it takes that; an order that it does not know is left out. */
  readonly orders?: (symbol: Pair, ids: readonly string[]) => Promise<readonly VenueOrder[]>;
  /** Own executions of a span of time, of which one question may tell a part; without `to`, up to now. */
  fills(
    symbol: Pair,
    span: { readonly from: Millis; readonly to?: Millis | undefined },
  ): Promise<FillsOfSpan>;
  /** All executions of some orders placed at or after a time, by the venue's ids, as far as it still tells them. */
  fillsOf(symbol: Pair, orderIds: readonly string[], since: Millis): Promise<FillsRead>;
  create(order: NewOrder, permit: Permit): Promise<CreateOutcome>;
  cancel(order: { symbol: Pair; id: string }, permit: Permit): Promise<CancelOutcome>;
  /** What a pass takes of the account's rate of calls before its first; undefined where nobody counts. */
  readonly opening?: (isUrgent: boolean) => CallsAsked | undefined;
  /**
   * The same account for the holder of its lease, asked for at `askedAt` of the process's own clock, with those calls
   * where they are `paid`. Where private calls have to go one at a time, others wait for the lease; its holder must not.
   * A pass for which people wait may use what is kept from others of the rate of calls. After `yieldsAfter` it makes no
   * further call once a person waits for the lease in another process.
   */
  readonly under?: (
    lease: { readonly now: Millis },
    asked: {
      readonly askedAt: Millis;
      readonly isUrgent: boolean;
      readonly yieldsAfter: Millis | undefined;
      readonly paid?: CallsAsked | undefined;
    },
  ) => Venue;
  /** Of such a pass, before its first read: throws BudgetSpent, with when, where there are not the calls of a whole one. */
  readonly enter?: () => Promise<void>;
  /** Of such a pass: its last call is made. It gives its lease back after this, as others may call under it. */
  readonly leave?: () => Promise<void>;
  /** Tells whoever has the account's lease that a person waits for it. */
  readonly wait?: () => Promise<void>;
}

/** Exchange keys that came with one request; never stored, never logged. */
export interface Keys {
  readonly key: string;
  readonly secret: string;
  readonly passphrase?: string | undefined;
  /** Tells the account of one key from that of another, without telling the key. */
  readonly hash: string;
}

export interface ExchangeInfo {
  readonly id: string;
  readonly venue: string;
  readonly kind: AccountRef["kind"];
  readonly passphrase: boolean;
  readonly quotes: readonly string[];
  readonly configured: boolean;
}
