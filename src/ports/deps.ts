/** All we ask of the world. Amounts and prices are Decimal; times are milliseconds. */

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

/** Of the keys of an exchange all but the keys. */
export interface KeyReport {
  readonly exchange: string;
  readonly from: "environment" | "database" | "nowhere";
  readonly storedAt: Millis | null;
  readonly trouble: string | null;
}

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
  /** Lets market time go on after passes, which need not wait then; false at its end. Absent where it runs by itself. */
  readonly letPass?: (by: Millis) => Promise<boolean>;
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
  /** Absent where one caller alone has this process. */
  readonly heavy?: HeavyLane | undefined;
  /** Absent where calculations are made in slices, between which this process answers. */
  readonly calculationThread?: CalculationThread | undefined;
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
  /** Pairs whose books are watched, and what was seen of them. */
  readonly liquidity?: {
    readonly store: LiquidityStore;
    readonly pairs: readonly PromisedPair[];
    /** Signed days, and the key that signs them once one was made; absent where nothing is signed. */
    readonly proofs?: ProofStore & ProofKeys;
  };
  /** What is measured; absent where nothing is. */
  readonly metrics?: MetricsStore;
  /** Alert channels what happens; absent where nobody is. */
  readonly notify?: {
    readonly store: NotifyStore;
    readonly post: Post;
    readonly mail?: SendMail | undefined;
    /** Hosts that the operator's settings name: they may be told whatever they are. */
    readonly hosts: readonly string[];
    readonly inward?: LeadsInward | undefined;
  };
  /** The server's exchange keys; absent where exchanges are simulated. */
  readonly keys?: {
    list(): Promise<readonly KeyReport[]>;
    /** Throws VenueError where the exchange refuses them, or there are none. */
    check(exchange: string): Promise<{ readonly assets: number; readonly mayWithdraw: boolean | undefined }>;
  };
  /** Keys that sign checkpoints of events, the first one for new ones. */
  readonly signers?: readonly Signer[];
  /** Measures what is done; absent where nobody collects it. */
  readonly tracer?: Tracer | undefined;
  readonly local: Local;
  readonly log: Log;
}
