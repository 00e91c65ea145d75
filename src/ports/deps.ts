/** All external dependencies. Amounts and prices are Decimal; times are milliseconds. */

import type { Pair } from "../kernel/pair.ts";
import type { Millis } from "../kernel/time.ts";
import type { AccountRef } from "../model/account.ts";
import type { Limits } from "../model/limits.ts";
import type { CandleReader } from "./candles.ts";
import type { Dex } from "./dex.ts";
import type { CalculationThread, HeavyLane } from "./heavy.ts";
import type { KillHere } from "./kill-here.ts";
import type { Kinds } from "./kind.ts";
import type { Local, Log } from "./local.ts";
import type { LeadsInward, Post, SendMail } from "./outbound.ts";
import type { DryRuns } from "./paper.ts";
import type { Reference } from "./reference.ts";
import type { Signer } from "./stores/audit-store.ts";
import type { LiquidityStore, PromisedPair, ProofKeys, ProofStore } from "./stores/liquidity-store.ts";
import type { MetricsStore } from "./stores/metrics-store.ts";
import type { NotifyStore } from "./stores/notify-store.ts";
import type { ReportStore } from "./stores/report-store.ts";
import type { Store } from "./stores/store.ts";
import type { Tracer } from "./tracer.ts";
import type { ExchangeInfo, Keys, Venue } from "./venue.ts";

/** Metadata of exchange keys, without the keys. */
export interface KeyReport {
  readonly exchange: string;
  readonly from: "environment" | "database" | "nowhere";
  readonly storedAt: Millis | null;
  readonly trouble: string | null;
}

/** Dependencies of an operation. */
export interface Deps {
  readonly exchanges: readonly ExchangeInfo[];
  /** The venue of a configured exchange id, with the server's keys or the ones given. */
  readonly venue: (exchange: string, keys?: Keys) => Venue;
  /** Absent without paper trading. */
  readonly dry?: DryRuns;
  /** The venue behind a stored account; undefined when this process is not configured for it. */
  readonly venueOf: (account: AccountRef) => Venue | undefined;
  /** Runs one pass over an account that no tick covers, to look up unconfirmed orders. */
  readonly resolve?: (venue: Venue) => Promise<unknown>;
  /** Returns the market time of an account at a protocol time. They are equal on real exchanges. */
  readonly marketTime: (account: AccountRef, now: Millis) => Millis;
  /** Lets market time go on after passes, which need not wait then; false at its end. Absent where it runs by itself. */
  readonly letPass?: (by: Millis) => Promise<boolean>;
  /** Applies a time limit to an external read. On timeout, throws VenueError with the name of the source. */
  readonly inTime: <T>(who: string, read: () => Promise<T>) => Promise<T>;
  /** Warnings about exchange keys; absent without any. */
  readonly warnings?: () => Promise<readonly string[]>;
  /** Stored exchange keys that cannot be opened, by exchange; absent where there are none. */
  readonly keyTroubles?: () => Promise<readonly string[]>;
  readonly dex: Dex;
  /** Candles to look back on; absent where none are kept: then the exchange is asked. */
  readonly kept?: CandleReader | undefined;
  /** Reads a pair's price from other exchanges and the chain; absent without other sources. */
  readonly reference?: (exchange: string, symbol: Pair) => Promise<Reference>;
  /** Absent if the process has a single caller. */
  readonly heavy?: HeavyLane | undefined;
  /** Absent where calculations are made in slices, between which this process answers. */
  readonly calculationThread?: CalculationThread | undefined;
  readonly store: Store;
  /** The kinds of strategies that this program knows. */
  readonly kinds: Kinds;
  /** What the store says of the kill switch comes from here too, where there is one. */
  readonly killHere?: KillHere;
  /** Limits from the settings. They apply in addition to stored limits, which cannot raise them. */
  readonly limits?: Limits | undefined;
  /** Interval of passes in protocol time; undefined if this process runs none. */
  readonly interval?: Millis | undefined;
  /** Remaining requests of this process, if the platform limits them. */
  readonly requests?: (() => number) | undefined;
  /** Sends a heartbeat to a monitoring service; absent without one. */
  readonly heartbeat?: { beat(isGood: boolean): Promise<void> };
  /** Daily figures; absent without reports. */
  readonly reports?: ReportStore;
  /** Sampled pairs and their samples. */
  readonly liquidity?: {
    readonly store: LiquidityStore;
    readonly pairs: readonly PromisedPair[];
    /** Signed days, and the key that signs them after it is created; absent if nothing is signed. */
    readonly proofs?: ProofStore & ProofKeys;
  };
  /** Metrics; absent without any. */
  readonly metrics?: MetricsStore;
  /** Alert channels what happens; absent where nobody is. */
  readonly notify?: {
    readonly store: NotifyStore;
    readonly post: Post;
    readonly mail?: SendMail | undefined;
    /** Hosts that the settings allow as message targets, even private ones. */
    readonly hosts: readonly string[];
    readonly inward?: LeadsInward | undefined;
  };
  /** The server's exchange keys; absent for simulated exchanges. */
  readonly keys?: {
    list(): Promise<readonly KeyReport[]>;
    /** Throws VenueError if the exchange refuses the keys or there are none. */
    check(exchange: string): Promise<{ readonly assets: number; readonly mayWithdraw: boolean | undefined }>;
  };
  /** Keys that sign checkpoints of events, the first one for new ones. */
  readonly signers?: readonly Signer[];
  /** Tracer; absent without a collector. */
  readonly tracer?: Tracer | undefined;
  readonly local: Local;
  readonly log: Log;
}
