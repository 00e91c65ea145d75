import { expect, it } from "vitest";
import { candidateAt, candidatesOf, gridAt, keyOf, neighboursOf } from "../../../src/backtest/candidates.ts";
import { gainsOf, overfittingOf } from "../../../src/backtest/overfitting.ts";
import {
  expectedBest,
  normalCdf,
  normalInverse,
  probabilisticSharpe,
  suggest,
} from "../../../src/backtest/suggest.ts";
import { ticksOf } from "../../../src/backtest/ticks.ts";
import { type Candles, candlesIn, candlesOf } from "../../../src/candles/candles.ts";
import { MINUTE } from "../../../src/kernel/time.ts";
import { minutesOf, market as ours } from "../../suggest/series.ts";
import { d, market } from "../../support/grid.ts";

/** Candidates without skill, the same in each run. */
function columnsOf(candidates: number, rows: number): number[][] {
  let state = 7;
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 0x100000000 - 0.5;
  };
  return Array.from({ length: candidates }, () => Array.from({ length: rows }, next));
}

/** Splits the rows in every way, and compares Sharpe ratios row by row. */
function plainly(columns: readonly (readonly number[])[], size: number) {
  const sharpe = (column: readonly number[], blocks: number) => {
    const values = column.slice(0, 16 * size).filter((_, row) => (blocks >> Math.floor(row / size)) & 1);
    const mean = values.reduce((sum, one) => sum + one, 0) / values.length;
    return mean / Math.sqrt(values.reduce((sum, one) => sum + (one - mean) ** 2, 0));
  };
  let [splits, worse, lost] = [0, 0, 0];
  for (let blocks = 0; blocks < 1 << 16; blocks++) {
    if (blocks.toString(2).replaceAll("0", "").length !== 8) continue;
    const inside = columns.map((column) => sharpe(column, blocks));
    const outside = columns.map((column) => sharpe(column, ~blocks & 0xffff));
    const own = outside[inside.indexOf(Math.max(...inside))] as number;
    splits++;
    if (outside.filter((one) => one <= own).length / (columns.length + 1) <= 0.5) worse++;
    if (own < 0) lost++;
  }
  return { probability: worse / splits, probabilityOfLoss: lost / splits, splits };
}

it("the probability of overfitting is that of every split, row by row", () => {
  // The last five rows belong to no block.
  const columns = columnsOf(4, 37);
  expect(overfittingOf(columns)).toEqual(plainly(columns, 2));
  expect(overfittingOf(columnsOf(2, 16))).toEqual(plainly(columnsOf(2, 16), 1));
});

it("of candidates with the same score, the first is the best one", () => {
  const only = (returns: Readonly<Record<number, number>>) =>
    Array.from({ length: 16 }, (_, block) => returns[block] ?? 0);
  // The first gains in block 0 and loses in block 2. The second gains in block 1.
  const [first, second] = [only({ 0: 1, 2: -1 }), only({ 1: 1 })];
  // It is at least as good in the 3,432 halves with block 0 and without block 2, and loses in the other half.
  expect(overfittingOf([first, second]).probabilityOfLoss).toBe(3432 / 12_870);
  // The 1,716 of them with block 1 are ties.
  expect(overfittingOf([second, first]).probabilityOfLoss).toBe(1716 / 12_870);
});

it("the probability of overfitting requires two candidates and a return for each block", () => {
  for (const columns of [[], columnsOf(1, 16), columnsOf(2, 15)])
    expect(() => overfittingOf(columns)).toThrow("too few returns or candidates");
});

// erfc(-x / √2) / 2, to 15 digits.
it.each([
  [-8, 6.22096057427178e-16],
  [-10, 7.61985302416053e-24],
])("the normal distribution has eight digits far from its mean: %d", (x, share) => {
  expect(normalCdf(x) / share).toBeCloseTo(1, 7);
});

