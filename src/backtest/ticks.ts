import type { Candles, Column } from "../candles/candles.ts";
import { type Decimal, divideWhole, ONE } from "../kernel/decimal.ts";
import { type Blocks, blockLevels, type Levels } from "./blocks.ts";
import type { Rules } from "./rules.ts";

/** Candles in whole ticks of a market, with the extremes of every block of bars. */
export interface Ticks {
  readonly candles: Candles;
  readonly tick: Decimal;
  readonly open: Column;
  readonly high: Column;
  readonly low: Column;
  readonly close: Column;
  readonly blocks: Levels;
}

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
  const [open, high, low, close] = [candles.open, candles.high, candles.low, candles.close].map(count) as [
    Column,
    Column,
    Column,
    Column,
  ];
  const made: Ticks = { candles, tick, open, high, low, close, blocks: blockLevels({ high, low }) };
  ofCandles.set(tick, made);
  return made;
}

function inTicks(column: Column, unit: Decimal, tick: Decimal): Column {
  if (unit === tick) return column;
  const counter = counterOf(unit, tick);
  let highest = 0;
  for (let i = 0; i < column.length; i++) if ((column[i] as number) > highest) highest = column[i] as number;
  const isNarrow = counter(highest) <= LARGEST_INT32;
  const counted = isNarrow ? new Int32Array(column.length) : new Float64Array(column.length);
  if (column instanceof Int32Array && isNarrow && tick % unit === 0n && tick / unit < LARGEST_INT32)
    divideInto(counted as Int32Array, column, Number(tick / unit));
  else for (let i = 0; i < column.length; i++) counted[i] = counter(column[i] as number);
  return counted;
}

/** Rounded half up. The quotients of so small numbers are further from a whole one than a double is from them. */
function divideInto(counted: Int32Array, column: Int32Array, each: number): void {
  const twice = 2 * each;
  for (let i = 0; i < column.length; i++) counted[i] = Math.floor((2 * (column[i] as number) + each) / twice);
}

/** Whole ticks of a price in units. One of the two is nearly always so many times the other: doubles count those exactly. */
function counterOf(unit: Decimal, tick: Decimal): (price: number) => number {
  if (unit % tick === 0n) {
    const times = Number(unit / tick);
    return (price) => price * times;
  }
  if (tick % unit === 0n && tick / unit < LARGEST_INT32) {
    const each = Number(tick / unit);
    return (price) => {
      const rest = price % each;
      return (price - rest) / each + (2 * rest >= each ? 1 : 0);
    };
  }
  return (price) => Number(divideWhole(BigInt(price) * unit, tick, "half"));
}

/** Prices in ticks: at or below the one, or at or above the other, something happens. */
export interface TickReach {
  readonly below: number;
  readonly above: number;
}

/** The first bar from `from` on that comes to either price; past the end where none does. */
export function nextBar({ low, high, blocks }: Ticks, from: number, { below, above }: TickReach): number {
  const [tiny, small, large] = blocks;
  const end = low.length;
  let bar = from;
  while (bar < end) {
    if ((bar & 4095) === 0 && isQuiet(large, bar >> 12, below, above)) bar += 4096;
    else if ((bar & 63) === 0 && isQuiet(small, bar >> 6, below, above)) bar += 64;
    else if ((bar & 7) === 0 && isQuiet(tiny, bar >> 3, below, above)) bar += 8;
    else {
      const stop = Math.min(end, (bar | 7) + 1);
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
