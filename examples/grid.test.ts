import { backtest } from "edgemaker/testing";
import { expect, it } from "vitest";
import grid from "./grid.ts";

it("buys at each level and sells at the next one", () => {
  const { fills, base, error } = backtest(grid, {
    config: { lower: 58_000, upper: 62_000, levels: 4, size: 500 },
    prices: [60_100, 58_900, 61_100, 61_100],
    quote: 3000,
  });
  expect(error).toBeNull();
  expect(fills.map(({ side, price }) => `${side} ${price}`)).toEqual([
    "buy 60000",
    "buy 59000",
    "sell 60000",
    "sell 61000",
  ]);
  expect(String(base)).toBe("0");
});
