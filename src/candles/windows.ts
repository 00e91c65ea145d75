import type { Millis } from "../kernel/time.ts";
import type { Gap } from "./read.ts";

/** Maximum number of candles per request that every exchange's adapter supports. */
export const CANDLE_PAGE = 1000;

/** Returns the missing parts of a range as requests of one page each, oldest first. */
export function windowsOf(requests: readonly Range[], range: Range, spanMillis: Millis): Range[] {
  return partsWithout(requests, range).flatMap((part) => pagesOf(part, spanMillis));
}

function pagesOf({ from, until }: Range, spanMillis: Millis): Range[] {
  const pages: Range[] = [];
  for (let at = from; at < until; at += CANDLE_PAGE * spanMillis)
    pages.push({ from: at, until: Math.min(until, at + CANDLE_PAGE * spanMillis) });
  return pages;
}

/** Returns gaps that were not requested again yet, as few requests as possible, oldest first. */
export function holesOf(
  gaps: readonly Gap[],
  requestedAgain: readonly Range[],
  range: Range,
  spanMillis: Millis,
): Range[] {
  const windows: Range[] = [];
  for (const gap of gaps) {
    const part = { from: Math.max(gap.from, range.from), until: Math.min(gap.until, range.until) };
    for (const hole of part.from < part.until ? partsWithout(requestedAgain, part) : []) {
      const last = windows.at(-1);
      if (last && hole.until - last.from <= CANDLE_PAGE * spanMillis)
        windows[windows.length - 1] = { from: last.from, until: hole.until };
      else windows.push(...pagesOf(hole, spanMillis));
    }
  }
  return windows;
}

/** A span from a time to before another. */
export interface Range {
  readonly from: Millis;
  readonly until: Millis;
}

/** Adds a range: the result is ascending without overlaps. */
export function withRange(ranges: readonly Range[], added: Range): Range[] {
  if (added.until <= added.from) return [...ranges];
  const touches = ({ from, until }: Range) => from <= added.until && until >= added.from;
  const joined = ranges
    .filter(touches)
    .reduce(
      (whole, { from, until }) => ({ from: Math.min(whole.from, from), until: Math.max(whole.until, until) }),
      added,
    );
  return [...ranges.filter((range) => !touches(range)), joined].sort((a, b) => a.from - b.from);
}

/** Returns the parts of a range that no other range covers, ascending. `ranges` are ascending without overlaps. */
export function partsWithout(ranges: readonly Range[], whole: Range): Range[] {
  const parts: Range[] = [];
  let from = whole.from;
  for (const { from: start, until } of ranges) {
    if (until <= from || start >= whole.until) continue;
    if (start > from) parts.push({ from, until: start });
    from = Math.max(from, until);
  }
  if (from < whole.until) parts.push({ from, until: whole.until });
  return parts;
}
