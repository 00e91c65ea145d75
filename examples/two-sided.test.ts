import { backtest } from "edgemaker/testing";
import { expect, it } from "vitest";
import twoSided from "./two-sided.ts";

const config = { spreadPercent: 1, size: 100 };

it("buys below the market and sells above it", () => {
  const { fills, error } = backtest(twoSided, {
    config,
    prices: [60_000, 60_000, 59_600, 60_000, 60_400, 60_400],
    ...{ base: 1, quote: 10_000, tickInterval: 60_000 },
  });
  expect(error).toBeNull();
  expect(fills.map(({ side, price }) => `${side} ${price}`)).toEqual(["buy 59700", "sell 60300"]);
});

it("refuses a spread of 100 % and more", () => {
  expect(() =>
    backtest(twoSided, { config: { spreadPercent: 100, size: 100 }, prices: [1], quote: 100 }),
  ).toThrow();
});
