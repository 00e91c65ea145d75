import { describe, expect, it } from "vitest";
import { UNKNOWN } from "../../../src/backtest/paper-positions.ts";
import { countWithin, createFalls } from "../../../src/backtest/run/figures.ts";
import { ticksOf } from "../../../src/backtest/ticks.ts";
import { candlesIn } from "../../../src/candles/candles.ts";
import { hashText, pseudorandomShare } from "../../../src/kernel/hash.ts";
import { MINUTE } from "../../../src/kernel/time.ts";
import { d } from "../../support/grid.ts";

const START = Date.UTC(2026, 0, 1);
const INVESTED = 1000;
const indexOf = (at: number): number => (at - START) / MINUTE;

function barsOf(prices: readonly number[]) {
  const column = Int32Array.from(prices);
  const times = Float64Array.from(column, (_, i) => START + i * MINUTE);
  return ticksOf(
    candlesIn({
      pair: "BTC/USDT",
      spanMillis: MINUTE,
      scale: 0,
      times,
      volume: new Float64Array(prices.length),
      open: column,
      high: column,
      low: column,
      close: column,
    }),
    d("1"),
  );
}

/** Positions from these bars on: quote besides the invested sum, and base. */
interface Row {
  readonly bar: number;
  readonly cash: number;
  readonly base: number;
}
const positionsOf = (rows: readonly Row[]) => ({
  bars: Int32Array.from(rows, ({ bar }) => bar),
  cash: Float64Array.from(rows, ({ cash }) => cash),
  base: Float64Array.from(rows, ({ base }) => base),
  least: new Float64Array(rows.length),
  most: new Float64Array(rows.length).fill(UNKNOWN),
  ranges: [],
});

/** The max drawdown and the peak after each row, bar by bar. Of two equal ones, the first counts. */
function plainly(prices: readonly number[], rows: readonly Row[]) {
  let [peak, top, worst] = [INVESTED, 0, { share: 0, amount: 0, peak: INVESTED, from: 0, to: 0 }];
  const peaks = rows.map(({ bar, cash, base }, i) => {
    for (let at = bar; at < (rows[i + 1]?.bar ?? prices.length); at++) {
      const equity = INVESTED + cash + base * (prices[at] as number);
      if (equity > peak) [peak, top] = [equity, at];
      const amount = peak - equity;
      if (amount / peak > worst.share) worst = { share: amount / peak, amount, peak, from: top, to: at };
    }
    return peak;
  });
  return { peaks, worst };
}

function found(prices: readonly number[], rows: readonly Row[], isWatched: boolean) {
  const bars = barsOf(prices);
  const falls = createFalls(bars, positionsOf(rows), INVESTED);
  const peaks = rows.flatMap(({ bar }, i) => {
    falls.go(bar, rows[i + 1]?.bar ?? bars.count, i);
    return isWatched ? [falls.peak()] : [];
  });
  const { from, to, ...worst } = falls.worst();
  return { peaks, worst: { ...worst, from: indexOf(from), to: indexOf(to) } };
}

/** Prices that stay for a while, then step between a few values, so that many are equal. */
function pricesOf(seed: number, count: number): number[] {
  const hash = hashText(`falls ${seed}`);
  let price = 100;
  return Array.from({ length: count }, (_, i) => {
    if (pseudorandomShare(hash, 2 * i) < 0.15)
      price = 96 + Math.floor(pseudorandomShare(hash, 2 * i + 1) * 9);
    return price;
  });
}
function rowsOf(seed: number, count: number): Row[] {
  const hash = hashText(`rows ${seed}`);
  const starts = Array.from({ length: 6 }, (_, i) => Math.floor(pseudorandomShare(hash, i) * count));
  return [...new Set([0, ...starts])]
    .sort((a, b) => a - b)
    .map((bar, i) => {
      const base = Math.floor(pseudorandomShare(hash, 100 + i) * 3);
      return { bar, base, cash: -100 * base + Math.floor(pseudorandomShare(hash, 200 + i) * 5) };
    });
}

describe("the max drawdown", () => {
  it("is that of every bar in turn, and so is the peak", () => {
    let falls = 0;
    for (let seed = 0; seed < 300; seed++) {
      const count = 1 + ((seed * 37) % 400);
      const [prices, rows] = [pricesOf(seed, count), rowsOf(seed, count)];
      const expected = plainly(prices, rows);
      expect(found(prices, rows, true), `seed ${seed}`).toEqual(expected);
      expect(found(prices, rows, false).worst, `seed ${seed}`).toEqual(expected.worst);
      if (expected.worst.share > 0) falls++;
    }
    expect(falls).toBeGreaterThan(200);
  });

  it("is found in a long time without one", () => {
    const prices = new Array<number>(10_000).fill(100);
    [prices[4500], prices[4700], prices[9000], prices[9990]] = [104, 104, 100, 99];
    const rows = [{ bar: 0, cash: 0, base: 1 }];
    expect(found(prices, rows, false)).toEqual({ peaks: [], worst: plainly(prices, rows).worst });
    expect(plainly(prices, rows).worst).toMatchObject({ from: 4500, to: 9990 });
  });
});

it("bars within a range are counted one by one", () => {
  const long = new Array<number>(9000).fill(100);
  [long[4095], long[4096], long[5000], long[8191], long[8999]] = [99, 101, 102, 98, 103];
  const all = [long, ...[1, 2, 3, 4].map((seed) => pricesOf(seed, 700))];
  for (const prices of all) {
    const bars = barsOf(prices);
    for (const from of [0, 1, 64, 100, 640, 4096])
      for (const until of [63, 64, 128, 699, 700, 8192, 9000])
        for (const [low, high] of [
          [100, 100],
          [99, 101],
          [101, 103],
          [96, 99],
          [90, 95],
          [105, 110],
        ] as const) {
          const part = prices.slice(from, until);
          const end = Math.max(from, Math.min(until, prices.length));
          expect(countWithin(bars, { from, until: end }, { low, high })).toBe(
            part.filter((price) => price >= low && price <= high).length,
          );
        }
  }
});
