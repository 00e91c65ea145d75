import { type Candles, indexAt } from "../../candles/candles.ts";
import { profitOf } from "../../grid/ledger/profit.ts";
import { type Decimal, div, mul } from "../../kernel/decimal.ts";
import { DAY, type Millis } from "../../kernel/time.ts";
import type { Profit } from "../../model/strategy.ts";
import { baseAt, cashAt, floatUnits, type Positions } from "../paper/positions.ts";
import { closeAt, openAt, type Ticks } from "../tape/ticks.ts";
import { countWithin, createFalls, type Drawdown } from "./drawdown.ts";
import type { Walked } from "./walk.ts";

/** Result of a run. Money is in quote; figures per bar are measured at closes. */
export interface Figures extends Profit {
  /** Maximum that its slots can use, at the start. */
  readonly invested: Decimal;
  readonly startPrice: Decimal;
  readonly endPrice: Decimal;
  /** Results of the same start with buy and hold: with its initial base, and with everything in base. */
  readonly holdingStart: Decimal;
  readonly holdingBase: Decimal;
  readonly drawdown: Drawdown;
  /** Mean ÷ deviation of daily returns × √365; null for fewer than three days or without any change. */
  readonly sharpe: number | null;
  /** Share of bars that closed between the grid's outermost levels. */
  readonly timeInRange: number;
  readonly series: readonly Point[];
}

/** Equity and price at a close; `buyAndHold` is its value for that strategy. */
export interface Point {
  readonly at: Millis;
  readonly price: number;
  readonly equity: number;
  readonly buyAndHold: number;
  readonly drawdown: number;
}

const POINTS = 400;

export function figuresOf(
  { account, positions, bars: count }: Pick<Walked, "account" | "positions" | "bars">,
  bars: Ticks,
  invested: Decimal,
): Figures {
  const { state } = account.strategy;
  const endPrice = closeOf(bars, count - 1);
  const startPrice = BigInt(openAt(bars, 0)) * bars.tick;
  const moved = endPrice - startPrice;
  const profit = profitOf(state, endPrice);
  return {
    ...profit,
    invested,
    startPrice,
    endPrice,
    holdingStart: mul(state.ledger.firstBase, moved, "half"),
    holdingBase: mul(div(invested, startPrice, "half"), moved, "half"),
    ...measured(positions, bars, { count, invested: floatUnits(invested) }),
  };
}

/** Returns the close of a bar. */
export const closeOf = (bars: Ticks, bar: number): Decimal => BigInt(closeAt(bars, bar)) * bars.tick;

interface BarsLookedAt {
  /** Number of bars included. */
  readonly count: number;
  readonly invested: number;
}

/** Measures figures over the closes, from one change of the position to the next. */
function measured(positions: Positions, bars: Ticks, { count, invested }: BarsLookedAt) {
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
  const tick = floatUnits(bars.tick);
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
  const tick = floatUnits(bars.tick);
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
  const tick = floatUnits(bars.tick);
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
