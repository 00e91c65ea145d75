import { describe, expect, it } from "vitest";
import { positionsOf, UNKNOWN } from "../../../src/backtest/paper-positions.ts";
import { countWithin, createFalls, figuresOf } from "../../../src/backtest/run/figures.ts";
import { ticksOf } from "../../../src/backtest/ticks.ts";
import { candlesIn } from "../../../src/candles/candles.ts";
import { DAY, HOUR, MINUTE } from "../../../src/kernel/time.ts";
import { d, state } from "../../support/grid.ts";

const START = Date.UTC(2026, 0, 1);
/** Bars of one price each. */
function barsOf(
  prices: readonly number[],
  { tick = "1", scale = 0, span = MINUTE, spans = [] as number[] } = {},
) {
  const column = Float64Array.from(prices);
  const times = Float64Array.from(column, (_, i) => START + (spans[i] ?? i) * span);
  return ticksOf(
    candlesIn({
      pair: "BTC/USDT",
      spanMillis: span,
      scale,
      times,
      volume: new Float64Array(prices.length),
      open: column,
      high: column,
      low: column,
      close: column,
    }),
    d(tick),
  );
}
/** One base and nothing else, worth 1000 at first; each row holds the same. */
const holding = (rows: readonly number[]) => ({
  bars: Int32Array.from(rows),
  cash: Float64Array.from(rows, () => -1000),
  base: Float64Array.from(rows, () => 1),
  least: new Float64Array(rows.length),
  most: new Float64Array(rows.length).fill(UNKNOWN),
  ranges: [],
});
function worst(bars: ReturnType<typeof barsOf>, rows = [0]) {
  const falls = createFalls(bars, holding(rows), 1000);
  for (const [i, from] of rows.entries()) falls.go(from, rows[i + 1] ?? bars.count, i);
  const { share, from, to, peak, amount } = falls.worst();
  const index = (at: number) => (at - START) / MINUTE;
  return { share: share.toFixed(9), from: index(from), to: index(to), peak, amount };
}

describe("the max drawdown", () => {
  it("is the deeper one, however little deeper it is", () => {
    const prices = new Array<number>(16).fill(100_000_000);
    prices[1] = 90_000_000;
    prices[9] = 89_999_995;
    expect(worst(barsOf(prices, { tick: "0.00001", scale: 5 }))).toMatchObject({
      share: "0.100000050",
      from: 0,
      to: 9,
    });
  });

  it("is the first of two that are equal", () => {
    expect(worst(barsOf([1000, 900, 1000, 900]))).toEqual({
      share: "0.100000000",
      from: 0,
      to: 1,
      peak: 1000,
      amount: 100,
    });
    expect(worst(barsOf([1000, 2000, 1800, 2000, 1800]))).toMatchObject({
      from: 1,
      to: 2,
      peak: 2000,
      amount: 200,
    });
  });

  it("is found from any bar on", () => {
    // The second position begins within a block of eight bars, and falls in the next one.
    const prices = new Array<number>(24).fill(1000);
    [prices[1], prices[16]] = [900, 880];
    expect(worst(barsOf(prices), [0, 9])).toMatchObject({ share: "0.120000000", to: 16 });
  });

  it("is none while the equity only rises", () => {
    expect(worst(barsOf([1000, 1001, 1002]))).toEqual({
      share: "0.000000000",
      from: 0,
      to: 0,
      peak: 1000,
      amount: 0,
    });
  });
});

it("a fall between two drawn points is found before the position changes", () => {
  // Of 500 bars, every second one is drawn. Bar 5 falls, and the position changes at bar 6.
  const prices = new Array<number>(500).fill(1000);
  prices[5] = 900;
  const { drawdown, series } = figuresOf(
    { account: { strategy: { state: state([]) } } as never, positions: holding([0, 6]), bars: 500 },
    barsOf(prices),
    d("1000"),
  );
  expect(drawdown).toEqual({ amount: 100, share: 0.1, peak: 1000, from: START, to: START + 5 * MINUTE });
  const points = series.filter(({ at }) => at <= START + 6 * MINUTE);
  expect(points.map(({ at, equity }) => [(at - START) / MINUTE, equity])).toEqual([
    [0, 1000],
    [2, 1000],
    [4, 1000],
    [5, 900],
    [6, 1000],
  ]);
});

