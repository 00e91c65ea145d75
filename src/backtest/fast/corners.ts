import type { Corner } from "../../market/matching/corner.ts";
import type { Extremes } from "../tape/rules.ts";
import { closeAt, highAt, lowAt, openAt, type Ticks } from "../tape/ticks.ts";

/** Returns a bar as a path: open, one extreme, the other, close, at its start, its thirds and its last millisecond. */
export function cornersOf(
  bars: Ticks,
  bar: number,
  extremes: Extremes,
): readonly [Corner, Corner, Corner, Corner] {
  const { times, spanMillis } = bars.candles;
  const from = times[bar] as number;
  const [open, close] = [openAt(bars, bar), closeAt(bars, bar)];
  const [high, low] = [highAt(bars, bar), lowAt(bars, bar)];
  const highFirst = isHighFirst(bars, bar, extremes);
  return [
    { at: from, ticks: open },
    { at: from + Math.floor(spanMillis / 3), ticks: highFirst ? high : low },
    { at: from + Math.floor((2 * spanMillis) / 3), ticks: highFirst ? low : high },
    { at: from + spanMillis - 1, ticks: close },
  ];
}

export function isHighFirst(bars: Ticks, bar: number, extremes: Extremes): boolean {
  if (extremes !== "nearest") return extremes === "high_first";
  const open = openAt(bars, bar);
  return highAt(bars, bar) - open < open - lowAt(bars, bar);
}
