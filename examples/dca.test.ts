import { backtest } from "edgemaker/testing";
import { expect, it } from "vitest";
import dca from "./dca.ts";

/** Falls a little each minute, so that each buy fills. */
const prices = Array.from({ length: 240 }, (_, i) => 60_000 - i * 20);
const HOUR = 3_600_000;

it("buys once an hour for the same amount", () => {
  const { fills, error } = backtest(dca, { config: { size: 100, hours: 1 }, prices, quote: 1000 });
  expect(error).toBeNull();
  expect(fills.map(({ at }) => Math.round((at - (fills[0]?.at ?? 0)) / HOUR))).toEqual([0, 1, 2, 3]);
  for (const { price, amount } of fills) expect(price.times(amount).toNumber()).toBeCloseTo(100, 0);
});

it("waits above its highest price", () => {
  const { fills } = backtest(dca, { config: { size: 100, hours: 1, highest: 58_000 }, prices, quote: 1000 });
  expect(fills.length).toBeGreaterThan(0);
  expect(fills.every(({ price }) => !price.isMore(58_000))).toBe(true);
});
