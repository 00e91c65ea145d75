/** What the adapter keeps beside the store: rows of its own, shared by every process on the same database. */
import type { Decimal } from "../../../kernel/decimal.ts";
import type { Pair } from "../../../kernel/pair.ts";
import type { Millis } from "../../../kernel/time.ts";
import type { AccountKey } from "../../../model/account.ts";
import type { Fee } from "../../../model/order.ts";
import type { CallRate, CallRequests } from "../../../ports/venue.ts";
import type { Dict } from "./ccxt.ts";

export interface KeptValue<T> {
  readonly value: T;
  /** How long ago it was loaded, by the database's clock. */
  readonly age: Millis;
}

export interface FeeRates {
  readonly maker: Decimal;
  readonly taker: Decimal;
}

export type AccountKind = "classic" | "unified";

/** Which kind of account a key opens; the key by its hash. */
export interface KnownKind {
  readonly key: string;
  readonly kind: AccountKind;
}

/** What a key may do, as the exchange tells; the key by its hash. */
export interface KnownRights {
  readonly key: string;
  /** Undefined where the exchange does not tell. */
  readonly mayWithdraw: boolean | undefined;
}

/** Markets as the exchange lists them, by its host; fees as it charges them to an account, of which kind that is, and what its keys may do. */
export interface MarketKeeper {
  market(host: string, symbol: Pair): Promise<KeptValue<Dict> | undefined>;
  /** The exchange's own id of every pair that it lists. */
  listing(host: string): Promise<KeptValue<Readonly<Record<string, string>>> | undefined>;
  keepMarkets(
    host: string,
    list: {
      /** Undefined where the one that is kept stays. */
      readonly listing: Readonly<Record<string, string>> | undefined;
      readonly markets: readonly Dict[];
    },
  ): Promise<void>;
  /** The exchange has refused what the stored market allows: the next use loads it again. */
  spoil(host: string, symbol: Pair): Promise<void>;
  fees(account: AccountKey, symbol: Pair): Promise<KeptValue<FeeRates> | undefined>;
  keepFees(account: AccountKey, symbol: Pair, fees: FeeRates): Promise<void>;
  kind(account: AccountKey): Promise<KeptValue<KnownKind> | undefined>;
  keepKind(account: AccountKey, known: KnownKind): Promise<void>;
  /** Of every account whose keys were asked about. */
  rights(): Promise<ReadonlyMap<AccountKey, KeptValue<KnownRights>>>;
  keepRights(account: AccountKey, known: KnownRights): Promise<void>;
}

/** The order in which processes make private calls of one account. */
export interface LeaseKeeper {
  /**
   * Takes the account's lease, as a pass does: the first of `count` nonces, or undefined when another holds it, who is
   * told for a few seconds that somebody waits.
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
  /** Tells whoever has the lease that somebody waits for it. */
  wait(account: AccountKey): Promise<void>;
  /** Whether somebody waits for it, and is still there. */
  awaited(account: AccountKey): Promise<boolean>;
  /** Nonces for the holder of the lease: the first of `count` that nobody else gets. */
  nonces(account: AccountKey, count: number): Promise<number>;
}

export interface RateKeeper {
  /** Takes calls from the account's rate. Answers 0 when they were taken, else how long to wait for them. */
  spend(account: AccountKey, request: CallRequests): Promise<Millis>;
  /** The exchange has said that there are none left. */
  exhaust(account: AccountKey, rate: CallRate): Promise<void>;
}

export interface TradedFees {
  readonly symbol: Pair;
  readonly fees: readonly Fee[];
}

export interface TradedKeeper {
  /** Pairs on which the account has had orders lately. */
  symbols(account: AccountKey): Promise<readonly Pair[]>;
  /** Fees of the newest booked buy on each of them. */
  buyFees(account: AccountKey): Promise<readonly TradedFees[]>;
}

export interface Keeping {
  readonly traded: TradedKeeper;
  readonly markets: MarketKeeper;
  readonly leases: LeaseKeeper;
  readonly rates: RateKeeper;
}
