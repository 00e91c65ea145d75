import type { Millis } from "../kernel/time.ts";
import type { Candles } from "./candles.ts";

/** Bars that a source does not have: from the end of one to the beginning of another. */
export interface Gap {
  readonly from: Millis;
  readonly until: Millis;
  readonly bars: number;
}

/** A row that is in no result. */
export interface Refused {
  readonly row: string;
  readonly reason: string;
}

/** What a result rests on. Nothing is filled in: a bar that is missing is a gap. */
export interface Coverage {
  readonly bars: number;
  /** Of the first bar the beginning, of the last one the end; both 0 of no bars. */
  readonly from: Millis;
  readonly until: Millis;
  readonly gaps: number;
  readonly missingBars: number;
  readonly longestGap: Gap | null;
  /** Rows that told a bar again, all of it the same. */
  readonly duplicates: number;
  /** Rows left out because they are no bars, and the first of them. */
  readonly refusedRows: number;
  readonly refused: readonly Refused[];
  /** Of pair, span and every bar: the same data have the same one, wherever they come from. */
  readonly hash: string;
}

export function coverageOf(
  candles: Candles,
  {
    duplicates,
    refusedRows,
    refused,
    hash,
  }: Pick<Coverage, "duplicates" | "refusedRows" | "refused" | "hash">,
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

/** Every hole between the first and the last bar. */
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
