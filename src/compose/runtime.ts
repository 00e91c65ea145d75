import type { Pair } from "../kernel/pair.ts";
import type { Millis } from "../kernel/time.ts";
import type { CandleFile, CandleReader } from "../ports/candles.ts";
import type { StrategyDefinitions } from "../ports/definition.ts";
import type { CalculationThread, HeavyLane } from "../ports/heavy.ts";
import type { Local, Log } from "../ports/local.ts";
import type { LeadsInward, Post, SendMail } from "../ports/outbound.ts";
import type { Streams } from "../ports/stream.ts";
import type { Tracer } from "../ports/tracer.ts";
import type { Migration, NewSchema } from "../storage/client/migrate.ts";
import type { Database } from "../storage/client/safe-client.ts";
import type { LiveOptions, LiveVenues } from "./live.ts";

/** Functions and files that the platform provides. */
export interface Runtime {
  readonly client: Database;
  /** Applied at the start; empty if another program applies them. */
  readonly migrations: readonly Migration[];
  /** What the migrations create in a new database. */
  readonly schema?: NewSchema | undefined;
  readonly local: Local;
  readonly log: Log;
  /** Strategies that the user wrote. */
  readonly definitions?: StrategyDefinitions;
  /** Reads a file's candles in any supported format. */
  readonly readCandles: (file: string, pair: Pair) => Promise<CandleFile>;
  /** Candles that were downloaded or imported on this machine. */
  readonly kept?: CandleReader;
  readonly live?: LiveOptions;
  /** Whether the database's kind was already checked. */
  readonly isChecked?: boolean;
  /** Whether a person is managing the keys, so invalid keys are not an error. */
  readonly putsKeysInOrder?: boolean;
  readonly requests?: (() => number) | undefined;
  /** Interval of its passes. */
  readonly interval?: Millis | undefined;
  readonly tracer?: Tracer | undefined;
  /** Connects the exchanges' streams; absent if the platform keeps no connections open. */
  readonly streams?: (accessOf: LiveVenues["accessOf"]) => Streams;
  /** Sends messages; absent, no alerts are sent. */
  readonly post?: Post;
  readonly mail?: SendMail;
  /** Absent if the platform reaches no private addresses. */
  readonly inward?: LeadsInward;
  readonly heavy?: HeavyLane;
  readonly calculationThread?: CalculationThread | undefined;
  /** Returns why this machine blocks orders; undefined if it does not. */
  readonly killed?: () => string | undefined;
  /** Path of the kill file, for messages. */
  readonly killFile?: string;
}
