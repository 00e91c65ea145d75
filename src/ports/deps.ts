/** All external dependencies. Amounts and prices are Decimal; times are milliseconds. */

import { type Millis, SECOND } from "../kernel/time.ts";
import type { ActorAndRequest } from "../model/events.ts";
import type { PublicReads } from "./exchanges.ts";
import type { CalculationThread, HeavyLane } from "./heavy.ts";
import type { StrategyDeps } from "./kind.ts";
import type { Signer } from "./stores/store.ts";
import type { CandleReader, Keys, StreamReport, Streams } from "./venue.ts";
import type { Local, Log, Tracer } from "./within-time.ts";

interface KeyRightsRead {
  readonly assets: number;
  readonly mayWithdraw: boolean | undefined;
}

interface KeyStorage {
  readonly by: ActorAndRequest;
  /** Whether keys that can withdraw are stored too. */
  readonly allowsWithdrawal: boolean;
}

/** Metadata of exchange keys, without the keys. */
interface KeyReport {
  readonly exchange: string;
  readonly from: "environment" | "file" | "database" | "nowhere";
  readonly storedAt: Millis | null;
  readonly trouble: string | null;
}

/** Interval of passes without `--tick-interval`, on a server and in a backtest of a strategy with one position. */
export const DEFAULT_TICK_INTERVAL_MS: Millis = 5 * SECOND;

/** The process: its clock and its log. */
export interface ProcessDeps {
  readonly local: Local;
  readonly log: Log;
  /** Remaining requests of this process, if the platform limits them. */
  readonly requests?: (() => number) | undefined;
  /** Tracer; absent without a collector. */
  readonly tracer?: Tracer | undefined;
}

/** What only long calculations use. */
export interface HeavyDeps {
  /** Stored candles for backtests; if absent, edgemaker reads candles from the exchange. */
  readonly kept?: CandleReader | undefined;
  /** Absent if the process has a single caller. */
  readonly heavy?: HeavyLane | undefined;
  /** Runs calculations in a thread; if absent, they run in slices, and requests are served between slices. */
  readonly calculationThread?: CalculationThread | undefined;
}

/** What only a process that runs passes by itself has. */
interface ServerDeps {
  /** Opens connections whose messages start passes early; absent without any. */
  readonly streams?: Streams | undefined;
  /** Reports this process's connections; absent if it runs no passes. */
  readonly streamReport?: (() => StreamReport) | undefined;
  /** Sends a heartbeat to a monitoring service; absent without one. */
  readonly heartbeat?: { beat(isGood: boolean): Promise<void> };
  /**
   * Lets simulated market time advance between passes without waiting; returns false at its end. Absent if time
   * advances by itself.
   */
  readonly letPass?: (by: Millis) => Promise<boolean>;
}

/** The server's exchange keys. */
export interface ServerKeys {
  list(): Promise<readonly KeyReport[]>;
  /** Throws VenueError if the exchange refuses the keys or there are none. */
  check(exchange: string): Promise<KeyRightsRead>;
  /**
   * Checks keys at the exchange and stores them encrypted. Throws SettingsError if they cannot be stored, and
   * VenueError if the exchange refuses them.
   */
  put(exchange: string, keys: Omit<Keys, "hash">, how: KeyStorage): Promise<KeyRightsRead>;
  /** Returns stored keys that cannot be decrypted, with the exchange of each. */
  troubles(): Promise<readonly string[]>;
  /** Returns these troubles, and warnings about the rights of keys. */
  warnings(): Promise<readonly string[]>;
}

export interface KeyDeps {
  /** Absent for simulated exchanges. */
  readonly keys?: ServerKeys;
  /** Keys that sign checkpoints of events; the first one signs new checkpoints. */
  readonly signers?: readonly Signer[];
}

/** Dependencies that operations share. A store that a feature has beside it names its own, such as `NotifyDeps`. */
export interface Deps extends StrategyDeps, PublicReads, ProcessDeps, HeavyDeps, ServerDeps, KeyDeps {}
