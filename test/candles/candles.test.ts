import { describe, expect, it } from "vitest";
import { type CandleRow, candlesIn, candlesOf, slice } from "../../src/candles/candles.ts";
import { MINUTE } from "../../src/kernel/time.ts";

const PLACE = { pair: "BTC/USDT", spanMillis: MINUTE } as const;
const bar = (at: number, change: Partial<CandleRow> = {}): CandleRow => ({
  at: at * MINUTE,
  open: "100.5",
  high: "101.25",
  low: "100.0",
  close: "101",
  volume: 2,
  ...change,
});

describe("candles in columns", () => {
  it("store prices as whole numbers of the finest decimal among them", () => {
    const candles = candlesOf(PLACE, [bar(1), bar(2, { close: "100.750" })]);
    expect(candles).toMatchObject({ scale: 2, from: MINUTE });
    expect([...candles.open, ...candles.high, ...candles.low, ...candles.close]).toEqual([
      10050, 10050, 10125, 10125, 10000, 10000, 10100, 10075,
    ]);
    expect(candles.low).toBeInstanceOf(Int32Array);
  });

  it("are exact doubles where a price exceeds 32 bits", () => {
    const wide = bar(1, { high: "120000.00000001" });
    const candles = candlesOf(PLACE, [wide]);
    expect(candles.high).toBeInstanceOf(Float64Array);
    expect(candles.high[0]).toBe(12_000_000_000_001);
  });

  it.each([
    [[bar(2), bar(1)], "candle 2: it is earlier than the previous one"],
    [[bar(1), bar(1)], "candle 2: it has the same time as the previous one"],
    [[bar(1), bar(1.5)], "candle 2: it begins before the previous one has ended"],
    [[bar(1, { low: "101.3" })], "candle 1: its high is below its low"],
    [[bar(1, { open: "99" })], "candle 1: its open is outside low and high"],
    [[bar(1, { close: "102" })], "candle 1: its close is outside low and high"],
    [[bar(1, { low: "0" })], "candle 1: its low is not above zero"],
    [[bar(1, { low: "-1" })], "candle 1: its low is not above zero"],
    [[bar(1, { close: "much" })], "candle 1: much is not a price"],
    [[bar(1, { high: "99999999999.00000001" })], "candle 1: its high is too large to be stored exactly"],
    [[bar(1, { volume: Number.NaN })], "candle 1: its volume is negative or not a number"],
    [[bar(0.00001)], "candle 1: its time is not a whole number of milliseconds"],
  ])("reject a row that is not a bar after the previous one", (rows, message) => {
    expect(() => candlesOf(PLACE, rows)).toThrow(message);
  });

  it("preserve their gaps, and a time range selects the bars in it", () => {
    const candles = candlesOf(PLACE, [bar(1), bar(2), bar(9), bar(10)]);
    expect([...slice(candles, 2 * MINUTE, 10 * MINUTE).times]).toEqual([2 * MINUTE, 9 * MINUTE]);
    expect(slice(candles, 3 * MINUTE, 8 * MINUTE)).toMatchObject({ from: 0, times: new Float64Array(0) });
  });

  it("are empty without rows", () => {
    expect(candlesOf(PLACE, []).times).toHaveLength(0);
    expect(() => candlesIn({ ...candlesOf(PLACE, []), spanMillis: 0 })).toThrow(
      "a candle must have a positive length",
    );
  });
});
