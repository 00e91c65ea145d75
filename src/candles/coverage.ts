import type { Millis } from "../kernel/time.ts";
import type { Candles } from "./candles.ts";

/** Bars that a source lacks: from the end of one bar to the start of another. */
export interface Gap {
  readonly from: Millis;
  readonly until: Millis;
  readonly bars: number;
}

/** A row that was excluded. */
export interface Refused {
  readonly row: string;
  readonly reason: string;
}

/** Data behind a result. Nothing is filled in: a missing bar is a gap. */
export interface Coverage {
  readonly bars: number;
  /** Start of the first bar and end of the last one; both 0 without bars. */
  readonly from: Millis;
  readonly until: Millis;
  readonly gaps: number;
  readonly missingBars: number;
  readonly longestGap: Gap | null;
  /** Number of rows that repeat an identical bar. */
  readonly duplicates: number;
  /** Number of invalid rows that were skipped, and the first of them. */
  readonly refusedRows: number;
  readonly refused: readonly Refused[];
  /** Hash of pair, span and every bar: the same data have the same hash, whatever their source. */
  readonly hash: string;
}

/** Rows of a file that are not in its data. */
export type CountedRows = Pick<Coverage, "duplicates" | "refusedRows" | "refused">;

export function coverageOf(
  candles: Candles,
  { duplicates, refusedRows, refused, hash }: CountedRows & Pick<Coverage, "hash">,
): Coverage {
  const gaps = gapsOf(candles);
  const longest = gaps.reduce<Gap | null>((most, gap) => (most && most.bars >= gap.bars ? most : gap), null);
  const last = candles.times.at(-1);
  return {
    bars: candles.times.length,
    from: candles.times[0] ?? 0,
    until: last === undefined ? 0 : last + candles.spanMillis,
    gaps: gaps.length,
    missingBars: gaps.reduce((total, { bars }) => total + bars, 0),
    longestGap: longest,
    ...{ duplicates, refusedRows, refused, hash },
  };
}

/** Returns every gap between the first and the last bar. */
export function gapsOf({ times, spanMillis }: Pick<Candles, "times" | "spanMillis">): Gap[] {
  const gaps: Gap[] = [];
  for (let row = 1; row < times.length; row++) {
    const step = (times[row] as number) - (times[row - 1] as number);
    if (step <= spanMillis) continue;
    const bars = Math.max(1, Math.round(step / spanMillis) - 1);
    gaps.push({ from: (times[row - 1] as number) + spanMillis, until: times[row] as number, bars });
  }
  return gaps;
}