it("a candidate of one trial has no luck, and an impossible series no probability", () => {
  expect([expectedBest(1, 5), expectedBest(2, 0)]).toEqual([0, 0]);
  const moments = { observations: 100, sharpe: 1, skewness: 2, kurtosis: 3 };
  expect(probabilisticSharpe(moments, 0)).toBe(0);
  // 1 - 1.5 + 0.5 is no deviation at all.
  expect(probabilisticSharpe({ ...moments, skewness: 1.5 }, 0)).toBe(0);
  for (const share of [0, 1, -1, 2, Number.NaN]) expect(() => normalInverse(share)).toThrow(RangeError);
});

const MARKET = market({
  tick: d("1"),
  lot: d("0.01"),
  minAmount: d("0.01"),
  minNotional: d("5"),
  maker: d("0.001"),
});
/** Four slots, half of whose range is a tenth of its middle. */
const WIDE = { width: 0.1, slots: 4, shift: 0, spacing: "linear" } as const;

it("a candidate is the grid that a start would build, with its sums", () => {
  // Levels 900, 950, 1000, 1050 and 1100; 100.1 of budget for each slot, of which 0.1 % is the fee.
  const grid = gridAt(WIDE, 1000, { market: MARKET, budget: 400.4 });
  expect(grid?.rungs).toEqual({
    buys: Float64Array.of(899, 949, 999, 1049),
    sells: Float64Array.of(951, 1001, 1051, 1101),
    lowers: Float64Array.of(900, 950, 1000, 1050),
    buying: 2,
    armed: 2,
  });
  // 100 buy 0.11, 0.10, 0.10 and 0.09 in whole lots.
  const round = (column: Float64Array | undefined) =>
    [...(column ?? [])].map((one) => Number(one.toFixed(9)));
  expect([round(grid?.base), round(grid?.cost), round(grid?.proceeds)]).toEqual([
    [0.11, 0.1, 0.1, 0.09],
    [99.099, 95.095, 100.1, 94.5945],
    [104.3955, 99.9, 104.895, 98.901],
  ]);
  // A fee in base leaves a lot less to sell, and costs no quote.
  const inBase = gridAt(WIDE, 1000, { market: { ...MARKET, buyFeeIn: "base" }, budget: 400.4 });
  expect([round(inBase?.base), round(inBase?.cost)]).toEqual([
    [0.1, 0.09, 0.09, 0.08],
    [99, 95, 100, 94.5],
  ]);
});

it("a candidate below break-even or a minimum is none", () => {
  const at = (over: object, budget = 400.4, candidate: object = {}) =>
    gridAt({ ...WIDE, ...candidate } as never, 1000, { market: { ...MARKET, ...over }, budget });
  expect([at({ maker: d("0.03") }), at({ maker: d("0.02") }) !== undefined]).toEqual([undefined, true]);
  expect([at({ minAmount: d("0.1") }), at({ minAmount: d("0.09") }) !== undefined]).toEqual([
    undefined,
    true,
  ]);
  expect([at({ minNotional: d("94.6") }), at({ minNotional: d("94.5") }) !== undefined]).toEqual([
    undefined,
    true,
  ]);
  expect([at({}, 40), at({}, 0)]).toEqual([undefined, undefined]);
  expect(at({ minAmount: 0n, minNotional: 0n }, 40)).toBeUndefined();
});

it("a search has equal windows, and doubts a grid without cycles in the last one", () => {
  const walk = minutesOf(1, { bars: 2881, keeps: 0.996 });
  const stop = (of: Candles["open"]) => Float64Array.from(of, (price, i) => (i < 1920 ? price : 5_000_000));
  const { open, high, low, close, times } = walk;
  const past = candlesIn({ ...walk, open: stop(open), high: stop(high), low: stop(low), close: stop(close) });
  const found = suggest(past, { market: ours, budget: 1000, windows: 3, candidates: 20, seed: 1 });
  const at = (minute: number) => (times[0] as number) + minute * MINUTE;
  expect(found.windows).toEqual([
    { from: at(0), until: at(960) },
    { from: at(960), until: at(1920) },
    { from: at(1920), until: at(2881) },
  ]);
  for (const { returns, meanReturn, worstReturn } of found.best) {
    const [first = 0, second = 0] = returns;
    expect([meanReturn, worstReturn]).toEqual([(first + second) / 2, first < second ? first : second]);
  }
  expect([found.winner, found.looked + found.refused, found.isComplete]).toEqual([null, 20, true]);
  expect(found.reasons).toContain(
    "0 cycles in the last window, which was not used to choose, are too few; at least 30 are needed",
  );
  expect(found.reasons).toContain("it earns nothing in the last window, which was not used to choose");
});