it("the levels of a run are known from each bar that changed one of them", () => {
  const row = (bar: number, low: number, high: number) => ({ bar, low, high, cash: 0, base: 0 });
  const { ranges } = positionsOf([row(0, 90, 110), row(1, 90, 110), row(2, 80, 110), row(3, 80, 120)]);
  expect(ranges.map(({ bar }) => bar)).toEqual([0, 2, 3]);
});

it("the time in range is between the outermost levels of that time", () => {
  const ranges = [
    { bar: 0, low: 90, high: 110 },
    { bar: 3, low: 190, high: 210 },
  ];
  const { timeInRange } = figuresOf(
    {
      account: { strategy: { state: state([]) } } as never,
      positions: { ...holding([0]), ranges },
      bars: 5,
    },
    barsOf([100, 100, 200, 200, 300]),
    d("1000"),
  );
  // Two bars in the first range, one in the second.
  expect(timeInRange).toBe(3 / 5);
});

describe("the Sharpe ratio", () => {
  const sharpe = (prices: readonly number[], span = 12 * HOUR, spans: number[] = []) =>
    figuresOf(
      { account: { strategy: { state: state([]) } } as never, positions: holding([0]), bars: prices.length },
      barsOf(prices, { span, spans }),
      d("1000"),
    ).sharpe;

  it("has the first close of each day, and the last close", () => {
    // 2 %, -0.98039 % and 1.980198 %: on average 0.999936 %, with a deviation of 1.71504 %.
    expect(sharpe([1000, 1010, 1020, 1000, 1010, 1030])).toBeCloseTo(11.139, 3);
    expect(sharpe([1000, 1020, 1010, 1030], DAY)).toBeCloseTo(11.139, 3);
    // The noon of the first day and of the third one are missing.
    expect(sharpe([1000, 1020, 1000, 1010, 1030], 12 * HOUR, [0, 2, 3, 4, 6])).toBeCloseTo(11.139, 3);
  });

  it("is unknown of fewer than three days, or without any change", () => {
    expect([sharpe([1000, 1010, 1020]), sharpe([1000, 1020, 1010], DAY)]).toEqual([null, null]);
    expect(sharpe([1000, 1000, 1000, 1000, 1000], DAY)).toBeNull();
  });
});

it("closes between two prices are counted, both prices included", () => {
  const flat = barsOf(Array.from({ length: 200 }, () => 100));
  const count = (low: number, high: number, from = 0, until = 200) =>
    countWithin(flat, { from, until }, { low, high });
  expect([count(100, 100), count(90, 100), count(100, 110), count(101, 110), count(90, 99)]).toEqual([
    200, 200, 200, 0, 0,
  ]);
  expect([count(100, 100, 5, 199), count(100, 100, 64, 128), count(100, 100, 7, 7)]).toEqual([194, 64, 0]);
  // From the second bar on: the first block of 64 or 4096 bars has one bar that does not count.
  const high = new Array<number>(8200).fill(100);
  const from1 = (until: number) => {
    const bars = barsOf([...high.slice(0, until - 1), 200, ...high.slice(until)]);
    return countWithin(bars, { from: 1, until }, { low: 100, high: 100 });
  };
  expect([from1(65), from1(4097)]).toEqual([63, 4095]);
  const rising = barsOf(Array.from({ length: 200 }, (_, i) => i + 1));
  expect(countWithin(rising, { from: 0, until: 200 }, { low: 60, high: 70 })).toBe(11);
});
