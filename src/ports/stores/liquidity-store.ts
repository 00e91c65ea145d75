import type { Pair } from "../../kernel/pair.ts";
import type { AccountKey } from "../../model/account.ts";
import type { Span } from "../../model/fill.ts";
import type { LiquidityMinute, MissedMinute } from "../../model/samples/minute.ts";
import type { LiquidityPromise } from "../../model/samples/promise.ts";
import type { ProofKey, SignedDay, SignedRows } from "../../model/samples/proof.ts";
import type { DaySums } from "../../model/samples/sums.ts";

/** A pair of a configured exchange whose order book is sampled. */
export interface WatchedPair {
  readonly exchange: string;
  readonly symbol: Pair;
}

/** A sampled pair with its rules. */
export interface PromisedPair extends WatchedPair {
  readonly promise?: LiquidityPromise | undefined;
  /** Name of the stored agreement; absent for a pair of the settings. */
  readonly agreement?: string | undefined;
  /** Last day of this agreement; null without an end. Its pairs are sampled a day longer. */
  readonly until?: number | null | undefined;
}

/** One minute's sample of own orders. */
export type OwnOffer = Pick<LiquidityMinute, "ownSpread" | "ownOrders" | "ownDepth" | "offer">;

export interface LiquidityStore {
  /** Returns the pairs without a sample of this minute. */
  lacking(pairs: readonly WatchedPair[], minute: number): Promise<readonly WatchedPair[]>;
  /** Stores samples. The first sample of a minute wins. Deletes samples older than 13 months. */
  keep(pair: WatchedPair, row: LiquidityMinute): Promise<void>;
  /** Records that an order book could not be read in a minute. The first record wins. */
  keepMiss(pair: WatchedPair, miss: MissedMinute): Promise<void>;
  misses(pair: WatchedPair, from: number, to: number): Promise<readonly MissedMinute[]>;
  /** Returns the first minute with a sample. */
  since(pair: WatchedPair): Promise<number | undefined>;
  /** Returns minutes in ascending order; `to` is exclusive. */
  minutes(pair: WatchedPair, from: number, to: number): Promise<readonly LiquidityMinute[]>;
  /**
   * Reads own orders only, which takes a sixth of the time. `to` is exclusive. The depth is null unless the rule uses it,
   * and the spread is null if the times of orders are known.
   */
  ownOffers(
    pair: WatchedPair,
    span: { readonly from: number; readonly to: number; readonly usesDepth: boolean },
  ): Promise<readonly OwnOffer[]>;
  /** Returns stored sums of days, both bounds inclusive. A change of a minute deletes the sums of its day. */
  days(pair: WatchedPair, from: number, to: number): Promise<readonly DaySums[]>;
  /** Returns about how many bytes the samples and fills of a span take, with their indexes. `to` is exclusive. */
  bytes(
    pair: WatchedPair,
    account: AccountKey,
    span: Span,
  ): Promise<{ readonly samples: number; readonly fills: number }>;
  /** Stores the sums of days whose minutes have not changed since they were read. */
  keepDays(pair: WatchedPair, days: readonly DaySums[]): Promise<void>;
}

/** Signed days. None is changed or deleted, and their minutes take no further sample. */
export interface ProofStore {
  newest(pair: WatchedPair): Promise<SignedDay | undefined>;
  /** Ascending; both days are included. */
  days(pair: WatchedPair, from: number, to: number): Promise<readonly SignedDay[]>;
  /** Returns false if another process signed a day meanwhile, or if the day's rows differ from the signed ones. */
  add(pair: WatchedPair, day: SignedDay, rows: SignedRows): Promise<boolean>;
}

/** The deployment's key that signs days. Each throws SettingsError without the operator's key that encrypts it. */
export interface ProofKeys {
  /** Returns undefined if no key was created; then no day is signed. */
  key(): Promise<ProofKey | undefined>;
  /** Creates the key if there is none. */
  createKey(): Promise<void>;
  /** Encrypts the key with the first of the operator's keys. Returns the number of keys that another key encrypted. */
  rotateKey(): Promise<number>;
}
