/** All we ask of the world. Amounts and prices are Decimal; times are milliseconds. */

import type { Decimal } from "../kernel/decimal.ts";
import type { VenueFailure } from "../kernel/errors.ts";
import type { Pair } from "../kernel/pair.ts";
import type { Millis } from "../kernel/time.ts";
import type { Limits } from "../limits/limits.ts";
import type { Post } from "../notify/outbound.ts";
import type { Signer } from "./audit-store.ts";
import type { CandleReader } from "./candles.ts";
import type { Dex } from "./dex.ts";
import type { KillHere } from "./kill-here.ts";
import type { Kinds } from "./kind.ts";
import type { Market, MarketData, Side } from "./market.ts";
import type { MetricsStore } from "./metrics-store.ts";
import type { NotifyStore } from "./notify-store.ts";
import type { DryRuns } from "./paper.ts";
import type { Reference } from "./reference.ts";
import type { ReportStore } from "./report-store.ts";
import type { Store } from "./store.ts";

export type * from "./market.ts";

export type OrderType = "limit" | "market";
/** Rests until it is cancelled; takes what it meets at once and never rests; rests or is refused, and never takes. */
export type TimeInForce = "gtc" | "ioc" | "post_only";
export type OrderStatus =
  | "open"
  | "partially_filled"
  | "filled"
  | "canceled"
  | "expired"
  | "rejected"
  | "unknown";

/** Where orders live. It is stored with all that belongs to it and never changes. */
export interface AccountRef {
  /** The configured exchange id: `kraken`, or an alias such as `kraken-two`. */
  readonly exchange: string;
  readonly kind: "live" | "dry" | "sandbox";
  /** Of a live account: the host its requests go to. */
  readonly host: string;
}

export interface Balance {
  readonly asset: string;
  readonly free: Decimal;
  readonly used: Decimal;
}

export interface Fee {
  readonly asset: string;
  readonly amount: Decimal;
}

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

/** Market time from an instant, inclusive, to another, exclusive. */
export interface Span {
  readonly from: Millis;
  readonly to: Millis;
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

export interface NewOrder {
  readonly clientId: string;
  readonly symbol: Pair;
  readonly side: Side;
  readonly type: OrderType;
  /** Limit price; ignored for a market order. */
  readonly price: Decimal;
  readonly amount: Decimal;
  /** `gtc` where nothing is said. */
  readonly timeInForce?: TimeInForce;
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

/** One account on one venue. Reads throw VenueError; writes answer an outcome and throw only on our own mistakes. */
/** What the ids of a venue's orders look like. */
export interface OrderIds {
  readonly form: RegExp;
  /** For a person: what they are, with an example. */
  readonly like: string;
}

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
  /**
   * The same account for the holder of its lease, asked for at `askedAt` of the process's own clock. Where
   * private calls have to go one at a time, others wait for the lease; its holder must not. A pass for which people
   * wait may use what is kept from others of the rate of calls. After `yieldsAfter` it makes no further call
   * once a person waits for the lease in another process.
   */
  readonly under?: (
    lease: { readonly now: Millis },
    asked: {
      readonly askedAt: Millis;
      readonly isUrgent: boolean;
      readonly yieldsAfter: Millis | undefined;
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

/** This process's own clock and chance. Neither is protocol time: that is the store's. */
export interface Local {
  /** What this process is called where a person asks who has stepped an account. */
  readonly name: string;
  /** Never goes back; its zero means nothing. */
  readonly monotonic: () => Millis;
  /** `length` random characters of [0-9a-z]. */
  readonly randomText: (length: number) => string;
  readonly sleep: (millis: Millis) => Promise<void>;
}

export type LogLevel = "debug" | "info" | "warn" | "error";
export type Log = (level: LogLevel, message: string, fields?: Readonly<Record<string, unknown>>) => void;

/** What an operation may use. */
export interface Deps {
  readonly exchanges: readonly ExchangeInfo[];
  /** The venue of a configured exchange id, with the server's keys or the ones given. */
  readonly venue: (exchange: string, keys?: Keys) => Venue;
  /** Absent where nothing trades on paper. */
  readonly dry?: DryRuns;
  /** The venue behind a stored account; undefined when this process is not configured for it. */
  readonly venueOf: (account: AccountRef) => Venue | undefined;
  /** One pass over an account that no tick steps, so that what was left unclear there is looked up. */
  readonly resolve?: (venue: Venue) => Promise<unknown>;
  /** Market time of an account at a protocol time; on real venues they are the same. */
  readonly marketTime: (account: AccountRef, now: Millis) => Millis;
  /** Ends a read of the world at its time limit: throws VenueError naming who was asked. */
  readonly inTime: <T>(who: string, read: () => Promise<T>) => Promise<T>;
  /** What a person has to know of the exchange keys; absent where there are none. */
  readonly warnings?: () => Promise<readonly string[]>;
  /** Stored exchange keys that cannot be opened, by exchange; absent where there are none. */
  readonly keyTroubles?: () => Promise<readonly string[]>;
  readonly dex: Dex;
  /** Candles to look back on; absent where none are kept: then the exchange is asked. */
  readonly kept?: CandleReader | undefined;
  /** Asks every other configured venue, and the chain, for a pair's price; absent where there is nobody to ask. */
  readonly reference?: (exchange: string, symbol: Pair) => Promise<Reference>;
  readonly store: Store;
  /** The kinds of strategies that this program knows. */
  readonly kinds: Kinds;
  /** What the store says of the kill switch comes from here too, where there is one. */
  readonly killHere?: KillHere;
  /** Limits of the operator's settings: they hold beside those that are stored, which cannot raise them. */
  readonly limits?: Limits | undefined;
  /** How often this process steps its accounts, in protocol time; undefined where it steps none itself. */
  readonly interval?: Millis | undefined;
  /** How many requests of all kinds this process may still make, where the platform limits them. */
  readonly requests?: (() => number) | undefined;
  /** Tells somebody outside that all is well; absent where nobody listens. */
  readonly heartbeat?: { beat(isGood: boolean): Promise<void> };
  /** How days went; absent where nobody looks. */
  readonly reports?: ReportStore;
  /** What is measured; absent where nothing is. */
  readonly metrics?: MetricsStore;
  /** Where people are told what happens; absent where nobody is. */
  readonly notify?: { readonly store: NotifyStore; readonly post: Post };
  /** Keys that sign checkpoints of events, the first one for new ones. */
  readonly signers?: readonly Signer[];
  readonly local: Local;
  readonly log: Log;
}
