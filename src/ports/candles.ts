import type { Candles } from "../candles/candles.ts";
import type { Coverage } from "../candles/coverage.ts";
import type { TapeFile } from "../candles/tape/tape.ts";
import type { Pair } from "../kernel/pair.ts";
import type { Millis } from "../kernel/time.ts";

export interface AskedCandles {
  readonly exchange: string;
  readonly symbol: Pair;
  /** How long a bar lasts. */
  readonly span: Millis;
  /** Market time, inclusive; `until` exclusive. */
  readonly since?: Millis | undefined;
  readonly until?: Millis | undefined;
}

/** A whole file's candles. */
export interface CandleFile {
  readonly candles: Candles;
  readonly coverage: Coverage;
}

/** Candles that are kept where this runs: a file that was named, or what was downloaded and imported. */
export interface CandleReader {
  /** Undefined where there are none of them. */
  readonly candles: (asked: AskedCandles) => Promise<Candles | undefined>;
  /** Prints, and books between them, where a file of those was named: candles are not asked for then. */
  readonly tape?: ((symbol: Pair) => Promise<TapeFile | undefined>) | undefined;
}
