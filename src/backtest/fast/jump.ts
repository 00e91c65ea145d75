import type { Extremes } from "../tape/rules.ts";
import { nextBar, type TickReach, type Ticks } from "../tape/ticks.ts";
import { isHighFirst } from "./corners.ts";

/** Fills in order, as whole numbers: the bar, and slot, price point and side in one code. */
export interface Jumps {
  readonly count: number;
  readonly bars: Int32Array;
  /** slot position × 8 + price point × 2 + (1 for a sell). */
  readonly codes: Int32Array;
  /** Number of fills of each slot. */
  readonly counts: Int32Array;
  /** Number of slots that have an open order at the end, or switched to buying and wait for the one below them. */
  readonly armed: number;
  readonly turned: number;
  /**
   * First bar after which a slot's buy would have met the open sell of the slot below. When that buy can be placed
   * depends on passes. Undefined if there is none.
   */
  readonly metAt: number | undefined;
}

/**
 * A grid whose slots have complete open orders, or wait for their first buy: two numbers describe its state. Prices
 * in ticks.
 */
export interface Rungs {
  /** By slot, lowest first: prices at which its buy and its sell have filled. */
  readonly buys: Float64Array;
  readonly sells: Float64Array;
  /** Price above which a slot without first base begins to buy. */
  readonly lowers: Float64Array;
  /** Number of slots that buy, from the lowest; the others up to `armed` sell; those above wait. */
  readonly buying: number;
  readonly armed: number;
}

interface Stretch {
  readonly extremes: Extremes;
  readonly from: number;
  /** The bar before which it ends. */
  readonly until: number;
  /** Whether it ends with the first bar that needs passes. */
  readonly isExact?: boolean;
}

/** Maximum number of fills of a slot in one bar: two at each price point. */
const MOST_IN_BAR = 8;

/** Jumps from one bar that fills an order to the next, in whole numbers. */
export function jump(rungs: Rungs, bars: Ticks, { extremes, from, until, isExact }: Stretch): Jumps {
  const { buys, sells, lowers } = rungs;
  const slots = buys.length;
  const most = MOST_IN_BAR * slots;
  let [atBars, codes] = [new Int32Array(1024 + most), new Int32Array(1024 + most)];
  let [count, buying, armed, turned] = [0, rungs.buying, rungs.armed, rungs.armed];
  let metAt: number | undefined;
  // The highest buy fills at or below the first; the lowest sell fills, or a slot above begins to buy, from the second.
  let [below, above] = [Infinity, -Infinity];
  for (let bar = from; !isExact || metAt === undefined; bar++) {
    if (bar > from) bar = nextBar(bars, bar, below, above);
    if (bar >= until) break;
    if (count + most > codes.length) [atBars, codes] = [doubled(atBars), doubled(codes)];
    const highFirst = isHighFirst(bars, bar, extremes);
    for (let corner = 0; corner < 4; corner++) {
      const price = cornerPriceAt(bars, bar, corner, highFirst);
      if (price > below && price < above) continue;
      for (; buying > 0 && price <= (buys[buying - 1] as number); count++) {
        buying--;
        atBars[count] = bar;
        codes[count] = 8 * buying + 2 * corner;
      }
      for (; buying < armed && price >= (sells[buying] as number); count++) {
        atBars[count] = bar;
        codes[count] = 8 * buying + 2 * corner + 1;
        buying++;
      }
      while (turned < slots && price > (lowers[turned] as number)) turned++;
      // It must not meet the sell of the slot below, which is open at its price.
      if (buying === armed) buying = armed = turned;
      if (turned > armed) metAt ??= bar;
      below = buying > 0 ? (buys[buying - 1] as number) : -Infinity;
      above = Math.min(
        buying < armed ? (sells[buying] as number) : Infinity,
        turned < slots ? (lowers[turned] as number) + 1 : Infinity,
      );
    }
  }
  return { count, bars: atBars, codes, counts: countsOf(codes, count, slots), armed, turned, metAt };
}

/** Returns the open, one extreme, the other or the close. */
const cornerPriceAt = ({ rows }: Ticks, bar: number, corner: number, highFirst: boolean): number =>
  rows[4 * bar + (highFirst && (corner === 1 || corner === 2) ? 3 - corner : corner)] as number;

function countsOf(codes: Int32Array, count: number, slots: number): Int32Array {
  const counts = new Int32Array(slots);
  for (let i = 0; i < count; i++) {
    const slot = (codes[i] as number) >> 3;
    counts[slot] = (counts[slot] as number) + 1;
  }
  return counts;
}

function doubled(column: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(column.length * 2);
  larger.set(column);
  return larger;
}

/** Returns whether no bar from here on reaches a price at which a pass would act. */
export const isUndisturbed = (bars: Ticks, from: number, wake: TickReach): boolean =>
  nextBar(bars, from, wake.below, wake.above) >= bars.count;
