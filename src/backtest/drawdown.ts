import type { Column } from "../candles/candles.ts";
import type { Millis } from "../kernel/time.ts";
import type { Blocks } from "./blocks.ts";
import { floatUnits } from "./held.ts";
import type { Ticks } from "./ticks.ts";

/** Greatest fall of equity below its highest so far, in quote and as a share of that. */
export interface Drawdown {
  readonly amount: number;
  readonly share: number;
  readonly from: Millis;
  readonly to: Millis;
}

/** What is held over some bars in which nothing trades. */
export interface HeldOver {
  /** Quote, with what was invested, and base of at least zero. */
  readonly cash: number;
  readonly base: number;
  /** Between which they closed, in ticks. */
  readonly least: number;
  readonly most: number;
}

/**
 * Follows equity from close to close: its highest, and how far below that it came. While nothing trades it moves with
 * the price alone, so bounds of the price tell whether bars have to be looked at; those that may hold a new highest
 * are looked at when that is asked for.
 */
export function createFalls({ close, blocks, tick: step, candles: { times } }: Ticks, invested: number) {
  const tick = floatUnits(step);
  const [tiny, small, large] = blocks;
  let worst = { amount: 0, share: 0, from: times[0] ?? 0, to: times[0] ?? 0 };
  let peak = invested;
  /** Where the highest was, or from where on. */
  let [topBar, topCash, topBase] = [0, invested, 0];
  /** Bars that were not looked at and may hold a new highest: from, until, cash, base and bound of each. */
  let waiting: number[] = [];
  /** Nothing so far was higher. */
  let bound = invested;

  function topAt(): Millis {
    let bar = topBar;
    while (topCash + topBase * ((close[bar] as number) * tick) < peak) bar++;
    return times[bar] as number;
  }

  function rise(to: number, bar: number, cash: number, base: number): void {
    peak = to;
    topBar = bar;
    topCash = cash;
    topBase = base;
  }

  /** The newest first: where equity rises the others then need no look. */
  function settle(): void {
    for (let i = waiting.length - 5; i >= 0; i -= 5) {
      if ((waiting[i + 4] as number) < peak) continue;
      const [from, until] = [waiting[i] as number, waiting[i + 1] as number];
      const [cash, base] = [waiting[i + 2] as number, waiting[i + 3] as number];
      const highest = cash + base * (highestOf(close, blocks, from, until) * tick);
      // Of two that are equally high the first counts.
      if (highest > peak || (highest === peak && from < topBar)) rise(highest, from, cash, base);
    }
    if (waiting.length > 0) waiting = [];
    bound = peak;
  }

  /** Whether bars between such prices need no look now: none of them falls deeper. */
  function skips(from: number, until: number, { cash, base, least, most }: HeldOver): boolean {
    const top = cash + base * (most * tick);
    const higher = top > bound ? top : bound;
    // Far from any rounding.
    if (higher - (cash + base * (least * tick)) >= worst.amount * (1 - 1e-6)) return false;
    if (top > peak) waiting.push(from, until, cash, base, top);
    bound = higher;
    return true;
  }

  function look(bar: number, { cash, base }: HeldOver): void {
    const equity = cash + base * ((close[bar] as number) * tick);
    if (equity > peak) rise(equity, bar, cash, base);
    else if (peak - equity > worst.amount) {
      const amount = peak - equity;
      worst = { amount, share: amount / peak, from: topAt(), to: times[bar] as number };
    }
  }

  /** Bars in their order. */
  function go(from: number, until: number, holding: HeldOver): void {
    if (skips(from, until, holding)) return;
    const { cash, base } = holding;
    const isQuiet = ({ high, low }: Blocks, bits: number, bar: number): boolean => {
      const end = bar + (1 << bits);
      if ((bar & ((1 << bits) - 1)) !== 0 || end > until) return false;
      const block = bar >> bits;
      return skips(bar, end, { cash, base, least: low[block] as number, most: high[block] as number });
    };
    for (let bar = from; bar < until; ) {
      if (isQuiet(large, 12, bar)) bar += 4096;
      else if (isQuiet(small, 6, bar)) bar += 64;
      else if (isQuiet(tiny, 3, bar)) bar += 8;
      else {
        settle();
        for (const stop = Math.min(until, (bar | 7) + 1); bar < stop; bar++) look(bar, holding);
        bound = peak;
      }
    }
  }

  return {
    go,
    /** The highest so far. */
    peak(): number {
      settle();
      return peak;
    },
    worst: (): Drawdown => worst,
  };
}

/** The highest close of some bars, in ticks: a block whose highest price is not above it is left out. */
function highestOf(close: Column, [, small]: Ticks["blocks"], from: number, until: number): number {
  let highest = 0;
  for (let bar = from; bar < until; ) {
    const stop = Math.min(until, (bar | 63) + 1);
    if ((small.high[bar >> 6] as number) > highest)
      for (; bar < stop; bar++) if ((close[bar] as number) > highest) highest = close[bar] as number;
    bar = stop;
  }
  return highest;
}

/** How many of some bars closed from one price to another, both in ticks. */
export function countWithin(
  { close, blocks: [, small, large] }: Ticks,
  { from, until }: { readonly from: number; readonly until: number },
  { low, high }: { readonly low: number; readonly high: number },
): number {
  /** Of a block all bars or none; undefined where that is not sure. */
  const share = (of: Blocks, block: number): 0 | 1 | undefined => {
    const [most, least] = [of.high[block] as number, of.low[block] as number];
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
        if ((close[bar] as number) >= low && (close[bar] as number) <= high) count++;
  }
  return count;
}
