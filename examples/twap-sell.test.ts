import { backtest } from "edgemaker/testing";
import { expect, it } from "vitest";
import twapSell from "./twap-sell.ts";

/** Rises a little each minute, so that each order fills. */
const prices = Array.from({ length: 90 }, (_, i) => 60_000 + i * 50);
const account = { base: 1, prices, tickInterval: 30_000 };

it("sells all of the amount in equal parts within the time", () => {
  const { fills, base, error } = backtest(twapSell, { config: { amount: 0.6, hours: 1 }, ...account });
  expect(error).toBeNull();
  expect(String(base)).toBe("0.4");
  expect(fills.length).toBeGreaterThan(30);
  expect(fills.every(({ side, amount }) => side === "sell" && amount.isLess(0.06))).toBe(true);
});

it("sells nothing below its floor", () => {
  const { fills } = backtest(twapSell, { config: { amount: 0.6, hours: 1, floor: 62_000 }, ...account });
  expect(fills.length).toBeGreaterThan(0);
  expect(fills.every(({ price }) => !price.isLess(62_000))).toBe(true);
});
