import { backtest } from "edgemaker/testing";
import { expect, it } from "vitest";
import ladder from "./ladder.ts";

it("buys more the deeper the price falls", () => {
  const { fills, error } = backtest(ladder, {
    config: { levels: 3, first: 0.01, step: 0.01, size: 100, growth: 2 },
    prices: [60_000, 60_000, 58_100, 58_100],
    quote: 1000,
  });
  expect(error).toBeNull();
  expect(fills.map(({ price, amount }) => Math.round(price.times(amount).toNumber()))).toEqual([
    100, 200, 400,
  ]);
});

it("follows the price up", () => {
  const { fills } = backtest(ladder, {
    config: { levels: 1, size: 100 },
    prices: [60_000, 66_000, 66_000, 65_000],
    quote: 1000,
  });
  expect(fills.map(({ price }) => price.toNumber())).toEqual([65_340]);
});
