/** Data that the adapter stores outside the store: separate rows, shared by every process on the same database. */
import type { Decimal } from "../../../kernel/decimal.ts";
import type { Pair } from "../../../kernel/pair.ts";
import type { Millis } from "../../../kernel/time.ts";
import type { AccountKey } from "../../../model/account.ts";
import type { Fee } from "../../../model/order.ts";
import type { CallRate, CallRequests } from "../../../ports/venue.ts";
import type { Dict } from "./ccxt.ts";

export interface KeptValue<T> {
  readonly value: T;
  /** Age by the database's clock. */
  readonly age: Millis;
}

export interface FeeRates {
  readonly maker: Decimal;
  readonly taker: Decimal;
}

export type AccountKind = "classic" | "unified";

/** Account kind of a key, which is identified by its hash. */
export interface KnownKind {
  readonly key: string;
  readonly kind: AccountKind;
}

/** Permissions of a key as the exchange reports them; the key is identified by its hash. */
export interface KnownRights {
  readonly key: string;
  /** Undefined if the exchange does not report it. */
  readonly mayWithdraw: boolean | undefined;
}

/** Stores an exchange's markets by host, and an account's fees, kind and key permissions. */
export interface MarketKeeper {
  market(host: string, symbol: Pair): Promise<KeptValue<Dict> | undefined>;
  /** Returns the exchange's market id of every listed pair. */
  listing(host: string): Promise<KeptValue<Readonly<Record<string, string>>> | undefined>;
  keepMarkets(
    host: string,
    list: {
      /** Undefined if the stored one stays. */
      readonly listing: Readonly<Record<string, string>> | undefined;
      readonly markets: readonly Dict[];
    },
  ): Promise<void>;
  /** Marks a stored market as outdated, because the exchange rejected what it allows; the next use reloads it. */
  spoil(host: string, symbol: Pair): Promise<void>;
  fees(account: AccountKey, symbol: Pair): Promise<KeptValue<FeeRates> | undefined>;
  keepFees(account: AccountKey, symbol: Pair, fees: FeeRates): Promise<void>;
  kind(account: AccountKey): Promise<KeptValue<KnownKind> | undefined>;
  keepKind(account: AccountKey, known: KnownKind): Promise<void>;
  /** Returns permissions of every account whose keys were checked. */
  rights(): Promise<ReadonlyMap<AccountKey, KeptValue<KnownRights>>>;
  keepRights(account: AccountKey, known: KnownRights): Promise<void>;
}

/** Serializes processes' private calls of one account. */
export interface LeaseKeeper {
  /**
   * Takes the account's lease like a pass: returns the first of `count` nonces, or undefined if another process has
   * the lease. For a few seconds that process sees that somebody waits.
   */
  takeLease(
    account: AccountKey,
    terms: {
      readonly owner: string;
      readonly ttl: Millis;
      readonly count: number;
    },
  ): Promise<number | undefined>;
  giveBack(account: AccountKey, owner: string): Promise<void>;
  /** Signals the lease's holder that somebody waits for it. */
  wait(account: AccountKey): Promise<void>;
  /** Returns whether somebody still waits for it. */
  awaited(account: AccountKey): Promise<boolean>;
  /** Returns the first of `count` nonces for the lease's holder; no other caller gets them. */
  nonces(account: AccountKey, count: number): Promise<number>;
}

export interface RateKeeper {
  /**
   * Takes calls from the account's rate limit. Returns 0 if they were taken, otherwise the time until they are
   * available.
   */
  spend(account: AccountKey, request: CallRequests): Promise<Millis>;
  /** Records that the exchange reported an exhausted rate limit. */
  exhaust(account: AccountKey, rate: CallRate): Promise<void>;
}

export interface TradedFees {
  readonly symbol: Pair;
  readonly fees: readonly Fee[];
}

export interface TradedKeeper {
  /** Returns pairs on which the account recently had orders. */
  symbols(account: AccountKey): Promise<readonly Pair[]>;
  /** Returns fees of the newest booked buy of each pair. */
  buyFees(account: AccountKey): Promise<readonly TradedFees[]>;
}

export interface Keeping {
  readonly traded: TradedKeeper;
  readonly markets: MarketKeeper;
  readonly leases: LeaseKeeper;
  readonly rates: RateKeeper;
}
