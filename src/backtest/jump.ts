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

/** From one bar that touches an order to the next, in whole numbers. */
export function jump(rungs: Rungs, bars: Ticks, { extremes, from, until, isExact }: Stretch): Jumps {
  const { buys, sells, lowers } = rungs;
  const slots = buys.length;
  const { open, high, low, close } = bars;
  const counts = new Int32Array(slots);
  let [atBars, codes] = [new Int32Array(1024), new Int32Array(1024)];
  let [count, buying, armed, turned] = [0, rungs.buying, rungs.armed, rungs.armed];

  /** At or below it the highest buy fills; at or above the other the lowest sell does, or one above begins to buy. */
  const below = () => (buying > 0 ? (buys[buying - 1] as number) : -Infinity);
  const above = () =>
    Math.min(
      buying < armed ? (sells[buying] as number) : Infinity,
      turned < slots ? (lowers[turned] as number) + 1 : Infinity,
    );

  function fill(slot: number, bar: number, code: number): void {
    if (count === codes.length) [atBars, codes] = [doubled(atBars), doubled(codes)];
    atBars[count] = bar;
    codes[count++] = slot * 8 + code;
    counts[slot] = (counts[slot] as number) + 1;
  }

  function visit(price: number, bar: number, corner: number): void {
    while (buying > 0 && price <= (buys[buying - 1] as number)) fill(--buying, bar, corner * 2);
    while (buying < armed && price >= (sells[buying] as number)) fill(buying++, bar, corner * 2 + 1);
    while (turned < slots && price > (lowers[turned] as number)) turned++;
    // It may not meet the sell of the slot below, which rests at its own price.
    if (buying === armed) buying = armed = turned;
    if (turned > armed) metAt ??= bar;
  }

  let metAt: number | undefined;
  const order = extremes === "nearest" ? 0 : extremes === "high_first" ? 1 : 2;
  for (let bar = from; bar < until; bar++) {
    bar = nextBar(bars, bar, { below: below(), above: above() });
    if (bar >= until) break;
    const o = open[bar] as number;
    const h = high[bar] as number;
    const l = low[bar] as number;
    const highFirst = order === 0 ? h - o < o - l : order === 1;
    visit(o, bar, 0);
    visit(highFirst ? h : l, bar, 1);
    visit(highFirst ? l : h, bar, 2);
    visit(close[bar] as number, bar, 3);
    if (isExact && metAt !== undefined) break;
  }
  return { count, bars: atBars, codes, counts, armed, turned, metAt };
}

function doubled(column: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(column.length * 2);
  larger.set(column);
  return larger;
}

/** Whether a price at which a pass would do something is never seen from a bar on. */
export const isUndisturbed = (bars: Ticks, from: number, wake: TickReach): boolean =>
  nextBar(bars, from, wake) >= bars.low.length;
