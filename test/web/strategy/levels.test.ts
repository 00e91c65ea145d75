import { expect, it } from "vitest";
import type { AnyStrategy, RunningGrid } from "../../../src/web/types.ts";

// Not typed here: the tests are checked without a browser's types.
const PATH = "../../../src/web/strategy/levels.ts";
const { chartLevels } = await import(PATH);

const GRID = {
  kind: "grid",
  status: "running",
  lowerPrice: "1",
  upperPrice: "4",
  breakEvenPrice: "2.5",
  waiting: [{ id: "1", reason: "no_base", detail: "" }],
  stopPrices: [{ reason: "stop_loss", price: "0.5", distancePercent: null, armed: true }],
  orders: [{ id: "0", side: "buy", price: "1", amount: "0.5" }],
  slots: [
    { slot: 0, side: "buy", lowerPrice: "1", upperPrice: "2" },
    { slot: 1, side: "sell", lowerPrice: "2", upperPrice: "3" },
    { slot: 2, side: "buy", lowerPrice: "3", upperPrice: "4" },
  ],
} as unknown as RunningGrid;

it("draws each order with its amount, each level without one, and the other important prices", () => {
  expect(chartLevels(GRID)).toEqual([
    { price: 1, kind: "buy", amount: "0.5" },
    { price: 3, kind: "refused" },
    { price: 3, kind: "empty" },
    { price: 4, kind: "empty" },
    { price: 2.5, kind: "line", name: "break-even" },
    { price: 0.5, kind: "stop", name: "stop loss" },
  ]);
});

it("draws no break-even of a remainder that was paid for by its sales", () => {
  const lines = (breakEvenPrice: string) =>
    (chartLevels({ ...GRID, breakEvenPrice }) as readonly { name?: string }[]).map(({ name }) => name);
  expect(lines("-280")).not.toContain("break-even");
  expect(lines("280")).toContain("break-even");
});

it("draws the reference price of quotes, until they stop", () => {
  const quotes = { ...GRID, kind: "quote", reference: "2", breakEvenPrice: null, stopPrices: [] };
  const orders = [{ price: 1, kind: "buy", amount: "0.5" }];
  const one = quotes as unknown as AnyStrategy;
  expect(chartLevels(one)).toEqual([...orders, { price: 2, kind: "line", name: "reference price" }]);
  expect(chartLevels({ ...one, status: "stopped" })).toEqual(orders);
});

it("draws the prices among the notes of a strategy of the user, until it stops", () => {
  const notes = { fair: "2.1", floor: 1.7, size: 5, share: 0.3, trend: "up", isCalm: true, none: "" };
  const own = { ...GRID, kind: "strategy", price: "2", notes, breakEvenPrice: null, stopPrices: [] };
  const one = own as unknown as AnyStrategy;
  const orders = [{ price: 1, kind: "buy", amount: "0.5" }];
  expect(chartLevels(one)).toEqual([
    ...orders,
    { price: 2.1, kind: "line", name: "fair" },
    { price: 1.7, kind: "line", name: "floor" },
  ]);
  expect(chartLevels({ ...one, price: null })).toEqual(orders);
  expect(chartLevels({ ...one, status: "stopped" })).toEqual(orders);
});
