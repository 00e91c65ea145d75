import type { Pair } from "../../kernel/pair.ts";
import type { LiquidityMinute } from "../../model/liquidity-minute.ts";

/** A pair of a configured exchange whose book is watched. */
export interface WatchedPair {
  readonly exchange: string;
  readonly symbol: Pair;
}

export interface LiquidityStore {
  /** Of these pairs those of which nothing is kept of a minute. */
  lacking(pairs: readonly WatchedPair[], minute: number): Promise<readonly WatchedPair[]>;
  /** The first to tell of a minute is kept. What is older than 13 months goes. */
  keep(pair: WatchedPair, row: LiquidityMinute): Promise<void>;
  /** Ascending; `to` is not one of them. */
  minutes(pair: WatchedPair, from: number, to: number): Promise<readonly LiquidityMinute[]>;
}
