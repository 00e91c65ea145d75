import { expect, it } from "vitest";
import type { Grid, HistoricOrders } from "../../../src/web/types.ts";

// Not typed here: the tests are checked without a browser's types.
const PATH = "../../../src/web/strategy/levels.ts";
const { gridLevels, hasOlderOpen, MAX_ORDERS_LOADED } = await import(PATH);

const grid = {
  lowerPrice: 1,
  upperPrice: 3,
  markPrice: null,
  breakEvenPrice: null,
  refused: [],
  stopPrices: [],
  openOrders: 2,
  slots: [
    { slot: 0, side: "buy", lowerPrice: 1, upperPrice: 2 },
    { slot: 1, side: "buy", lowerPrice: 2, upperPrice: 3 },
  ],
} as unknown as Grid;
const order = (status: string, slot: number) =>
  ({
    status,
    slot,
    side: "buy",
    price: slot + 1,
    remaining: "0.50",
  }) as unknown as HistoricOrders["orders"][number];
const settled = Array.from({ length: MAX_ORDERS_LOADED - 1 }, () => order("filled", 1));

it("draws no level as without an order while an open order can be older than the listed ones", () => {
  const listed = [order("open", 1), ...settled];
  expect(hasOlderOpen(grid, listed)).toBe(true);
  expect(gridLevels(grid, listed)).toEqual([{ price: 2, kind: "buy", amount: "0.5" }]);
});

it("draws a level without an order once all open orders are listed", () => {
  const listed = [order("open", 1), order("open", 0), ...settled];
  expect(hasOlderOpen(grid, listed)).toBe(false);
  expect(hasOlderOpen(grid, [order("open", 1)])).toBe(false);
  expect(gridLevels(grid, [order("open", 1)])[0]).toEqual({ price: 1, kind: "empty" });
});
