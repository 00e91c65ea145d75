import { digestParts } from "../kernel/digest.ts";
import { MINUTE, type Millis } from "../kernel/time.ts";
import { type Candles, slice } from "./candles.ts";
import { bytesOf } from "./hash.ts";
import type { Refused } from "./read.ts";

/** Recorded events of a market in order: every trade, and the books between them if they were recorded. */
export interface Tape {
  /** Trades as bars with four equal prices. Several can have the same time; volume is the amount, NaN if unknown. */
  readonly prints: Candles;
  /** Null if none were recorded. */
  readonly books: TapeBooks | null;
}

/** Snapshots of an order book in columns, oldest first. */
export interface TapeBooks {
  readonly times: Float64Array;
  /** Where the levels of each snapshot begin, bids first; one entry more than snapshots. */
  readonly starts: Uint32Array;
  /** Where its asks begin. */
  readonly asks: Uint32Array;
  /** Price of each level, best first on each side. */
  readonly prices: Float64Array;
  readonly amounts: Float64Array;
}

/** Data behind a result over a tape. Nothing is filled in. */
export interface TapeCoverage {
  readonly prints: number;
  readonly books: number;
  /** Whether the file has amounts; without them, each trade is enough for any order. */
  readonly hasAmounts: boolean;
  /** Times of the first and the last trade. */
  readonly from: Millis;
  readonly until: Millis;
  /** Number of pauses longer than a minute without a trade, and the longest one. */
  readonly gaps: number;
  readonly longestGap: Millis;
  /** Number of identical trades whose id was already read. */
  readonly duplicates: number;
  readonly refusedRows: number;
  readonly refused: readonly Refused[];
  /** SHA-256 of the pair and every event of the file. */
  readonly hash: string;
}

/** Data read from a file. */
export interface TapeReading extends Pick<TapeCoverage, "duplicates" | "refusedRows" | "refused"> {
  readonly tape: Tape;
}

/** A file's tape with data about the file. */
export interface TapeFile extends TapeReading {
  readonly hash: string;
}

/** Returns the events from one time to before another, in the same memory. */
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
    prints: times.length,
    books: books?.times.length ?? 0,
    hasAmounts: !Number.isNaN(volume[0]),
    from: times[0] ?? 0,
    until: times.at(-1) ?? 0,
    gaps,
    longestGap,
    duplicates,
    refusedRows,
    refused,
    hash,
  };
}

export function hashTape({ prints, books }: Tape): Promise<string> {
  const { pair, scale, times, close, volume } = prints;
  const head = new TextEncoder().encode(`${pair} ${scale} ${times.length} ${books?.times.length ?? 0}`);
  const levels = books ? [books.times, books.prices, books.amounts].map(bytesOf) : [];
  const starts = books ? [books.starts, books.asks].map(({ buffer }) => new Uint8Array(buffer)) : [];
  return digestParts([head, ...[times, close, volume].map(bytesOf), ...levels, ...starts] as never);
}
