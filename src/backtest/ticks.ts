import { type Candles, type Column, MAX_INT32 } from "../candles/candles.ts";
import { type Decimal, divideWhole, ONE, ZERO } from "../kernel/decimal.ts";
import type { Millis } from "../kernel/time.ts";

/** Candles in whole steps of the price, with the extremes of every block of bars. */
export interface Ticks {
  readonly candles: Candles;
  /** The largest step of which the market's tick and the last decimal of the candles are multiples. */
  readonly step: Decimal;
  /** Number of bars. */
  readonly count: number;
  /**
   * Open, low, high and close of consecutive bars, adjacent in memory. After the last bar there is one that reaches
   * every price, so a search needs no check for the end.
   */
  readonly rows: Column;
  readonly blocks: Levels;
}

export const openAt = ({ rows }: Ticks, bar: number): number => rows[4 * bar] as number;
export const lowAt = ({ rows }: Ticks, bar: number): number => rows[4 * bar + 1] as number;
export const highAt = ({ rows }: Ticks, bar: number): number => rows[4 * bar + 2] as number;
export const closeAt = ({ rows }: Ticks, bar: number): number => rows[4 * bar + 3] as number;

const known = new WeakMap<Candles, Map<Decimal, Ticks>>();

/** Converts candles to whole steps, exactly; the same candles and tick are converted once. */
export function ticksOf(candles: Candles, tick: Decimal): Ticks {
  const ofCandles = known.get(candles) ?? new Map<Decimal, Ticks>();
  known.set(candles, ofCandles);
  const found = ofCandles.get(tick);
  if (found) return found;
  const unit = ONE / 10n ** BigInt(candles.scale);
  let [step, rest] = [unit, tick];
  while (rest !== ZERO) [step, rest] = [rest, step % rest];
  const rows = stepRows(candles, Number(unit / step));
  const made: Ticks = { candles, step, count: candles.times.length, rows, blocks: blockLevels(rows) };
  ofCandles.set(tick, made);
  return made;
}

function stepRows({ open, low, high, close }: Candles, times: number): Column {
  let highest = 0;
  for (const price of high) highest = Math.max(highest, price);
  const length = 4 * (high.length + 1);
  const rows = highest * times <= MAX_INT32 ? new Int32Array(length) : new Float64Array(length);
  for (let i = 0, at = 0; i < open.length; i++, at += 4) {
    rows[at] = (open[i] as number) * times;
    rows[at + 1] = (low[i] as number) * times;
    rows[at + 2] = (high[i] as number) * times;
    rows[at + 3] = (close[i] as number) * times;
  }
  rows[length - 3] = NO_TICK;
  return rows;
}

/** Below every price; no bar reaches it. */
const NO_TICK = -MAX_INT32;

/** A lower and an upper price in steps; an event happens at or beyond either of them. */
export interface TickReach {
  readonly below: number;
  readonly above: number;
}

/** Returns the first bar from `from` on that reaches either price; past the end if none does. */
export function nextBar({ rows, blocks }: Ticks, from: number, below: number, above: number): number {
  const [tiny, small, large] = blocks;
  const least = Math.max(below, NO_TICK);
  for (let bar = from; ; ) {
    do {
      if ((rows[4 * bar + 1] as number) <= least || (rows[4 * bar + 2] as number) >= above) return bar;
      bar++;
    } while ((bar & 7) !== 0);
    // Move up to larger blocks when one begins here, then down into the first one that reaches a price.
    let block = bar >> 3;
    while ((block & 7) !== 0 && isQuiet(tiny, block, least, above)) block++;
    if ((block & 7) === 0) {
      block >>= 3;
      while ((block & 63) !== 0 && isQuiet(small, block, least, above)) block++;
      if ((block & 63) === 0) {
        block >>= 6;
        while (isQuiet(large, block, least, above)) block++;
        block <<= 6;
        while (isQuiet(small, block, least, above)) block++;
      }
      block <<= 3;
      while (isQuiet(tiny, block, least, above)) block++;
    }
    bar = block << 3;
  }
}

const isQuiet = (blocks: Blocks, block: number, least: number, above: number): boolean =>
  (blocks[2 * block] as number) > least && (blocks[2 * block + 1] as number) < above;

/** The highest price in steps at which an open buy has filled, and the lowest at which a sell has. */
export interface FillPrices {
  readonly buy: (price: Decimal) => number;
  readonly sell: (price: Decimal) => number;
}

