import { backtest } from "edgemaker/testing";
import { expect, it } from "vitest";
import rebalance from "./rebalance.ts";

const config = { target: 0.5, band: 0.05 };

it("sells after a rise, back to the target", () => {
  const prices = Array.from({ length: 60 }, (_, i) => 50_000 + i * 500);
  const { fills, base, quote, error } = backtest(rebalance, { config, prices, base: 1, quote: 50_000 });
  expect(error).toBeNull();
  expect(fills.every(({ side }) => side === "sell")).toBe(true);
  const share = base.times(79_500).dividedBy(base.times(79_500).plus(quote)).toNumber();
  expect(Math.abs(share - 0.5)).toBeLessThan(0.06);
});

it("does not trade within its band", () => {
  const prices = [50_000, 50_500, 49_500, 50_000];
  expect(backtest(rebalance, { config, prices, base: 1, quote: 50_000 }).fills).toEqual([]);
});
