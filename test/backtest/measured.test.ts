import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { UNKNOWN } from "../../src/backtest/paper-positions.ts";
import { backtest } from "../../src/backtest/run/backtest.ts";
import { countWithin, createFalls } from "../../src/backtest/run/figures.ts";
import { closeAt, type Ticks, ticksOf } from "../../src/backtest/ticks.ts";
import { candlesIn } from "../../src/candles/candles.ts";
import { MINUTE } from "../../src/kernel/time.ts";
import { d, market as marketOf } from "../support/grid.ts";
import { most } from "../support/whole.ts";
import { randomCandles } from "./random-bars.ts";

const INVESTED = 1000;

/** Bars of one price each, which steps about 100,000. */
function barsOf(seed: number, count: number, step: number): Ticks {
  let state = seed >>> 0;
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 0x100000000 - 0.5;
  };
  let price = 100_000;
  const close = Float64Array.from({ length: count }, () => {
    price = Math.max(1000, Math.round(price + next() * step));
    return price;
  });
  const times = Float64Array.from({ length: count }, (_, i) => i * MINUTE);
  return ticksOf(
    candlesIn({
      pair: "BTC/USDT",
      spanMillis: MINUTE,
      scale: 1,
      times,
      volume: new Float64Array(count),
      open: close,
      high: close,
      low: close,
      close,
    }),
    d("0.1"),
  );
}

/** The same, bar by bar. */
function plainly(bars: Ticks, stretches: readonly (readonly number[])[]) {
  const { times } = bars.candles;
  let [peak, peakAt] = [INVESTED, times[0] as number];
  let worst = { amount: 0, share: 0, peak, from: peakAt, to: peakAt };
  for (const [from = 0, until = 0, cash = 0, base = 0] of stretches)
    for (let bar = from; bar < until; bar++) {
      const [equity, at] = [cash + base * (closeAt(bars, bar) * 0.1), times[bar] as number];
      if (equity > peak) [peak, peakAt] = [equity, at];
      const amount = peak - equity;
      const share = amount / peak;
      if (share > worst.share) worst = { amount, share, peak, from: peakAt, to: at };
    }
  return { peak, worst };
}

const runs = fc.record({
  seed: fc.nat(),
  step: fc.constantFrom(0, 10, 400),
  cuts: fc.oneof(cutsOf(7000, 8), cutsOf(100, 80)),
});

/** What is held over so many bars, and how well it is known between which prices they closed. */
function cutsOf(longest: number, count: number) {
  const cut = fc.record({
    length: fc.integer({ min: 1, max: longest }),
    base: fc.constantFrom(0, 0.01, 0.2),
    beyond: fc.constantFrom(0, 1, 300, undefined),
  });
  return fc.array(cut, { minLength: 1, maxLength: count });
}

const closesOf = (bars: Ticks, from: number, until: number): number[] =>
  Array.from({ length: until - from }, (_, i) => closeAt(bars, from + i));

/** Between which prices some bars closed, or so much more than that. */
function reachOf(bars: Ticks, from: number, until: number, beyond: number | undefined) {
  if (beyond === undefined) return { least: 0, most: UNKNOWN };
  const closes = closesOf(bars, from, until);
  return { least: Math.min(...closes) - beyond, most: Math.max(...closes) + beyond };
}

describe("equity over blocks of bars", () => {
  it("has the same peak and max drawdown as bar by bar", () => {
    fc.assert(
      fc.property(runs, ({ seed, step, cuts }) => {
        const count = cuts.reduce((sum, { length }) => sum + length, 0);
        const bars = barsOf(seed, count, step);
        let from = 0;
        const stretches = cuts.map(({ length, base }) => {
          const stretch = [from, from + length, INVESTED - base * 10_000, base] as const;
          from += length;
          return stretch;
        });
        const reaches = stretches.map(([start, until], i) => reachOf(bars, start, until, cuts[i]?.beyond));
        const positions = {
          bars: Int32Array.from(stretches, ([start]) => start),
          cash: Float64Array.from(stretches, ([, , cash]) => cash - INVESTED),
          base: Float64Array.from(stretches, ([, , , base]) => base),
          least: Float64Array.from(reaches, ({ least }) => least),
          most: Float64Array.from(reaches, ({ most: highest }) => highest),
          ranges: [],
        };
        const falls = createFalls(bars, positions, INVESTED);
        for (const [place, [start, until]] of stretches.entries()) falls.go(start, until, place);
        expect({ peak: falls.peak(), worst: falls.worst() }).toEqual(plainly(bars, stretches));
      }),
      { numRuns: most(400, 40) },
    );
  });

  it("counts the closes between two prices as bar by bar", () => {
    fc.assert(
      fc.property(
        fc.nat(),
        fc.integer({ min: 0, max: 9000 }),
        fc.integer({ min: 0, max: 9000 }),
        fc.integer({ min: 0, max: 20_000 }),
        (seed, a, b, width) => {
          const bars = barsOf(seed, 9000, 200);
          const [from, until] = [Math.min(a, b), Math.max(a, b)];
          const [low, high] = [100_000 - width, 100_000 + width];
          const closes = closesOf(bars, from, until);
          const inside = closes.filter((close) => close >= low && close <= high).length;
          expect(countWithin(bars, { from, until }, { low, high })).toBe(inside);
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe("the drawn equity curve", () => {
  it("falls by the measured drawdown, with one point for each time", () => {
    const market = marketOf({ tick: d("1") });
    const request = { lowerPrice: d("9000"), upperPrice: d("11000"), gridLevels: 20, orderSize: d("100") };
    for (const seed of [3, 4, 5, 6, 7]) {
      const { series, drawdown } = backtest(request, randomCandles(seed, 6000, 30), { market }).figures;
      expect(drawdown.share).toBeGreaterThan(0);
      expect(Math.max(...series.map((point) => point.drawdown))).toBe(drawdown.share);
      expect(series.find(({ at }) => at === drawdown.from)?.drawdown).toBe(0);
      const times = series.map(({ at }) => at);
      expect(times).toEqual([...new Set(times)].sort((a, b) => a - b));
    }
  });
});
