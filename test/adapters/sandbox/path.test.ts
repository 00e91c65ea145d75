import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { replayPath } from "../../../src/adapters/sandbox/listings.ts";
import { generatedPath } from "../../../src/adapters/sandbox/matching.ts";
import { candlesOf } from "../../../src/candles/candles.ts";
import { decimal } from "../../../src/kernel/decimal.ts";
import { DAY, HOUR, MINUTE } from "../../../src/kernel/time.ts";
import { START } from "../../support/sandbox.ts";

const make = (over: object = {}) =>
  generatedPath({
    seed: 1,
    symbol: "BTC/USDT",
    venue: "kraken",
    anchor: { at: START, ticks: 6_000_000 },
    volatility: 0.006,
    hourlyVolume: 30,
    shocks: [],
    ...over,
  });

const times = fc.integer({ min: START - 30 * DAY, max: START + 30 * DAY });

describe("a generated price", () => {
  it("is a function of seed, symbol and time: the same for every caller, in any order", () => {
    const one = make();
    fc.assert(
      fc.property(fc.array(times, { minLength: 1, maxLength: 20 }), (requests) => {
        const other = make();
        expect(
          [...requests]
            .reverse()
            .map((at) => other.at(at))
            .reverse(),
        ).toEqual(requests.map((at) => one.at(at)));
      }),
    );
  });

  it("starts at the listing's price, with a small difference per venue", () => {
    for (const venue of ["mexc", "gateio", "bitget", "kraken"]) {
      expect(Math.abs(make({ venue }).at(START) / 6_000_000 - 1)).toBeLessThan(0.0005);
    }
  });

  it("moves with the configured hourly volatility", () => {
    const path = make();
    const returns = Array.from({ length: 2000 }, (_, i) =>
      Math.log(path.at(START + (i + 1) * HOUR) / path.at(START + i * HOUR)),
    );
    const deviation = Math.sqrt(returns.reduce((sum, one) => sum + one * one, 0) / returns.length);
    expect(deviation).toBeGreaterThan(0.004);
    expect(deviation).toBeLessThan(0.008);
  });

  it("differs by seed and by symbol", () => {
    const at = START + 5 * HOUR;
    expect(
      new Set([make(), make({ seed: 2 }), make({ symbol: "ETH/USDT" })].map((path) => path.at(at))).size,
    ).toBe(3);
  });

  it("jumps by a shock's factor from its time on", () => {
    const [before, after] = [START + HOUR, START + 2 * HOUR];
    const shocked = make({ shocks: [{ at: before + 10 * MINUTE, factor: 0.9 }] });
    expect(shocked.at(before)).toBe(make().at(before));
    expect(shocked.at(after) / make().at(after)).toBeCloseTo(0.9, 6);
  });
});

describe("a replayed price", () => {
  const first = Date.UTC(2022, 0, 1);
  const file = candlesOf({ pair: "BTC/USDT", spanMillis: MINUTE }, [
    { at: first, open: "100", high: "104", low: "98", close: "101", volume: 5 },
    { at: first + MINUTE, open: "101", high: "103", low: "100", close: "102", volume: 7 },
    { at: first + 2 * MINUTE, open: "102", high: "102", low: "102", close: "102", volume: 1 },
  ]);
  const path = replayPath(file, decimal("0.01"), (anchor) => make({ anchor }));

  it("follows each candle: open, high, low, close", () => {
    expect(path.corners(first - 1, first + MINUTE).map(({ ticks }) => ticks)).toEqual([
      10_000, 10_400, 9800, 10_100,
    ]);
  });

  it("stays at the last price at the end", () => {
    expect([first + 3 * MINUTE, first + DAY].map((at) => path.at(at))).toEqual([10_200, 10_200]);
  });

  it("leads up to the first candle", () => {
    expect(Math.abs(path.at(first - 1) / 10_000 - 1)).toBeLessThan(0.002);
    expect(path.corners(first - HOUR, first).length).toBeGreaterThan(100);
  });

  it("uses the file's volume", () => {
    expect([path.volume(first, first + MINUTE), path.volume(first, first + DAY)]).toEqual([5, 13]);
  });
});
