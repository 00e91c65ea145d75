/** Messages of an exchange that start a pass early. A pass takes no state from them: it reads the exchange as always. */
import type { Decimal } from "../kernel/decimal.ts";
import type { Pair } from "../kernel/pair.ts";
import type { Millis } from "../kernel/time.ts";
import type { AccountKey, AccountRef } from "../model/account.ts";

/** Something that can have happened. A hint can be wrong, repeated, late or missing. */
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
export type StreamView = StreamState & {
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
