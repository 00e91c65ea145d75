import type { Millis } from "../../kernel/time.ts";
import { baseAt, cashAt, floatUnits, type Positions } from "../paper/positions.ts";
import type { Blocks } from "../tape/blocks.ts";
import { closeAt, type Ticks } from "../tape/ticks.ts";

/** Max drawdown of the equity, as a share of its peak, and in quote. */
export interface Drawdown {
  readonly amount: number;
  readonly share: number;
  /** The equity at its start. */
  readonly peak: number;
  readonly from: Millis;
  readonly to: Millis;
}

/**
 * Tracks the equity at closes: its peak and its drawdown. Without trades the equity moves with the price alone, so
 * price bounds show whether bars need to be checked; bars that could contain a new peak are checked when it is
 * needed.
 */
export function createFalls(bars: Ticks, positions: Positions, invested: number) {
  const { blocks, candles } = bars;
  const tick = floatUnits(bars.tick);
  const [tiny, small, large] = blocks;
  let worst: Drawdown = { amount: 0, share: 0, peak: invested, from: candles.from, to: candles.from };
  const equityAt = (index: number, ticks: number): number =>
    cashAt(positions, index, invested) + baseAt(positions, index) * (ticks * tick);
  const { top, rise, topAt, settle, wait } = createPeak(bars, equityAt, invested);

  /** Returns whether bars between these prices need no check, because none of them has a deeper drawdown. */
  function skips(first: number, until: number, index: number, least: number, most: number): boolean {
    const highest = equityAt(index, most);
    const bound = Math.max(highest, top.bound);
    // The margin exceeds any rounding error.
    if (bound - equityAt(index, least) >= bound * worst.share * (1 - 1e-6)) return false;
    if (highest > top.equity) wait(first, until, index, highest);
    top.bound = bound;
    return true;
  }

  function look(bar: number, index: number): void {
    const equity = equityAt(index, closeAt(bars, bar));
    const amount = top.equity - equity;
    const share = amount / top.equity;
    if (amount < 0) rise(equity, bar, index);
    else if (share > worst.share)
      worst = { amount, share, peak: top.equity, from: topAt(), to: candles.times[bar] as number };
  }

  /** Returns whether a block begins at a bar, ends within the range, and needs no check. */
  function isQuiet(of: Blocks, bits: number, bar: number, until: number, index: number): boolean {
    const end = bar + (1 << bits);
    if ((bar & ((1 << bits) - 1)) !== 0 || end > until) return false;
    const at = 2 * (bar >> bits);
    return skips(bar, end, index, of[at] as number, of[at + 1] as number);
  }

  return {
    /** Processes bars in order, with a constant position. */
    go(first: number, until: number, index: number): void {
      if (skips(first, until, index, positions.least[index] as number, positions.most[index] as number))
        return;
      for (let bar = first; bar < until; ) {
        if (isQuiet(large, 12, bar, until, index)) bar += 4096;
        else if (isQuiet(small, 6, bar, until, index)) bar += 64;
        else if (isQuiet(tiny, 3, bar, until, index)) bar += 8;
        else {
          settle();
          for (const stop = Math.min(until, (bar | 7) + 1); bar < stop; bar++) look(bar, index);
          top.bound = top.equity;
        }
      }
    },
    /** Returns the peak so far. */
    peak(): number {
      settle();
      return top.equity;
    },
    worst: (): Drawdown => worst,
  };
}

/** Tracks the peak of the equity; bars that can contain a new one wait until it is needed. */
function createPeak(bars: Ticks, equityAt: (index: number, ticks: number) => number, invested: number) {
  /** The peak so far, its bar, and the row of its position; unchecked bars are not above `bound`. */
  const top = { equity: invested, bar: 0, place: -1, bound: invested };
  /** Unchecked bars that can contain a new peak: start, end, row and bound of each. */
  const waiting: number[] = [];
  let waits = 0;

  function topAt(): Millis {
    let { bar } = top;
    if (top.place >= 0) while (equityAt(top.place, closeAt(bars, bar)) < top.equity) bar++;
    return bars.candles.times[bar] as number;
  }

  function rise(equity: number, bar: number, index: number): void {
    top.equity = equity;
    top.bar = bar;
    top.place = index;
  }

  /** Newest first: if equity rises, the others need no check. */
  function settle(): void {
    for (let i = waits - 4; i >= 0; i -= 4) {
      if ((waiting[i + 3] as number) < top.equity) continue;
      const [first, until, index] = [
        waiting[i] as number,
        waiting[i + 1] as number,
        waiting[i + 2] as number,
      ];
      const highest = equityAt(index, highestOf(bars, first, until));
      // Of two equal peaks, the first counts.
      if (highest > top.equity || (highest === top.equity && first < top.bar)) rise(highest, first, index);
    }
    waits = 0;
    top.bound = top.equity;
  }

  function wait(first: number, until: number, index: number, highest: number): void {
    waiting[waits++] = first;
    waiting[waits++] = until;
    waiting[waits++] = index;
    waiting[waits++] = highest;
  }

  return { top, rise, topAt, settle, wait };
}

/** Returns the highest close of some bars, in ticks; skips blocks whose highest price is not above it. */
function highestOf(bars: Ticks, from: number, until: number): number {
  const [, small] = bars.blocks;
  let highest = 0;
  for (let bar = from; bar < until; ) {
    const stop = Math.min(until, (bar | 63) + 1);
    if ((small[2 * (bar >> 6) + 1] as number) > highest)
      for (; bar < stop; bar++) highest = Math.max(highest, closeAt(bars, bar));
    bar = stop;
  }
  return highest;
}

/** Counts bars that closed between two prices, both in ticks. */
export function countWithin(
  bars: Ticks,
  { from, until }: { readonly from: number; readonly until: number },
  { low, high }: { readonly low: number; readonly high: number },
): number {
  const [, small, large] = bars.blocks;
  /** Returns whether all bars of a block are in or out; undefined if that is uncertain. */
  const share = (of: Blocks, block: number): 0 | 1 | undefined => {
    const [least, most] = [of[2 * block] as number, of[2 * block + 1] as number];
    if (most < low || least > high) return 0;
    return least >= low && most <= high ? 1 : undefined;
  };
  let [bar, count] = [from, 0];
  while (bar < until) {
    const ofLarge = (bar & 4095) === 0 && bar + 4096 <= until ? share(large, bar >> 12) : undefined;
    const ofSmall =
      ofLarge === undefined && (bar & 63) === 0 && bar + 64 <= until ? share(small, bar >> 6) : undefined;
    if (ofLarge !== undefined) [bar, count] = [bar + 4096, count + ofLarge * 4096];
    else if (ofSmall !== undefined) [bar, count] = [bar + 64, count + ofSmall * 64];
    else
      for (const stop = Math.min(until, (bar | 63) + 1); bar < stop; bar++)
        if (closeAt(bars, bar) >= low && closeAt(bars, bar) <= high) count++;
  }
  return count;
}
