/** All external dependencies. Amounts and prices are Decimal; times are milliseconds. */

import type { Pair } from "../kernel/pair.ts";
import { type Millis, SECOND } from "../kernel/time.ts";
import type { ActorAndRequest } from "../model/events.ts";
import type { Candle } from "../model/market.ts";
import type { CalculationThread, HeavyLane } from "./heavy.ts";
import type { KillHere } from "./kill-permit.ts";
import type { StrategyDeps } from "./kind.ts";
import type { Signer } from "./stores/store.ts";
import type { CandleRange, CandleReader, Dex, Keys, StreamReport, Streams, Venue } from "./venue.ts";
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

/** Dependencies that operations share. A store that a feature has beside it names its own, such as `NotifyDeps`. */
export interface Deps extends StrategyDeps {
  /** Opens connections whose messages start passes early; absent without any. */
  readonly streams?: Streams | undefined;
  /** Reports this process's connections; absent if it runs no passes. */
  readonly streamReport?: (() => StreamReport) | undefined;
  /** Runs one pass over an account that no round covers, to look up unconfirmed orders. */
  readonly resolve?: (venue: Venue) => Promise<unknown>;
  /**
   * Lets simulated market time advance between passes without waiting; returns false at its end. Absent if time
   * advances by itself.
   */
  readonly letPass?: (by: Millis) => Promise<boolean>;
  /** Applies a time limit to an external read. On timeout, throws VenueError with the name of the source. */
  readonly inTime: <T>(who: string, read: () => Promise<T>) => Promise<T>;
  /** Returns warnings about exchange keys; absent if there are never any. */
  readonly warnings?: () => Promise<readonly string[]>;
  /** Returns stored exchange keys that cannot be decrypted, with the exchange of each. */
  readonly keyTroubles?: () => Promise<readonly string[]>;
  readonly dex: Dex;
  /** Stored candles for backtests; if absent, edgemaker reads candles from the exchange. */
  readonly kept?: CandleReader | undefined;
  /** Reads candles of another exchange. Throws VenueError, and AppError if it is not configured. */
  readonly candlesAt?: (exchange: string, symbol: Pair, range: CandleRange) => Promise<readonly Candle[]>;
  /** Absent if the process has a single caller. */
  readonly heavy?: HeavyLane | undefined;
  /** Runs calculations in a thread; if absent, they run in slices, and requests are served between slices. */
  readonly calculationThread?: CalculationThread | undefined;
  /** The local kill switch, which applies in addition to the stored one; absent without one. */
  readonly killHere?: KillHere;
  /** Remaining requests of this process, if the platform limits them. */
  readonly requests?: (() => number) | undefined;
  /** Sends a heartbeat to a monitoring service; absent without one. */
  readonly heartbeat?: { beat(isGood: boolean): Promise<void> };
  /** Storage of the server's exchange keys; absent for simulated exchanges. */
  readonly keys?: {
    list(): Promise<readonly KeyReport[]>;
    /** Throws VenueError if the exchange refuses the keys or there are none. */
    check(exchange: string): Promise<KeyRightsRead>;
    /**
     * Checks keys at the exchange and stores them encrypted. Throws SettingsError if they cannot be stored, and
     * VenueError if the exchange refuses them.
     */
    put(exchange: string, keys: Omit<Keys, "hash">, how: KeyStorage): Promise<KeyRightsRead>;
  };
  /** Keys that sign checkpoints of events; the first one signs new checkpoints. */
  readonly signers?: readonly Signer[];
  /** Tracer; absent without a collector. */
  readonly tracer?: Tracer | undefined;
  readonly local: Local;
  readonly log: Log;
}
