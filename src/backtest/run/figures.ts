import { type Candles, indexAt } from "../../candles/candles.ts";
import { profitOf } from "../../grid/booking.ts";
import { type Decimal, div, mul } from "../../kernel/decimal.ts";
import { DAY, type Millis } from "../../kernel/time.ts";
import type { Profit } from "../../model/strategy.ts";
import { baseAt, cashAt, floatUnits, type Positions } from "../paper-positions.ts";
import { type Blocks, closeAt, openAt, type Ticks } from "../ticks.ts";
import type { WalkResult } from "./walk.ts";

/** Figures per bar, measured at closes. */
export interface Curve {
  readonly drawdown: Drawdown;
  /** Mean ÷ deviation of daily returns × √365; null for fewer than three days or without any change. */
  readonly sharpe: number | null;
  /** Share of bars that closed between the outermost levels. */
  readonly timeInRange: number;
  readonly series: readonly Point[];
}

/** Result of a run. Money is in quote. */
export interface Figures extends Profit, Curve {
  /** Maximum that its slots can use, at the start. */
  readonly invested: Decimal;
  readonly startPrice: Decimal;
  readonly endPrice: Decimal;
  /** Results of the same start with buy and hold: with its initial base, and with everything in base. */
  readonly holdingStart: Decimal;
  readonly holdingBase: Decimal;
}

/** Equity and price at a close; `buyAndHold` is its value for that strategy. */
interface Point {
  readonly at: Millis;
  readonly price: number;
  readonly equity: number;
  readonly buyAndHold: number;
  readonly drawdown: number;
}

const POINTS = 400;

export function figuresOf(
  { account, positions, bars: count }: Pick<WalkResult, "account" | "positions" | "bars">,
  bars: Ticks,
  invested: Decimal,
): Figures {
  const { state } = account.strategy;
  const endPrice = closeOf(bars, count - 1);
  const startPrice = BigInt(openAt(bars, 0)) * bars.step;
  const moved = endPrice - startPrice;
  const profit = profitOf(state, endPrice);
  return {
    ...profit,
    invested,
    startPrice,
    endPrice,
    holdingStart: mul(state.ledger.firstBase, moved, "half"),
    holdingBase: mul(div(invested, startPrice, "half"), moved, "half"),
    ...curveOf(positions, bars, { count, invested: floatUnits(invested) }),
  };
}

/** Returns the close of a bar. */
export const closeOf = (bars: Ticks, bar: number): Decimal => BigInt(closeAt(bars, bar)) * bars.step;

interface BarsLookedAt {
  /** Number of bars included. */
  readonly count: number;
  readonly invested: number;
}

/** Measures figures over the closes, from one change of the position to the next. */
export function curveOf(positions: Positions, bars: Ticks, { count, invested }: BarsLookedAt): Curve {
  const every = Math.ceil(count / POINTS);
  const falls = createFalls(bars, positions, invested);
  const series: Point[] = [];
  let drawn = 0;
  for (let index = 0; index < positions.bars.length; index++) {
    const end = endAt(positions, index, count);
    let from = positions.bars[index] as number;
    // Up to the next trade, or to the next bar to draw.
    for (; drawn < end; drawn = drawn === count - 1 ? count : Math.min(drawn + every, count - 1)) {
      falls.go(from, drawn + 1, index);
      series.push(
        pointAt(bars, drawn, { ...holdingAt(positions, index, invested), invested, peak: falls.peak() }),
      );
      from = drawn + 1;
    }
    if (from < end) falls.go(from, end, index);
  }
  const drawdown = falls.worst();
  return {
    drawdown,
    series: withFall(bars.candles, series, drawdown, (bar) =>
      pointAt(bars, bar, {
        ...holdingAt(positions, rowAt(positions, bar), invested),
        invested,
        peak: drawdown.peak,
      }),
    ),
    sharpe: sharpeOf(dailyEquity(positions, bars, { count, invested })),
    timeInRange: insideOf(positions, bars, count) / count,
  };
}

