import type { Column } from "../candles/candles.ts";
import type { Millis } from "../kernel/time.ts";
import type { CloseBlocks } from "./blocks.ts";
import { float } from "./held.ts";
import type { Ticks } from "./ticks.ts";

/** Greatest fall of equity below its highest so far, in quote and as a share of that. */
export interface Drawdown {
  readonly amount: number;
  readonly share: number;
  readonly from: Millis;
  readonly to: Millis;
}

/** What is held over some bars in which nothing trades. */
export interface Holding {
  /** Quote, with what was invested, and base of at least zero. */
  readonly cash: number;
  readonly base: number;
  /** Between which they closed, in ticks. */
  readonly least: number;
  readonly most: number;
}

/**
 * Follows equity from close to close: its highest, and how far below that it came. While nothing trades it moves with
 * the price alone, so its bounds tell whether the bars have to be looked at; what may hold a new highest is looked at
 * when that is asked for.
 */
export function createFalls({ close, closes, tick: step, candles: { times } }: Ticks, invested: number) {
  const tick = float(step);
  const [tiny, small, large] = closes;
  let worst = { amount: 0, share: 0, from: times[0] ?? 0, to: times[0] ?? 0 };
  let peak = invested;
  /** Where the highest was, or from where on. */
  let [topBar, topCash, topBase] = [0, invested, 0];
  /** Bars that were not looked at and may hold a new highest: from, until, cash and base of each. */
  let waiting: number[] = [];
  /** Nothing so far was higher. */
  let bound = invested;

  function topAt(): Millis {
    let bar = topBar;
    while (topCash + topBase * ((close[bar] as number) * tick) < peak) bar++;
    return times[bar] as number;
  }

  /** Whether a block holds no deeper fall; a new highest in it is kept. */
  function passes(of: CloseBlocks, block: number, first: number, cash: number, base: number): boolean {
    const high = cash + base * ((of.high[block] as number) * tick);
    const low = cash + base * ((of.low[block] as number) * tick);
    const within = base * ((of.fall[block] as number) * tick);
    // The fall within it is rounded once, its equities each: what is nearly as deep is looked at bar by bar.
    if (peak - low > worst.amount || within > worst.amount * (1 - 1e-6)) return false;
    if (high > peak) rise(high, first, cash, base);
    return true;
  }

  function rise(to: number, bar: number, cash: number, base: number): void {
    peak = to;
    topBar = bar;
    topCash = cash;
    topBase = base;
  }

  function look(bar: number, cash: number, base: number): void {
    const equity = cash + base * ((close[bar] as number) * tick);
    if (equity > peak) rise(equity, bar, cash, base);
    else if (peak - equity > worst.amount) {
      const amount = peak - equity;
      worst = { amount, share: amount / peak, from: topAt(), to: times[bar] as number };
    }
  }

  /** The newest first: of those that rise the others then need no look. */
  function settle(): void {
    for (let i = waiting.length - 5; i >= 0; i -= 5) {
      if ((waiting[i + 4] as number) < peak) continue;
      const [from, until] = [waiting[i] as number, waiting[i + 1] as number];
      const [cash, base] = [waiting[i + 2] as number, waiting[i + 3] as number];
      const highest = cash + base * (highestOf(close, closes, from, until) * tick);
      // Of two that are equally high the first counts.
      if (highest > peak || (highest === peak && from < topBar)) rise(highest, from, cash, base);
    }
    waiting = [];
    bound = peak;
  }

  /** Bars in their order. */
  function go(from: number, until: number, { cash, base, least, most }: Holding): void {
    const top = cash + base * (most * tick);
    const higher = Math.max(bound, top);
    // Far from any rounding.
    if (higher - (cash + base * (least * tick)) < worst.amount * (1 - 1e-6)) {
      if (top > peak) waiting.push(from, until, cash, base, top);
      bound = higher;
      return;
    }
    settle();
    let bar = from;
    while (bar < until) {
      if ((bar & 4095) === 0 && bar + 4096 <= until && passes(large, bar >> 12, bar, cash, base)) bar += 4096;
      else if ((bar & 63) === 0 && bar + 64 <= until && passes(small, bar >> 6, bar, cash, base)) bar += 64;
      else if ((bar & 7) === 0 && bar + 8 <= until && passes(tiny, bar >> 3, bar, cash, base)) bar += 8;
      else for (const stop = Math.min(until, (bar | 7) + 1); bar < stop; bar++) look(bar, cash, base);
    }
    bound = peak;
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

/** The highest close of some bars, in ticks. */
function highestOf(
  close: Column,
  [tiny, small, large]: Ticks["closes"],
  from: number,
  until: number,
): number {
  let highest = 0;
  let bar = from;
  while (bar < until) {
    let high: number;
    if ((bar & 4095) === 0 && bar + 4096 <= until)
      [high, bar] = [large.high[bar >> 12] as number, bar + 4096];
    else if ((bar & 63) === 0 && bar + 64 <= until) [high, bar] = [small.high[bar >> 6] as number, bar + 64];
    else if ((bar & 7) === 0 && bar + 8 <= until) [high, bar] = [tiny.high[bar >> 3] as number, bar + 8];
    else high = close[bar++] as number;
    if (high > highest) highest = high;
  }
  return highest;
}

/** How many of some bars closed from one price to another, both in ticks. */
export function countWithin(
  { close, closes: [, small, large] }: Ticks,
  { from, until }: { readonly from: number; readonly until: number },
  { low, high }: { readonly low: number; readonly high: number },
): number {
  /** Of a block all bars or none; undefined where some. */
  const share = (of: CloseBlocks, block: number): 0 | 1 | undefined => {
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
