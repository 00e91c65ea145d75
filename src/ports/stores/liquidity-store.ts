import type { Pair } from "../../kernel/pair.ts";
import type { LiquidityMinute, MissedMinute } from "../../model/samples/minute.ts";
import type { LiquidityPromise } from "../../model/samples/promise.ts";
import type { ProofKey, SignedDay, SignedRows } from "../../model/samples/proof.ts";
import type { DaySums } from "../../model/samples/sums.ts";

/** A pair of a configured exchange whose book is watched. */
export interface WatchedPair {
  readonly exchange: string;
  readonly symbol: Pair;
}

/** One of the settings, with what was promised of it. */
export interface PromisedPair extends WatchedPair {
  readonly promise?: LiquidityPromise | undefined;
}

/** What a minute shows of own orders. */
export type OwnOffer = Pick<LiquidityMinute, "ownSpread" | "ownOrders" | "ownDepth">;

export interface LiquidityStore {
  /** Of these pairs those of which nothing is kept of a minute. */
  lacking(pairs: readonly WatchedPair[], minute: number): Promise<readonly WatchedPair[]>;
  /** The first to tell of a minute is kept. What is older than 13 months goes. */
  keep(pair: WatchedPair, row: LiquidityMinute): Promise<void>;
  /** That a book was asked for in a minute, and did not come; the first to tell is kept, as long as minutes are. */
  keepMiss(pair: WatchedPair, miss: MissedMinute): Promise<void>;
  misses(pair: WatchedPair, from: number, to: number): Promise<readonly MissedMinute[]>;
  /** The first minute of which anything is kept. */
  since(pair: WatchedPair): Promise<number | undefined>;
  /** Ascending; `to` is not one of them. */
  minutes(pair: WatchedPair, from: number, to: number): Promise<readonly LiquidityMinute[]>;
  /** Own orders alone, in a third of the time. `to` is excluded. */
  ownOffers(pair: WatchedPair, from: number, to: number): Promise<readonly OwnOffer[]>;
  /** Stored sums from one day to another, both included. A day has none from when one of its minutes changes. */
  days(pair: WatchedPair, from: number, to: number): Promise<readonly DaySums[]>;
  /** Stores the sums of days whose minutes have not changed since they were read. */
  keepDays(pair: WatchedPair, days: readonly DaySums[]): Promise<void>;
}

/** Signed days. None is changed or deleted, and their minutes take no further sample. */
export interface ProofStore {
  newest(pair: WatchedPair): Promise<SignedDay | undefined>;
  /** Ascending, both days included. */
  days(pair: WatchedPair, from: number, to: number): Promise<readonly SignedDay[]>;
  /** False where another day was signed meanwhile, or the day has other rows than were signed. */
  add(pair: WatchedPair, day: SignedDay, rows: SignedRows): Promise<boolean>;
}

/** The deployment's key that signs days. Each throws SettingsError without the operator's key that encrypts it. */
export interface ProofKeys {
  /** Undefined where none was made: then no day is signed. */
  key(): Promise<ProofKey | undefined>;
  /** Makes the key where there is none. */
  createKey(): Promise<void>;
  /** Encrypts it with the first of the operator's keys; returns how many keys were under another one. */
  rotateKey(): Promise<number>;
}
