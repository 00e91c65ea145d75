import { expect, it } from "vitest";
import * as z from "zod";
import { kindsOf } from "../../../src/engine/accounts.ts";
import { runRound } from "../../../src/engine/pass/round.ts";
import { MINUTE } from "../../../src/kernel/time.ts";
import { kindsWith } from "../../../src/kinds.ts";
import { createOperations } from "../../../src/operations.ts";
import { defineStrategy } from "../../../src/own/define.ts";
import { withPrice } from "../../../src/web/chart/candles.ts";
import { profitOver } from "../../../src/web/strategy/profit-over.ts";
import type { Fills, StatusOfAny } from "../../../src/web/types.ts";
import { d } from "../../support/grid.ts";
import { gridInput } from "../../support/requests.ts";
import { EXCHANGES, runOperation, testSandbox } from "../../support/sandbox.ts";
import { starts } from "../../support/starts.ts";

const GRID = gridInput({
  lowerPrice: d("59000"),
  upperPrice: d("61000"),
  gridLevels: 40,
  orderSize: d("50"),
  useOwnBase: true,
});

/** Buys and sells near the price in turn, beginning with base of the account. */
const around = defineStrategy({
  name: "around",
  config: z.object({}),
  orders({ quote: { mid }, state }) {
    const bid = { id: "bid", side: "buy", price: mid.times(0.9999), quoteSize: 60 } as const;
    const ask = { id: "ask", side: "sell", price: mid.times(1.0001), quoteSize: 90 } as const;
    return { orders: [state === true ? ask : bid], state: state !== true };
  },
});
const OWN = { exchange: "kraken", symbol: "BTC/USDT", baseBudget: 0.02, quoteBudget: 1000 };

/** A strategy that trades for hours, and what its status has said of it each five minutes. */
async function traded(isOwn = false) {
  const box = await testSandbox({ speed: 1 });
  const deps = { ...box.deps, kinds: kindsOf(kindsWith([around])) };
  const operations = createOperations(EXCHANGES, [around]);
  const call = async <T>(name: string, input: object) => {
    const operation = operations.find((one) => one.name === name);
    return (await operation?.run(deps, operation.input.parse(input), { actor: "local" })) as T;
  };
  const { id } = isOwn
    ? await call<{ id: string }>(...starts("around", OWN))
    : await runOperation<{ id: string }>(deps, "start_grid", GRID);
  const status = () => call<StatusOfAny>("get_strategy", { id });
  const observed: { timestamp: number; close: number; total: number; buyAndHold: number }[] = [];
  for (let pass = 0; pass < 60; pass++) {
    await runRound(deps);
    const { price, totalProfit, holdingProfit } = await status();
    observed.push({
      timestamp: box.time.now(),
      close: Number(price),
      total: Number(totalProfit),
      buyAndHold: Number(holdingProfit),
    });
    box.time.pass(5 * MINUTE);
  }
  const { fills } = await call<Fills>("get_strategy_fills", { id, limit: 1000 });
  // A candle ends where the next one begins: each was seen at its end.
  const candles = observed.map(({ close }, at) => ({
    timestamp: at === 0 ? 0 : (observed[at - 1]?.timestamp ?? 0) + 1,
    open: close,
    high: close,
    low: close,
    close,
    volume: 0,
  }));
  return { grid: await status(), observed, fills, candles };
}

it.each([
  ["grid", false],
  ["own strategy with base of the account", true],
])("profitOver matches the past status of a %s at each time, from its fills alone", async (_name, isOwn) => {
  const { grid, observed, fills, candles } = await traded(isOwn);
  expect(fills.length).toBeGreaterThan(20);
  const points = profitOver(grid, candles, { fills, isWhole: true });
  expect(points).toHaveLength(observed.length);
  for (const [at, { own, buyAndHold }] of points.entries()) {
    // Status tells cents.
    expect(own).toBeCloseTo(observed[at]?.total as number, 2);
    expect(buyAndHold).toBeCloseTo(observed[at]?.buyAndHold as number, 2);
  }
  expect(new Set(points.map(({ own }) => own)).size).toBeGreaterThan(20);
});

it("profitOver ends at the current status with the price of the last pass", async () => {
  const { grid, observed, fills, candles } = await traded();
  const priced = { price: Number(grid.price), at: grid.lastStepAt };
  const early = candles.with(-1, { ...(candles.at(-1) as (typeof candles)[number]), close: 1 });
  const points = profitOver(grid, withPrice(early, 5 * MINUTE, priced), { fills, isWhole: true });
  const last = observed.at(-1);
  expect(points.at(-1)?.own).toBeCloseTo(last?.total as number, 2);
  expect(points.at(-1)?.buyAndHold).toBeCloseTo(last?.buyAndHold as number, 2);
});

it("profitOver ends at a stop with what the stop left, whatever the price does later", async () => {
  const { grid, fills, candles } = await traded();
  const at = candles.length - 10;
  const end = candles[at]?.timestamp ?? 0;
  const stopped = { ...grid, status: "stopped" as const, runningTime: end - grid.startedAt };
  const later = candles.map((candle, index) => (index < at ? candle : { ...candle, close: 90_000 }));
  const points = profitOver(stopped, later, {
    fills: fills.filter(({ timestamp }) => timestamp <= end),
    isWhole: true,
  });
  expect(points.at(-1)?.timestamp).toBe(end);
  expect(points.at(-1)?.own).toBeCloseTo(Number(grid.totalProfit), 2);
  expect(points.at(-1)?.buyAndHold).toBeCloseTo(Number(grid.holdingProfit), 2);
});

it("profitOver starts at the first known fill", async () => {
  const { grid, fills, candles } = await traded();
  const newest = fills.slice(0, 10);
  const points = profitOver(grid, candles, { fills: newest, isWhole: false });
  const whole = profitOver(grid, candles, { fills, isWhole: true });
  expect(points.length).toBeGreaterThan(0);
  expect(points.length).toBeLessThan(whole.length);
  expect(points).toEqual(whole.slice(-points.length));
});

it("profitOver returns nothing for a grid without a price", () => {
  const unknown = { totalProfit: null, price: null, position: "0", startPrice: "1", startedAt: 0 };
  const grid = { ...unknown, capital: "1", symbol: "BTC/USDT" } as unknown as Parameters<
    typeof profitOver
  >[0];
  expect(profitOver(grid, [], { fills: [], isWhole: true })).toEqual([]);
});
