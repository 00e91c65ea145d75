import type { Candles } from "../candles/candles.ts";
import type { Coverage } from "../candles/coverage.ts";
import type { TapeFile } from "../candles/tape/tape.ts";
import type { Pair } from "../kernel/pair.ts";
import type { Millis } from "../kernel/time.ts";

export interface CandlesRequest {
  readonly exchange: string;
  readonly symbol: Pair;
  /** Length of a bar in milliseconds. */
  readonly span: Millis;
  /** Market time, inclusive; `until` exclusive. */
  readonly since?: Millis | undefined;
  readonly until?: Millis | undefined;
}

/** All candles of a file. */
export interface CandleFile {
  readonly candles: Candles;
  readonly coverage: Coverage;
}

/** Local candles: a given file, or downloaded and imported candles. */
export interface CandleReader {
  /** Whether it reads a file that the user named, whatever the exchange. */
  readonly isFile?: boolean;
  /** Returns undefined without candles. */
  readonly candles: (request: CandlesRequest) => Promise<Candles | undefined>;
  /** Trades and the order books between them, if the user named a file of those; candles are not read then. */
  readonly tape?: ((symbol: Pair) => Promise<TapeFile | undefined>) | undefined;
}