/** Returns fill prices: a buy meets the ask and a sell the bid, half a spread away from a bar's price. */
export function fillPricesOf(step: Decimal, { fill, spread }: Pick<Rules, "fill" | "spread">): FillPrices {
  const [up, down] = [step * (2n * ONE + spread), step * (2n * ONE - spread)];
  const beyond = fill === "cross";
  return {
    buy: (price) => {
      const most = divideWhole(2n * ONE * price, up, beyond ? "up" : "down");
      return Number(beyond ? most - 1n : most);
    },
    sell: (price) => {
      const least = divideWhole(2n * ONE * price, down, beyond ? "down" : "up");
      return Number(beyond ? least + 1n : least);
    },
  };
}

/** Returns the number of bars missing between the first and the last. */
export function missingBars({ times, spanMillis }: Candles): number {
  const span = (times.at(-1) as number) - (times[0] as number);
  return Math.max(0, Math.round(span / spanMillis) + 1 - times.length);
}

/** Extremes of blocks of bars; the lowest and the highest of a block are adjacent, for fast memory access. */
export type Blocks = Column;

/** Blocks of 8 bars, of 64 and of 4,096. */
type Levels = readonly [tiny: Blocks, small: Blocks, large: Blocks];

/** Builds the blocks of bars, each of them four consecutive prices: open, low, high and close. */
function blockLevels(rows: Column): Levels {
  const tiny = blocksOf(rows, 8, 4);
  const small = blocksOf(tiny, 8, 2);
  return [tiny, small, blocksOf(small, 64, 2)];
}

/** Builds blocks from rows of this width, or from smaller blocks. The lowest is before the highest in both. */
function blocksOf(of: Column, size: number, width: 2 | 4): Blocks {
  const offset = width === 4 ? 1 : 0;
  const count = Math.ceil(of.length / (size * width));
  // Of the same type; every price in it is replaced.
  const blocks = of.slice(0, 2 * count);
  for (let block = 0; block < count; block++) {
    const from = block * size * width + offset;
    const end = Math.min(of.length, from + size * width);
    let least = of[from] as number;
    let most = of[from + 1] as number;
    for (let i = from + width; i < end; i += width) {
      const low = of[i] as number;
      const high = of[i + 1] as number;
      if (low < least) least = low;
      if (high > most) most = high;
    }
    blocks[2 * block] = least;
    blocks[2 * block + 1] = most;
  }
  return blocks;
}

/** Which extreme of a bar comes first. `nearest` is the one that is nearer to the open; the low if both are. */
export type Extremes = "nearest" | "high_first" | "low_first";

const ORDERS: readonly Extremes[] = ["nearest", "high_first", "low_first"];

/** The requested order of the extremes, then the others. */
const ordersFrom = (first: Extremes): readonly Extremes[] => [
  first,
  ...ORDERS.filter((extremes) => extremes !== first),
];

/** Assumptions about the fills within a bar: the order of its extremes, and the queue at a price. */
export type BarPath = Pick<Rules, "extremes" | "fill">;

/** Returns every way to fill within a bar: first the requested one, then those of the same fill rule. */
export const pathsFrom = ({ extremes, fill }: BarPath): readonly BarPath[] =>
  [fill, fill === "cross" ? ("touch" as const) : ("cross" as const)].flatMap((rule) =>
    ordersFrom(extremes).map((extremes) => ({ extremes: extremes, fill: rule })),
  );

/** Assumptions about what a bar does not show. */
export interface Rules {
  /** Whether an open order fills when the price reaches it, or only when the price passes it. */
  readonly fill: "cross" | "touch";
  readonly extremes: Extremes;
  /** Spread between bid and ask as a share of the price; at least one tick on each side. */
  readonly spread: Decimal;
  /** Slippage of a taker order beyond the best price, as a share of it. */
  readonly slippage: Decimal;
  /** Market time between passes; default: a pass at every price point of every bar. */
  readonly tickInterval?: Millis | undefined;
}

export const RULES: Rules = { fill: "cross", extremes: "nearest", spread: ZERO, slippage: ZERO };

/** Returns the time from the first bar to the end of the last processed one. */
export function walkedTime({ from, times, spanMillis }: Candles, bars: number) {
  const last = times[Math.max(0, bars - 1)] as Millis;
  return { from, until: last + spanMillis };
}
