import { type Decimal, divideWhole, parseDecimal } from "../../kernel/decimal.ts";
import { HOUR, MINUTE, type Millis } from "../../kernel/time.ts";
import { between, type Corner } from "../../market/matching/corner.ts";
import { type PricePath, sampled } from "./path.ts";

/** Candles of one span in columns; prices in quote. */
export interface CandleFile {
  readonly times: readonly Millis[];
  readonly rows: readonly (readonly [open: Decimal, high: Decimal, low: Decimal, close: Decimal])[];
  readonly volumes: readonly number[];
}

const HEADER = ["timestamp", "open", "high", "low", "close", "volume"];

/** Reads `timestamp,open,high,low,close,volume`; times in ISO 8601 UTC or in milliseconds. Throws naming the line. */
export function parseCandleFile(csv: string): CandleFile {
  const [header = "", ...lines] = csv.trim().split(/\r?\n/);
  if (header.trim().toLowerCase() !== HEADER.join(",")) {
    throw new RangeError(`line 1: expected the columns ${HEADER.join(",")}`);
  }
  const times: Millis[] = [];
  const rows: [Decimal, Decimal, Decimal, Decimal][] = [];
  const volumes: number[] = [];
  for (const [place, line] of lines.entries()) {
    const [time = "", open = "", high = "", low = "", close = "", volume = ""] = line.split(",");
    const at = timeOf(time);
    const prices = [open, high, low, close].map(positive);
    const [o, h, l, c] = prices;
    const last = times.at(-1);
    const good =
      o !== undefined &&
      h !== undefined &&
      l !== undefined &&
      c !== undefined &&
      at !== undefined &&
      (last === undefined || at > last) &&
      Number(volume) >= 0 &&
      volume !== "";
    if (!good)
      throw new RangeError(`line ${place + 2}: not a candle in ascending time: ${line.slice(0, 80)}`);
    times.push(at);
    rows.push([o, h, l, c]);
    volumes.push(Number(volume));
  }
  if (times.length === 0) throw new RangeError("the file has no candles");
  return { times, rows, volumes };
}

function timeOf(text: string): Millis | undefined {
  if (/^\d+$/.test(text)) return Number(text);
  const iso = /^(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?Z?$/.exec(text);
  const at = iso
    ? Date.parse(`${iso[1]}T${iso[2]}Z`) + Math.floor(Number(`0.${iso[3] ?? 0}`) * 1000)
    : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}

const positive = (text: string): Decimal | undefined => {
  const value = parseDecimal(text);
  return value !== undefined && value > 0n ? value : undefined;
};

/**
 * A path through every candle, walked open, high, low, close in its quarters. Before the first
 * candle it is the generated path that leads there, after the last it holds the last close.
 */
export function replayPath(file: CandleFile, tick: Decimal, before: (first: Corner) => PricePath): PricePath {
  const span = spanOf(file.times);
  const corners = file.rows.flatMap((row, place) => {
    const from = file.times[place] ?? 0;
    const offsets = [0, span / 3, (2 * span) / 3, span - 1];
    return row.map((price, quarter) => ({
      at: from + Math.floor(offsets[quarter] ?? 0),
      ticks: Number(divideWhole(price, tick, "half")),
    }));
  });
  const totals = runningTotals(file.volumes);
  const first = corners[0] as Corner;
  const last = corners.at(-1) as Corner;
  const earlier = before(first);
  const at = (time: Millis): number => {
    if (time < first.at) return earlier.at(time);
    const next = firstAfter(corners, time);
    const [left, right] = [corners[next - 1] ?? first, corners[next]];
    return right ? between(left, right, time) : last.ticks;
  };
  const cornersIn = (from: Millis, to: Millis): Corner[] => {
    const found = from < first.at ? earlier.corners(from, Math.min(to, first.at)) : [];
    for (let place = firstAfter(corners, from); ; place++) {
      const corner = corners[place];
      if (!corner || corner.at >= to) return found;
      found.push(corner);
    }
  };
  return {
    at,
    corners: cornersIn,
    inside(from, to) {
      if (to <= first.at) return earlier.inside(from, to);
      const isWalked = from >= first.at && to - from <= WALKED;
      return isWalked ? cornersIn(from, to).map(({ ticks }) => ticks) : sampled(at, from, to);
    },
    volume(from, to) {
      const [start, end] = [from, to].map((time) => totals[firstAtOrAfter(file.times, time)] ?? 0);
      return (end ?? 0) - (start ?? 0);
    },
  };
}

/** The file's own candles have few corners: so many of them are walked for one that is asked for. */
const WALKED: Millis = 4 * HOUR;

/** How long a candle lasts: the least distance of two, a minute when there is only one. */
const spanOf = (times: readonly Millis[]): Millis =>
  times.reduce(
    (least, time, place) => Math.min(least, time - (times[place - 1] ?? -Infinity)),
    times.length > 1 ? Infinity : MINUTE,
  );

function runningTotals(volumes: readonly number[]): number[] {
  let total = 0;
  return [0, ...volumes.map((volume) => (total += volume))];
}

const firstAfter = (corners: readonly Corner[], time: Millis): number =>
  search(corners.length, (place) => (corners[place]?.at ?? 0) > time);
const firstAtOrAfter = (times: readonly Millis[], time: Millis): number =>
  search(times.length, (place) => (times[place] ?? 0) >= time);

/** The first place at which the condition holds, if it holds from some place on. */
function search(length: number, holds: (place: number) => boolean): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
