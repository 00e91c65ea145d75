import { expect, it } from "vitest";
import { simulate } from "../../../cli/testing/package.ts";
import { backtestStrategy } from "../../../src/backtest/position/testing.ts";
import { defineStrategy, z } from "../../../src/declared/package.ts";
import { requestedData } from "../../../src/declared/pass/ask.ts";
import { completedSeries } from "../../../src/engine/pass/observe-markets.ts";
import { MINUTE } from "../../../src/kernel/time.ts";
import type { StrategyInput } from "../../../src/ports/definition.ts";
import { aroundBook } from "../../support/declared.ts";
import { d } from "../../support/grid.ts";
import { NOW } from "../../support/made.ts";

const START = 1_767_225_600_000;

/** Records what it receives, and buys nothing. */
function recorder(more: object) {
  const inputs: StrategyInput[] = [];
  const definition = defineStrategy({
    name: "own",
    config: z.object({}),
    ...more,
    orders(input) {
      inputs.push(input);
      return [];
    },
  });
  return { inputs, definition };
}

const prices = Array.from({ length: 16 }, (_, i) => 60_000 + i * 100);

it("passes completed candles of a longer timeframe in a backtest, and none of the future", () => {
  const { inputs, definition } = recorder({ candles: { timeframe: "5m", count: 2 } });
  backtestStrategy(definition, { config: {}, prices, quote: 1000, tickInterval: MINUTE });
  expect(inputs.length).toBeGreaterThan(10);
  for (const { now, candles } of inputs)
    for (const { at } of candles) expect(at + 5 * MINUTE).toBeLessThanOrEqual(now);
  const last = inputs
    .at(-1)
    ?.candles.map(({ at, open, high, low, close }) => [
      (at - START) / MINUTE,
      ...[open, high, low, close].map(String),
    ]);
  expect(last).toEqual([
    [5, "60500", "61000", "60500", "61000"],
    [10, "61000", "61500", "61000", "61500"],
  ]);
});

it("refuses a backtest on candles that are longer than those of the strategy", () => {
  const { definition } = recorder({ candles: { timeframe: "1m", count: 2 } });
  const rows = [0, 1].map((i) => `${START + i * 300_000},60000,60100,59900,60000,1`);
  const text = ["timestamp,open,high,low,close,volume", ...rows].join("\n");
  expect(() => backtestStrategy(definition, { config: {}, prices: text, quote: 1000 })).toThrow(
    "uses candles of 1m",
  );
});

it("passes prices of another exchange, as they were known at the time", () => {
  const { inputs, definition } = recorder({ reference: true });
  const reference = prices.map((price) => price + 7);
  backtestStrategy(definition, { config: {}, prices, reference, quote: 1000, tickInterval: MINUTE });
  expect(String(inputs.find(({ now }) => now === START + 5 * MINUTE)?.reference.price)).toBe("60507");
  const without = recorder({ reference: true });
  backtestStrategy(without.definition, { config: {}, prices, quote: 1000, tickInterval: MINUTE });
  expect(without.inputs[0]?.reference).toEqual({ price: null, prices: [] });
});

it("reads both in the sandbox, once per candle, under crashes", async () => {
  const { inputs, definition } = recorder({ candles: { timeframe: "5m", count: 3 }, reference: true });
  const { problems } = await simulate(definition, { config: {}, passes: 60 });
  expect(problems).toEqual([]);
  expect(inputs.length).toBeGreaterThan(60);
  for (const { now, candles, reference } of inputs) {
    const ends = candles.map(({ at }) => at + 5 * MINUTE);
    expect(Math.max(...ends)).toBeLessThanOrEqual(now);
    expect(now - Math.max(...ends)).toBeLessThan(10 * MINUTE);
    expect(reference.prices.length).toBeLessThanOrEqual(3);
  }
  expect(inputs.some(({ reference }) => reference.prices.length === 3 && reference.price !== null)).toBe(
    true,
  );
  expect(inputs.at(-1)?.candles).toHaveLength(3);
});

const candle = (at: number) => ({
  at,
  open: d("1"),
  high: d("2"),
  low: d("1"),
  close: d("2"),
  volume: d("3"),
});

it("waits for a completed candle that the exchange does not show yet, and no longer than a minute", () => {
  const need = { span: 5 * MINUTE, count: 2 };
  const rows = [0, 5].map((minute) => candle(START + minute * MINUTE));
  const at = (minute: number) => completedSeries(rows, need, START + minute * MINUTE).until - START;
  expect([at(10), at(15), at(15.5), at(16)].map((until) => until / MINUTE)).toEqual([10, 10, 10, 15]);
});

it("does not call the function without its candles", () => {
  const { definition } = recorder({ candles: { timeframe: "1h", count: 2 } });
  const book = aroundBook("99", "101");
  const data = (candles: object) => requestedData(definition, { book, ...candles }, NOW);
  expect(data({})).toContain("candles of 1h were not read");
  const series = (until: number) => ({
    candles: [{ span: 60 * MINUTE, count: 2, until, rows: [candle(until - 60 * MINUTE)] }],
  });
  expect(data(series(NOW - 120 * MINUTE))).toContain("were not read");
  expect(data(series(NOW - 10 * MINUTE))).toMatchObject({ candles: [{}] });
});

it("accepts 1 to 200 candles", () => {
  for (const count of [1, 200])
    expect(recorder({ candles: { timeframe: "1h", count } }).definition.candles?.count).toBe(count);
});

it.each([
  { timeframe: "2m", count: 1 },
  { timeframe: "1h", count: 1.5 },
  { timeframe: "1h", count: 0 },
  { timeframe: "1h", count: 201 },
])("refuses candles %o", (candles) => {
  expect(() => recorder({ candles })).toThrow("candles needs a timeframe");
});

it("a test of a strategy makes passes each five seconds by default, and rejects a pair without a quote", () => {
  const times: number[] = [];
  const definition = defineStrategy({
    name: "watch",
    config: z.object({}),
    orders: ({ now }) => {
      times.push(now);
      return [];
    },
  });
  const run = (rules: object) =>
    backtestStrategy(definition, { config: {}, prices: [100, 100], quote: 10, ...rules });
  run({});
  // Each call is made twice.
  expect(new Set(times.slice(1).map((at, i) => at - (times[i] as number)))).toEqual(new Set([0, 5000]));
  expect(() => run({ market: { symbol: "BTC" } })).toThrow(
    "BTC is not a pair: use BASE/QUOTE, such as BTC/USDT",
  );
});