/**
 * Adds the start and end of the max drawdown, which can lie between the points, so the chart shows the same drawdown
 * as the figures.
 */
function withFall(
  { times }: Candles,
  drawn: readonly Point[],
  { from, to }: Drawdown,
  pointOf: (bar: number) => Point,
): Point[] {
  const known = new Set(drawn.map(({ at }) => at));
  const missing = [from, to].filter((at) => !known.has(at));
  const added = missing.map((at) => pointOf(indexAt({ times }, at)));
  return [...drawn, ...added].sort((a, b) => a.at - b.at);
}

/** Returns the row of the position at a bar's close; the first row is that of the first bar. */
function rowAt({ bars }: Positions, bar: number): number {
  let [low, high] = [0, bars.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((bars[middle] as number) > bar) high = middle;
    else low = middle + 1;
  }
  return low - 1;
}

const holdingAt = (positions: Positions, index: number, invested: number): Holding => ({
  cash: cashAt(positions, index, invested),
  base: baseAt(positions, index),
});

interface Holding {
  readonly cash: number;
  readonly base: number;
}

interface Drawing extends Holding {
  readonly invested: number;
  /** The highest equity so far. */
  readonly peak: number;
}

function pointAt(bars: Ticks, bar: number, { cash, base, invested, peak }: Drawing): Point {
  const tick = floatUnits(bars.step);
  const price = closeAt(bars, bar) * tick;
  const equity = cash + base * price;
  return {
    at: bars.candles.times[bar] as number,
    price,
    equity,
    buyAndHold: (invested * price) / (openAt(bars, 0) * tick),
    drawdown: (peak - equity) / peak,
  };
}

/** Returns the bar at which the position changes next. */
const endAt = ({ bars }: Positions, index: number, count: number): number =>
  index + 1 < bars.length ? Math.min(bars[index + 1] as number, count) : count;

/** Returns the equity at the first close of each day, and at the last close, if it is another one. */
function dailyEquity(positions: Positions, bars: Ticks, { count, invested }: BarsLookedAt): number[] {
  const { times } = bars.candles;
  const tick = floatUnits(bars.step);
  const days: number[] = [];
  let index = 0;
  const equity = (bar: number): number => {
    while (index + 1 < positions.bars.length && (positions.bars[index + 1] as number) <= bar) index++;
    const { cash, base } = holdingAt(positions, index, invested);
    return cash + base * (closeAt(bars, bar) * tick);
  };
  let last = -1;
  for (let bar = 0; bar < count; ) {
    days.push(equity(bar));
    last = bar;
    bar = indexAt(bars.candles, (Math.floor((times[bar] as number) / DAY) + 1) * DAY);
  }
  return last < count - 1 ? [...days, equity(count - 1)] : days;
}

/** Counts bars that closed between the outermost levels at their time. */
function insideOf({ ranges }: Positions, bars: Ticks, count: number): number {
  const tick = floatUnits(bars.step);
  let inside = 0;
  for (const [index, { bar, low, high }] of ranges.entries()) {
    const until = Math.min(ranges[index + 1]?.bar ?? count, count);
    const between = { low: Math.round(low / tick), high: Math.round(high / tick) };
    inside += countWithin(bars, { from: bar, until }, between);
  }
  return inside;
}

/** Returns the Sharpe ratio of daily equities, with a risk-free return of zero. */
function sharpeOf(equities: readonly number[]): number | null {
  const returns = equities.slice(1).map((equity, i) => equity / (equities[i] as number) - 1);
  if (returns.length < 3) return null;
  const mean = returns.reduce((sum, one) => sum + one, 0) / returns.length;
  const variance = returns.reduce((sum, one) => sum + (one - mean) ** 2, 0) / (returns.length - 1);
  return variance > 0 ? (mean / Math.sqrt(variance)) * Math.sqrt(365) : null;
}

/** Max drawdown of the equity, as a share of its peak, and in quote. */
interface Drawdown {
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
  const tick = floatUnits(bars.step);
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
