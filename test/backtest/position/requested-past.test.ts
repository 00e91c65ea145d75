import { describe, expect, it } from "vitest";
import { requestedPast } from "../../../src/backtest/position/requested-past.ts";
import { candlesOf } from "../../../src/candles/candles.ts";
import { MINUTE } from "../../../src/kernel/time.ts";
import { d } from "../../support/grid.ts";

const START = 1_767_225_600_000;
/** A candle of each of these minutes, whose prices tell the minute. */
const past = (minutes: readonly number[]) =>
  candlesOf(
    { pair: "BTC/USDT", spanMillis: MINUTE },
    minutes.map((minute) => ({
      at: START + minute * MINUTE,
      open: `${100 + minute}.0`,
      high: `${200 + minute}.5`,
      low: `${50 - minute}`,
      close: `${110 + minute}`,
      volume: 0.5,
    })),
  );
const definition = (over: object = {}) => ({ name: "mine", config: {}, ...over }) as never;
const at = (minutes: number): number => START + minutes * MINUTE;

describe("candles of a past pass", () => {
  const five = definition({ candles: { timeframe: "5m", count: 2 } });
  const series = (minutes: readonly number[], passes: readonly number[]) => {
    const requested = requestedPast(five, past(minutes), {});
    return passes.map((pass) => {
      const [found] = requested(at(pass)).candles ?? [];
      return [
        found && (found.until - START) / MINUTE,
        found?.rows.map(({ at: begins }) => (begins - START) / MINUTE),
      ];
    });
  };
  const MINUTES = Array.from({ length: 20 }, (_, i) => i);

  it("are the last complete ones of the longer span", () => {
    expect(series(MINUTES, [0, 4.9, 5, 9.99, 10, 16, 20])).toEqual([
      [0, []],
      [0, []],
      [5, [0]],
      [5, [0]],
      [10, [0, 5]],
      [15, [5, 10]],
      [20, [10, 15]],
    ]);
    const requested = requestedPast(five, past(MINUTES), {});
    expect(requested(at(10)).candles?.[0]).toEqual({
      span: 5 * MINUTE,
      count: 2,
      until: at(10),
      rows: [
        { at: at(0), open: d("100"), high: d("204.5"), low: d("46"), close: d("114"), volume: d("2.5") },
        { at: at(5), open: d("105"), high: d("209.5"), low: d("41"), close: d("119"), volume: d("2.5") },
      ],
    });
  });

  it("are built from the candles that there are", () => {
    // None of minutes 3 to 11: a part of the first span, nothing of the second, a part of the third.
    expect(series([0, 1, 2, 12, 13, 14, 15], [5, 10, 15, 16])).toEqual([
      [5, [0]],
      [10, [0]],
      [15, [0, 10]],
      [15, [0, 10]],
    ]);
    expect(series([1, 2, 7], [20])).toEqual([[20, [0, 5]]]);
  });

  it("are none if the strategy uses none, and refused if they are longer than its own", () => {
    expect(Object.keys(requestedPast(definition(), past([0]), {})(at(1)))).toEqual(["elsewhere"]);
    const long = candlesOf({ pair: "BTC/USDT", spanMillis: 3 * MINUTE }, [
      { at: START, open: "1", high: "1", low: "1", close: "1", volume: 1 },
    ]);
    expect(() => requestedPast(five, long, {})).toThrow(
      "mine uses candles of 5m; backtest it on candles that divide them, not of 3 min",
    );
  });
});

describe("prices of other sources in a past pass", () => {
  it("are the closes of their last complete candles, if none is missing there", () => {
    const requested = requestedPast(definition({ reference: true }), past([0]), {
      reference: [
        { source: "one", candles: past([0, 1, 2, 5]) },
        { source: "other", candles: past([4]) },
      ],
    });
    const prices = [0, 0.99, 1, 2.5, 3, 3.99, 4, 5, 6, 7.99, 8].map((pass) =>
      requested(at(pass))
        .elsewhere?.prices.map(({ source, price }) => `${source} ${price / d("1")}`)
        .join(),
    );
    expect(prices).toEqual([
      "",
      "",
      "one 110",
      "one 111",
      "one 112",
      "one 112",
      "",
      "other 114",
      "one 115",
      "",
      "",
    ]);
    expect(requested(at(9)).elsewhere).toEqual({ prices: [], requestedAt: at(9), bookAt: at(9) });
  });
});