it("of grids that do equally well, those of the smallest keys are shown, whatever the seed", () => {
  // The price never moves, so no grid trades.
  const past = candlesOf(
    { pair: "BTC/USDT", spanMillis: MINUTE },
    Array.from({ length: 2880 }, (_, i) => {
      return { at: i * MINUTE, open: "50000", high: "50000", low: "50000", close: "50000", volume: 1 };
    }),
  );
  const options = { market: { ...ours, maker: 0n, taker: 0n }, budget: 1e6, windows: 3, candidates: 12 };
  for (const seed of [1, 2, 3]) {
    const keys = candidatesOf(seed).slice(0, 12).map(keyOf).sort();
    const { best, winner, looked, refused, reasons } = suggest(past, { ...options, seed });
    expect([looked, refused, winner]).toEqual([12, 0, null]);
    expect(best.map(({ candidate }) => candidate)).toEqual(
      keys.slice(0, 5).map((key) => candidateAt(key.split(" ").map(Number) as never)),
    );
    // The best one always has the median rank, and as much of an edge as chance.
    expect(reasons).toEqual([
      "the probability of overfitting is 100 %: the best grid in one half of the time was no better than the median in the other half",
      "luck among so many trials can explain the best one: its deflated Sharpe ratio is 50 %, below 95 %",
      "its neighbors do much worse; it is a peak, not a plateau",
      "0 cycles in the last window, which was not used to choose, are too few; at least 30 are needed",
      "it earns nothing in the last window, which was not used to choose",
    ]);
    expect(best.map(({ sharpe, plateau }) => [sharpe, plateau])).toEqual(Array(5).fill([0, 0]));
  }
});

it("neighbors are one step away in width, slots or shift", () => {
  expect(neighboursOf([3, 2, 1, 0])).toEqual([
    [2, 2, 1, 0],
    [4, 2, 1, 0],
    [3, 1, 1, 0],
    [3, 3, 1, 0],
    [3, 2, 0, 0],
    [3, 2, 2, 0],
  ]);
  expect(candidateAt([0, 15, 2, 1])).toEqual({ width: 0.005, slots: 100, shift: 0.5, spacing: "geometric" });
});

it("gains of a candidate are its equity at the end of each part", () => {
  const grid = gridAt(WIDE, 1000, { market: MARKET, budget: 400.4 });
  if (!grid) throw new Error("refused");
  const bars = ticksOf(
    candlesOf(
      { pair: "BTC/USDT", spanMillis: MINUTE },
      // The first bar is before the window. Slot 1 buys 0.1 at 950, and sells it at 1000.
      [2000, 1000, 949, 960, 1001, 949, 940].map((price, i) => {
        const text = String(price);
        return { at: i * MINUTE, open: text, high: text, low: text, close: text, volume: 1 };
      }),
    ),
    d("1"),
  );
  const gains = gainsOf(grid, bars, { from: 1, until: 7 }, 3);
  // At 949: -95.095 + 94.9. At 1001: the cycle made 4.805. At 940 it has bought again, and so has
  // slot 2, which was above its price: -95.095 - 100.1 + 188.
  expect([...gains.parts].map((one) => Number(one.toFixed(6)))).toEqual([-0.195, 5, -7.195]);
  expect([gains.cycles, Number(gains.total.toFixed(6))]).toEqual([1, -2.39]);
});
