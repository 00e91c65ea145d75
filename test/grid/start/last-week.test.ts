import { describe, expect, it } from "vitest";
import { crossingsOf, type GridStart, lastWeekOut } from "../../../src/grid/start/worst-case.ts";
import type { CenteredConfig, GridConfig } from "../../../src/grid/state/config.ts";
import { DAY } from "../../../src/kernel/time.ts";
import type { Candle } from "../../../src/model/market.ts";
import { d, market, slot } from "../../support/grid.ts";

const candle = (open: number, high: number, low: number, close: number): Candle => ({
  at: 0,
  open: d(String(open)),
  high: d(String(high)),
  low: d(String(low)),
  close: d(String(close)),
  volume: d("1"),
});
/** Candles of one price each. */
const prices = (...all: readonly number[]): Candle[] => all.map((one) => candle(one, one, one, one));
const SLOT = { lower: d("100"), upper: d("110") };
const crossed = (candles: readonly Candle[]) => {
  const { fills, cycles } = crossingsOf([SLOT], candles);
  return [fills, cycles[0]];
};

describe("the number of crossings of a slot's levels", () => {
  it("counts a buy once the price has come from above, and a cycle once it was sold", () => {
    expect(crossed(prices(105, 99))).toEqual([1, 0]);
    expect(crossed(prices(105, 99, 111))).toEqual([2, 1]);
    expect(crossed(prices(105, 99, 111, 99, 105, 99, 111))).toEqual([4, 2]);
    expect(crossed(prices(99, 98, 95))).toEqual([0, 0]);
    expect(crossed(prices(99, 111, 99))).toEqual([1, 0]);
    expect(crossed([])).toEqual([0, 0]);
  });

  it("ignores a level that the price has only touched", () => {
    expect(crossed(prices(105, 100, 111))).toEqual([0, 0]);
    expect(crossed(prices(105, 99, 110))).toEqual([1, 0]);
    expect(crossed(prices(100, 99))).toEqual([0, 0]);
  });

  it("visits a candle's nearer extreme first, and its low if both are equally near", () => {
    // Up to 111 and down to 99: bought at the end. Down first: bought, and sold on the way up.
    expect(crossed([candle(108, 111, 99, 105)])).toEqual([1, 0]);
    expect(crossed([candle(102, 111, 99, 105)])).toEqual([2, 1]);
    expect(crossed([candle(105, 111, 99, 105)])).toEqual([2, 1]);
  });

  it("counts each slot separately", () => {
    const slots = [SLOT, { lower: d("110"), upper: d("120") }];
    expect(crossingsOf(slots, prices(115, 105, 121, 99, 111))).toEqual({ fills: 5, cycles: [1, 1] });
  });
});

/** Without fees: a cycle of 100 from 100 to 110 earns 10. */
const FREE = market({ maker: 0n, taker: 0n });
const begins = (config: Partial<GridConfig> = {}): GridStart => ({
  config: {
    lowerPrice: d("100"),
    upperPrice: d("120"),
    gridLevels: 2,
    gridSpacing: d("10"),
    orderSize: d("100"),
    ...config,
  },
  state: { idle: [], slots: [slot(), slot({ index: 1, lower: d("110"), upper: d("120") })] },
  startPrice: d("115"),
  takingPrice: d("115"),
  market: FREE,
  balances: [{ asset: "USDT", free: d("5000"), used: 0n }],
});
/** Six candles of half a day: three days, of which both slots make a cycle. */
const WEEK = { candles: prices(115, 99, 105, 111, 121, 121), span: DAY / 2 };

describe("a plan's report on the last week", () => {
  it("shows the earnings a day, and when they pay for a fall to the lowest level", () => {
    const result = lastWeekOut(begins(), WEEK);
    // 10 and 9.0909 of 110 to 120, in three days; a fall to 100 takes 9.0909 of what was bought at 110.
    expect(result).toMatchObject({ days: 3, crossings: 4, cycles: 2, breakEvenDays: 1.5 });
    expect(result.profitPerDay).toBeCloseTo((10 + 100 / 11) / 3, 3);
    expect(result.message).toBe(
      "if the price crosses its levels as in the last 3 days (4 times, 2 cycles), it earns 6.36 USDT a day after fees and recovers the loss of a fall to 100 (9.09 USDT) in 2 days; where the price has no drift, a grid earns nothing on average before fees (arXiv 2506.11921)",
    );
  });

  it("uses the fall to the stop price, at which the grid sells", () => {
    const stops = lastWeekOut(begins({ stopLossPrice: d("90") }), WEEK);
    // 10 of the lower slot, 18.18 of the upper one.
    expect(stops.breakEvenDays).toBe(4.5);
    expect(stops.message).toMatch(
      / recovers the loss of a fall to 90 \(28.18 USDT\) in 5 days; where the price has no drift, /,
    );
    // A buy pays its fee here, and a sale another one.
    const dear = (config: Partial<GridConfig>) =>
      lastWeekOut({ ...begins(config), market: market({ maker: 0n, taker: d("0.1") }) }, WEEK).breakEvenDays;
    expect(dear({ stopLossPrice: d("90") })).toBe(10.3);
    expect(dear({})).toBe(4.6);
  });

  it("uses the current levels of a grid around the market", () => {
    const centered = lastWeekOut(begins({ centered: {} as CenteredConfig }), WEEK);
    expect(centered).toEqual(lastWeekOut(begins(), WEEK));
  });

  it("shows that nothing is earned back if no cycle completed", () => {
    expect(lastWeekOut(begins(), { ...WEEK, candles: prices(115, 105) })).toEqual({
      days: 1,
      crossings: 1,
      cycles: 0,
      profitPerDay: "0",
      breakEvenDays: null,
      message:
        "if the price crosses its levels as in the last 1 day (1 time, 0 cycles), it earns nothing and recovers no loss; where the price has no drift, a grid earns nothing on average before fees (arXiv 2506.11921)",
    });
  });

  it("shows the reason if last week's prices are unknown", () => {
    expect(lastWeekOut(begins(), { reason: "no line" })).toEqual({
      days: null,
      crossings: null,
      cycles: null,
      profitPerDay: null,
      breakEvenDays: null,
      message: "unknown, because the last week's prices are unavailable: no line",
    });
  });
});
