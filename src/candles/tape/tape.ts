import { digestParts } from "../../kernel/digest.ts";
import { MINUTE, type Millis } from "../../kernel/time.ts";
import { type Candles, slice } from "../candles.ts";
import type { Refused } from "../coverage.ts";
import { bytesOf } from "../hash.ts";

/** What was recorded of a market, one event after the other: every print, and the books between them where they were. */
export interface Tape {
  /**
   * Prints as bars of their own, whose four prices are one. Several may have one time; volume is the amount, not a
   * number where it is not known.
   */
  readonly prints: Candles;
  /** Null where none were recorded. */
  readonly books: TapeBooks | null;
}

/** Snapshots of an order book in columns, oldest first. */
export interface TapeBooks {
  readonly times: Float64Array;
  /** Where the levels of each begin; its bids come first. One more than there are snapshots. */
  readonly starts: Uint32Array;
  /** Where its asks begin. */
  readonly asks: Uint32Array;
  /** Of each level, best first on each side. */
  readonly prices: Float64Array;
  readonly amounts: Float64Array;
}

/** What a result over a tape rests on. Nothing is filled in. */
export interface TapeCoverage {
  readonly prints: number;
  readonly books: number;
  /** False where the file tells none: then each print is enough for any order. */
  readonly hasAmounts: boolean;
  /** Of the first print, and of the last one. */
  readonly from: Millis;
  readonly until: Millis;
  /** Times of more than a minute without a print, and the longest time between two. */
  readonly gaps: number;
  readonly longestGap: Millis;
  /** Prints whose id was there already, all of it the same. */
  readonly duplicates: number;
  readonly refusedRows: number;
  readonly refused: readonly Refused[];
  /** SHA-256 of the pair and every event of the file. */
  readonly hash: string;
}

/** What a file has told. */
export interface TapeReading extends Pick<TapeCoverage, "duplicates" | "refusedRows" | "refused"> {
  readonly tape: Tape;
}

/** A file's tape, and what is known of the file. */
export interface TapeFile extends TapeReading {
  readonly hash: string;
}

/** The events from one time to before another, over the same memory. */
export function sliceTape({ prints, books }: Tape, since: Millis, until: Millis): Tape {
  if (!books) return { prints: slice(prints, since, until), books };
  const [first, end] = [since, until].map((at) => books.times.findIndex((time) => time >= at));
  const from = first === -1 ? books.times.length : (first ?? 0);
  const to = end === -1 ? books.times.length : (end ?? 0);
  return {
    prints: slice(prints, since, until),
    books: {
      ...books,
      times: books.times.subarray(from, to),
      starts: books.starts.subarray(from, to + 1),
      asks: books.asks.subarray(from, to),
    },
  };
}

export function tapeCoverage({ prints, books }: Tape, file: Omit<TapeFile, "tape">): TapeCoverage {
  const { times, volume } = prints;
  let [gaps, longestGap] = [0, 0];
  for (let i = 1; i < times.length; i++) {
    const span = (times[i] as number) - (times[i - 1] as number);
    if (span > MINUTE) gaps++;
    if (span > longestGap) longestGap = span;
  }
  const { duplicates, refusedRows, refused, hash } = file;
  return {
    ...{ prints: times.length, books: books?.times.length ?? 0, hasAmounts: !Number.isNaN(volume[0]) },
    ...{ from: times[0] ?? 0, until: times.at(-1) ?? 0, gaps, longestGap },
    ...{ duplicates, refusedRows, refused, hash },
  };
}

export function hashTape({ prints, books }: Tape): Promise<string> {
  const { pair, scale, times, close, volume } = prints;
  const head = new TextEncoder().encode(`${pair} ${scale} ${times.length} ${books?.times.length ?? 0}`);
  const levels = books ? [books.times, books.prices, books.amounts].map(bytesOf) : [];
  const starts = books ? [books.starts, books.asks].map(({ buffer }) => new Uint8Array(buffer)) : [];
  return digestParts([head, ...[times, close, volume].map(bytesOf), ...levels, ...starts] as never);
}
