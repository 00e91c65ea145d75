import type { Candles, Column } from "../candles/candles.ts";
import { type Decimal, divideWhole, ONE } from "../kernel/decimal.ts";
import type { Rules } from "./rules.ts";

/** Candles in whole ticks of a market, with the extremes of every block of bars. */
export interface Ticks {
  readonly candles: Candles;
  readonly tick: Decimal;
  readonly open: Column;
  readonly high: Column;
  readonly low: Column;
  readonly close: Column;
  /** Of blocks of 64 bars, and of blocks of 64 of those. */
  readonly blocks: readonly [Blocks, Blocks];
}

export interface Blocks {
  readonly high: Column;
  readonly low: Column;
}

/** 64 bars a block. */
export const SHIFT = 6;
const LARGEST_INT32 = 2 ** 31 - 1;
const known = new WeakMap<Candles, Map<Decimal, Ticks>>();

/** The same candles and tick are counted once. Prices between two ticks are rounded half up. */
export function ticksOf(candles: Candles, tick: Decimal): Ticks {
  const ofCandles = known.get(candles) ?? new Map<Decimal, Ticks>();
  known.set(candles, ofCandles);
  const found = ofCandles.get(tick);
  if (found) return found;
  const unit = ONE / 10n ** BigInt(candles.scale);
  const count = (column: Column) => inTicks(column, unit, tick);
  const [high, low] = [count(candles.high), count(candles.low)];
  const first = blocksOf({ high, low });
  const blocks = [first, blocksOf(first)] as const;
  const made: Ticks = {
    candles,
    tick,
    open: count(candles.open),
    high,
    low,
    close: count(candles.close),
    blocks,
  };
  ofCandles.set(tick, made);
  return made;
}

function inTicks(column: Column, unit: Decimal, tick: Decimal): Column {
  if (unit === tick) return column;
  const counted = new Float64Array(column.length);
  let highest = 0;
  // Whole ticks in one unit of a column are the rule; the others are rounded one by one.
  const times = unit % tick === 0n ? Number(unit / tick) : 0;
  for (let i = 0; i < column.length; i++) {
    const price = column[i] as number;
    const ticks = times > 0 ? price * times : Number(divideWhole(BigInt(price) * unit, tick, "half"));
    counted[i] = ticks;
    if (ticks > highest) highest = ticks;
  }
  return highest <= LARGEST_INT32 ? Int32Array.from(counted) : counted;
}

function blocksOf({ high, low }: Blocks): Blocks {
  const count = Math.ceil(high.length / 2 ** SHIFT);
  const isNarrow = high instanceof Int32Array && low instanceof Int32Array;
  const column = () => (isNarrow ? new Int32Array(count) : new Float64Array(count));
  const blocks = { high: column(), low: column() };
  for (let block = 0; block < count; block++) {
    const end = Math.min(high.length, (block + 1) << SHIFT);
    let [most, least] = [-Infinity, Infinity];
    for (let i = block << SHIFT; i < end; i++) {
      if ((high[i] as number) > most) most = high[i] as number;
      if ((low[i] as number) < least) least = low[i] as number;
    }
    blocks.high[block] = most;
    blocks.low[block] = least;
  }
  return blocks;
}

/** Prices in ticks: at or below the one, or at or above the other, something happens. */
export interface Reach {
  readonly below: number;
  readonly above: number;
}

/** The first bar from `from` on that comes to either price; past the end where none does. */
export function nextBar({ low, high, blocks }: Ticks, from: number, { below, above }: Reach): number {
  const [small, large] = blocks;
  const end = low.length;
  let bar = from;
  while (bar < end) {
    if ((bar & 4095) === 0 && isQuiet(large, bar >> 12, below, above)) bar += 4096;
    else if ((bar & 63) === 0 && isQuiet(small, bar >> 6, below, above)) bar += 64;
    else {
      const stop = Math.min(end, (bar | 63) + 1);
      for (; bar < stop; bar++)
        if ((low[bar] as number) <= below || (high[bar] as number) >= above) return bar;
    }
  }
  return end;
}

const isQuiet = ({ low, high }: Blocks, block: number, below: number, above: number): boolean =>
  (low[block] as number) > below && (high[block] as number) < above;

/** The highest price in ticks at which a resting buy has filled, and the lowest at which a sell has. */
export interface Meeting {
  readonly buy: (price: Decimal) => number;
  readonly sell: (price: Decimal) => number;
}

/** A buy meets the ask and a sell the bid: half a spread beside the price that a bar tells. */
export function meetingOf(tick: Decimal, { fill, spread }: Pick<Rules, "fill" | "spread">): Meeting {
  const [up, down] = [tick * (2n * ONE + spread), tick * (2n * ONE - spread)];
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
