import { isHighFirst } from "./corners.ts";
import type { Extremes } from "./rules.ts";
import { nextBar, type TickReach, type Ticks } from "./ticks.ts";

/** Fills in the order in which they came, in whole numbers: the bar, and the slot, the corner and the side in one. */
export interface Jumps {
  readonly count: number;
  readonly bars: Int32Array;
  /** slot place × 8 + corner × 2 + (1 for a sell). */
  readonly codes: Int32Array;
  /** How often each slot has filled. */
  readonly counts: Int32Array;
  /** So many slots rest an order in the end, or have turned to buying and wait for the one below them. */
  readonly armed: number;
  readonly turned: number;
  /**
   * The first bar after which a slot wanted to buy where the sell of the one below it still rested: it buys as soon as
   * its buy rests below that sell, and when that is depends on passes. Undefined where there is none.
   */
  readonly metAt: number | undefined;
}

/** A grid in which every slot rests its whole order, or waits to buy for the first time: it is two numbers. Prices in ticks. */
export interface Rungs {
  /** By slot, lowest first: from where on its buy and its sell have filled. */
  readonly buys: Float64Array;
  readonly sells: Float64Array;
  /** Above it a slot that never had base begins to buy. */
  readonly lowers: Float64Array;
  /** So many of the lowest slots buy; of the others, up to `armed`, each sells; those above wait. */
  readonly buying: number;
  readonly armed: number;
}

interface Stretch {
  readonly extremes: Extremes;
  readonly from: number;
  /** The bar before which it ends. */
  readonly until: number;
  /** Whether it ends with the first bar that leaves it to passes what is done. */
  readonly isExact?: boolean;
}

/** In one bar no slot fills oftener than twice at each corner. */
const MOST_IN_BAR = 8;

/** From one bar that touches an order to the next, in whole numbers. */
export function jump(rungs: Rungs, bars: Ticks, { extremes, from, until, isExact }: Stretch): Jumps {
  const { buys, sells, lowers } = rungs;
  const slots = buys.length;
  const most = MOST_IN_BAR * slots;
  let [atBars, codes] = [new Int32Array(1024 + most), new Int32Array(1024 + most)];
  let [count, buying, armed, turned] = [0, rungs.buying, rungs.armed, rungs.armed];
  let metAt: number | undefined;
  // At or below the one the highest buy fills; at or above the other the lowest sell does, or one above begins to buy.
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
      // It may not meet the sell of the slot below, which rests at its own price.
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

/** Open, one extreme, the other and close. */
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

/** Whether a price at which a pass would do something is never seen from a bar on. */
export const isUndisturbed = (bars: Ticks, from: number, wake: TickReach): boolean =>
  nextBar(bars, from, wake.below, wake.above) >= bars.count;
