import { expect, it } from "vitest";
import { isInRange, kindsOf } from "../../src/engine/accounts.ts";
import { gridKind } from "../../src/grid/kind.ts";
import { asGrid, asGridView, type GridStrategy } from "../../src/grid/state/state.ts";
import type { StrategyView } from "../../src/ports/stores/store.ts";
import { d, slot, state } from "../support/grid.ts";
import { strategy } from "../support/made.ts";

/** From 100 to 120. */
const SLOTS = [slot(), slot({ index: 1, lower: d("110"), upper: d("120"), side: "sell" })];

it("a grid trades from its lowest level to its highest, and not beyond", () => {
  const inRange = ["99.99", "100", "110", "120", "120.01"].map((mid) =>
    gridKind.isInRange(state(SLOTS), d(mid)),
  );
  expect(inRange).toEqual([false, true, true, true, false]);
  const at = (mid?: string) => {
    const marks = mid === undefined ? {} : { "BTC/USDT": { mid: d(mid) } };
    const view = {
      strategy: strategy({ state: state(SLOTS) }),
      memory: { marks },
    } as unknown as StrategyView;
    return isInRange(view, kindsOf([gridKind]));
  };
  expect([at(), at("105"), at("99")]).toEqual([undefined, true, false]);
});

it("a grid can place orders while a slot is free or while the whole grid changes", () => {
  const may = (free: number, over: object = {}) =>
    gridKind.mayPlace(strategy({ state: state(SLOTS, over) }) as GridStrategy, { free } as never);
  expect([may(0), may(1)]).toEqual([false, true]);
  const whole = [{ rebuild: {} }, { trail: { way: "up" } }, { firstBuy: { tries: 0 } }, { signal: {} }];
  expect(whole.map((over) => may(0, over))).toEqual([true, true, true, true]);
});

it("a grid is not mistaken for another kind, nor another kind for it", () => {
  const other = strategy({ id: "q", kind: "quote" });
  expect(() => asGrid(other)).toThrow("strategy q is not a grid");
  expect(() => asGridView({ strategy: other } as StrategyView)).toThrow("strategy q is not a grid");
  expect(() => kindsOf([gridKind])("quote")).toThrow("this version of edgemaker has no strategy kind quote");
  const view = { strategy: strategy(), openOrders: 3 } as unknown as StrategyView;
  expect(asGridView(view)).toMatchObject({ strategy: { id: "g", kind: "grid" }, openOrders: 3 });
});
