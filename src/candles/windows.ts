import type { Millis } from "../kernel/time.ts";
import type { Gap } from "./coverage.ts";
import { partsWithout, type Range } from "./ranges.ts";

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
