import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { backtest } from "../../src/backtest/run/backtest.ts";
import { RULES } from "../../src/backtest/ticks.ts";
import type { Candles } from "../../src/candles/candles.ts";
import { crossingsOf } from "../../src/grid/start/worst-case.ts";
import type { Candle } from "../../src/model/market.ts";
import type { PlanOfGrid } from "../../src/web/types.ts";
import { randomCandles } from "../backtest/random-bars.ts";
import { drivenApp } from "../support/driven.ts";
import { d, market as marketOf } from "../support/grid.ts";
import { previewOf } from "../support/starts.ts";

const MARKET = { exchange: "kraken", symbol: "BTC/USDT" };
const RANGE = { ...MARKET, lowerPrice: 57_000, upperPrice: 63_000, gridLevels: 12, orderSize: 100 };

const candlesIn = ({ times, open, high, low, close }: Candles): Candle[] => {
  const price = (column: ArrayLike<number>, at: number) => d(String(column[at]));
  return Array.from(times, (at, i) => ({
    at,
    open: price(open, i),
    high: price(high, i),
    low: price(low, i),
    close: price(close, i),
    volume: d("1"),
  }));
};

describe("the number of level crossings last week", () => {
  it("equals the cycles that a backtest of the same grid completes on the same candles", () => {
    const market = marketOf({ tick: d("1"), maker: 0n, taker: 0n, minNotional: d("1") });
    fc.assert(
      fc.property(
        fc.record({
          seed: fc.nat(),
          width: fc.integer({ min: 10, max: 60 }),
          half: fc.integer({ min: 200, max: 1500 }),
          levels: fc.integer({ min: 2, max: 30 }),
        }),
        ({ seed, width, half, levels }) => {
          const candles = randomCandles(seed, 336, width);
          const request = {
            lowerPrice: d(String(10_000 - half)),
            upperPrice: d(String(10_000 + half)),
            gridLevels: levels,
            orderSize: d("400"),
          };
          const balances = [{ asset: "USDT", free: d("100000"), used: 0n }];
          const { run } = backtest(request, candles, { market, balances, rules: RULES, withBand: false });
          const { state } = run.account.strategy;
          const { cycles } = crossingsOf(state.slots, candlesIn(candles));
          expect(cycles).toEqual(state.slots.map((slot) => slot.cycles));
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe("a plan", () => {
  it("shows daily earnings if last week repeats, and how long they take to recover a fall", async () => {
    const app = await drivenApp();
    const { body } = await app.call<PlanOfGrid>("POST", ...previewOf("grid", RANGE));
    const { days, crossings, cycles, profitPerDay, breakEvenDays, message } = body.details.lastWeek;
    expect(days).toBe(7);
    expect(crossings).toBeGreaterThanOrEqual(2 * (cycles ?? Number.NaN));
    expect(cycles).toBeGreaterThan(0);
    const loss = Number(body.losses.find(({ price }) => price === "57000")?.loss);
    expect(breakEvenDays).toBeCloseTo(loss / Number(profitPerDay), 0);
    expect(message).toMatch(
      /^if the price crosses its levels as in the last 7 days \(\d+ times, \d+ cycles\)/,
    );
    expect(message).toMatch(
      /recovers the loss of a fall to 57000 \([\d.]+ USDT\) in \d+ days?; where the price has no drift, /,
    );
    const stopped = await app.call<PlanOfGrid>(
      "POST",
      ...previewOf("grid", {
        ...RANGE,
        stopLossPrice: 55_000,
      }),
    );
    expect(stopped.body.details.lastWeek.message).toContain("the loss of a fall to 55000");
    expect(stopped.body.details.lastWeek.breakEvenDays).toBeGreaterThan(breakEvenDays ?? Number.NaN);
  });

  it("says that nothing is earned back when no level was crossed", async () => {
    const app = await drivenApp();
    const { body } = await app.call<PlanOfGrid>(
      "POST",
      ...previewOf("grid", {
        ...RANGE,
        lowerPrice: 20_000,
        upperPrice: 30_000,
      }),
    );
    expect(body.details.lastWeek).toMatchObject({ cycles: 0, profitPerDay: "0", breakEvenDays: null });
    expect(body.details.lastWeek.message).toMatch(
      /^if .* it earns nothing and recovers no loss; where the price has no drift, /,
    );
  });

  it("omits last week's earnings when its prices are unknown, and says why", async () => {
    const app = await drivenApp();
    app.switches.isCandlesCut = true;
    const { status, body } = await app.call<PlanOfGrid>("POST", ...previewOf("grid", RANGE));
    expect(status).toBe(200);
    expect(body.details.lastWeek).toEqual({
      days: null,
      crossings: null,
      cycles: null,
      profitPerDay: null,
      breakEvenDays: null,
      message: "unknown, because the last week's prices are unavailable: the line is cut",
    });
  });
});
