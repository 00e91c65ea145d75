import { describe, expect, it } from "vitest";
import {
  closeAt,
  highAt,
  lowAt,
  missingBars,
  nextBar,
  openAt,
  pathsFrom,
  ticksOf,
} from "../../../src/backtest/ticks.ts";
import { candlesIn, candlesOf } from "../../../src/candles/candles.ts";
import { MINUTE } from "../../../src/kernel/time.ts";
import { d } from "../../support/grid.ts";

const SERIES = { pair: "BTC/USDT", spanMillis: MINUTE } as const;
const candles = (rows: readonly (readonly [string, string, string, string])[]) =>
  candlesOf(
    SERIES,
    rows.map(([open, high, low, close], i) => ({ at: i * MINUTE, open, high, low, close, volume: 1 })),
  );
/** Columns of whole numbers that are too large for 32 bits. */
const wide = (prices: readonly number[], scale: number) => {
  const column = Float64Array.from(prices);
  const times = Float64Array.from(prices, (_, i) => i * MINUTE);
  return candlesIn({
    ...SERIES,
    scale,
    times,
    volume: new Float64Array(prices.length),
    open: column,
    high: column,
    low: column,
    close: column,
  });
};

describe("candles in ticks", () => {
  it.each([
    ["0.05", "0.001", [100_025, 100_100, 100_000, 100_050]],
    // A tick smaller than the unit of the candles.
    ["0.0005", "0.0005", [200_050, 200_200, 200_000, 200_100]],
    // Neither is a multiple of the other.
    ["0.0015", "0.0005", [200_050, 200_200, 200_000, 200_100]],
    ["1000", "0.001", [100_025, 100_100, 100_000, 100_050]],
  ])("of %s are whole steps of %s", (tick, step, expected) => {
    const bars = ticksOf(candles([["100.025", "100.100", "100.000", "100.050"]]), d(tick));
    const found = [openAt(bars, 0), highAt(bars, 0), lowAt(bars, 0), closeAt(bars, 0)];
    expect([found, bars.count]).toEqual([expected, 1]);
    expect(found.map((price) => BigInt(price) * bars.step)).toEqual([
      d("100.025"),
      d("100.1"),
      d("100"),
      d("100.05"),
    ]);
    expect(bars.step).toBe(d(step));
  });

  it("can be larger than 32 bits", () => {
    const bars = ticksOf(wide([6_000_000_000, 6_000_000_025], 1), d("0.1"));
    expect([closeAt(bars, 0), highAt(bars, 1), lowAt(bars, 1)]).toEqual([6e9, 6_000_000_025, 6_000_000_025]);
    expect(closeAt(ticksOf(wide([6_000_000_025], 1), d("5")), 0)).toBe(6_000_000_025);
    expect(closeAt(ticksOf(wide([6_000_000_025], 1), d("0.05")), 0)).toBe(12_000_000_050);
    expect(nextBar(bars, 0, -Infinity, 6_000_000_001)).toBe(1);
    // Blocks hold such prices too: of 200 bars only the last one reaches more.
    const many = ticksOf(wide([...new Array<number>(199).fill(6_000_000_000), 6_000_000_025], 1), d("0.1"));
    expect([nextBar(many, 0, -Infinity, 6_000_000_001), nextBar(many, 0, 1, 6_000_000_026)]).toEqual([
      199, 200,
    ]);
    // The largest price of 32 bits, and the next one.
    for (const price of [2_147_483_647, 2_147_483_648])
      expect(closeAt(ticksOf(wide([price], 0), d("1")), 0)).toBe(price);
  });

  it("are converted once for each tick", () => {
    const past = candles([["1", "1", "1", "1"]]);
    const [first, again, other] = ["1", "1", "0.5"].map((tick) => ticksOf(past, d(tick)));
    expect(again).toBe(first);
    expect(other?.rows[0]).toBe(2);
  });
});

it("the next bar that reaches a price is found in any block", () => {
  const count = 9000;
  const column = (price: number) => new Int32Array(count).fill(price);
  const [times, open, high, low] = [
    Float64Array.from({ length: count }, (_, i) => i * MINUTE),
    column(100),
    column(101),
    column(99),
  ];
  const barsWith = (bar: number) =>
    ticksOf(
      candlesIn({
        ...SERIES,
        scale: 0,
        times,
        volume: new Float64Array(count),
        open,
        close: open,
        high: high.with(bar, 110),
        low: low.with(bar, 90),
      }),
      d("1"),
    );
  for (const bar of [0, 7, 8, 63, 64, 100, 511, 512, 4095, 4096, 8191, 8999]) {
    const bars = barsWith(bar);
    for (const from of [0, bar >> 1, Math.max(0, bar - 1), bar]) {
      expect([nextBar(bars, from, 90, 1000), nextBar(bars, from, 89, 1000)]).toEqual([bar, count]);
      expect([nextBar(bars, from, 0, 110), nextBar(bars, from, 0, 111)]).toEqual([bar, count]);
    }
    expect(nextBar(bars, bar + 1, 90, 110)).toBe(count);
  }
});

it("missing bars are those between the first and the last one", () => {
  const at = (minutes: readonly number[]) =>
    missingBars(
      candlesOf(
        SERIES,
        minutes.map((minute) => ({
          at: minute * MINUTE,
          open: "1",
          high: "1",
          low: "1",
          close: "1",
          volume: 1,
        })),
      ),
    );
  expect([at([5]), at([5, 6, 7]), at([5, 7]), at([5, 6, 10, 12])]).toEqual([0, 0, 1, 4]);
});

it("the ways to fill within a bar begin with the requested one", () => {
  expect(pathsFrom({ extremes: "high_first", fill: "touch" })).toEqual(
    (["touch", "cross"] as const).flatMap((fill) =>
      (["high_first", "nearest", "low_first"] as const).map((extremes) => ({ extremes, fill })),
    ),
  );
  expect(pathsFrom({ extremes: "nearest", fill: "cross" }).map(({ fill }) => fill)).toEqual([
    "cross",
    "cross",
    "cross",
    "touch",
    "touch",
    "touch",
  ]);
});
