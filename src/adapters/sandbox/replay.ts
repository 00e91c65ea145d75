import type { Candles } from "../../candles/candles.ts";
import { type Decimal, divideWhole, ONE } from "../../kernel/decimal.ts";
import { HOUR, type Millis } from "../../kernel/time.ts";
import { between, type Corner } from "../../market/matching/corner.ts";
import { type PricePath, sampled } from "./path.ts";

/**
 * Returns a path through every candle: open, high, low and close in its quarters. Before the first candle it is the
 * generated path that leads there; after the last it stays at the last close.
 */
export function replayPath(candles: Candles, tick: Decimal, before: (first: Corner) => PricePath): PricePath {
  const { times } = candles;
  const cornerAt = eachCornerOf(candles, tick);
  const count = 4 * times.length;
  const totals = runningTotals(candles.volume);
  const [first, last] = [cornerAt(0), cornerAt(count - 1)];
  const earlier = before(first);
  const firstAfter = (time: Millis) => firstPlaceWhere(count, (index) => cornerAt(index).at > time);
  const firstAtOrAfter = (time: Millis) =>
    firstPlaceWhere(times.length, (bar) => (times[bar] as number) >= time);
  const at = (time: Millis): number => {
    if (time < first.at) return earlier.at(time);
    const next = firstAfter(time);
    return next < count ? between(cornerAt(next - 1), cornerAt(next), time) : last.ticks;
  };
  const cornersIn = (from: Millis, to: Millis): Corner[] => {
    const found = from < first.at ? earlier.corners(from, Math.min(to, first.at)) : [];
    for (let index = firstAfter(from); index < count; index++) {
      const corner = cornerAt(index);
      if (corner.at >= to) return found;
      found.push(corner);
    }
    return found;
  };
  return {
    at,
    corners: cornersIn,
    inside(from, to) {
      if (to <= first.at) return earlier.inside(from, to);
      const isWalked = from >= first.at && to - from <= LONGEST_REPLAY_WALKED;
      return isWalked ? cornersIn(from, to).map(({ ticks }) => ticks) : sampled(at, from, to);
    },
    volume(from, to) {
      const [start, end] = [from, to].map((time) => totals[firstAtOrAfter(time)] ?? 0);
      return (end ?? 0) - (start ?? 0);
    },
  };
}

/** Longest candle that is computed exactly from the file's candles, which have few turning points. */
const LONGEST_REPLAY_WALKED: Millis = 4 * HOUR;

/** Returns the turning point at a position, four per bar, computed on demand: a year of minutes has two million. */
function eachCornerOf(
  { times, open, high, low, close, scale, spanMillis }: Candles,
  tick: Decimal,
): (index: number) => Corner {
  const offsets = [0, spanMillis / 3, (2 * spanMillis) / 3, spanMillis - 1].map(Math.floor);
  const quarters = [open, high, low, close];
  const unit = ONE / 10n ** BigInt(scale);
  return (place) => {
    const [bar, quarter] = [place >>> 2, place & 3];
    const price = BigInt(quarters[quarter]?.[bar] as number) * unit;
    return {
      at: (times[bar] as number) + (offsets[quarter] as number),
      ticks: Number(divideWhole(price, tick, "half")),
    };
  };
}

/** Returns totals of the bars before each one; for a time after the last one, of all. */
function runningTotals(volumes: Float64Array): Float64Array {
  const totals = new Float64Array(volumes.length + 1);
  for (let bar = 0; bar < volumes.length; bar++)
    totals[bar + 1] = (totals[bar] as number) + (volumes[bar] as number);
  return totals;
}

/** Returns the first position at which the condition is true, if it is true from some position on. */
function firstPlaceWhere(length: number, holds: (index: number) => boolean): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
