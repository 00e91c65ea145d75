import { describe, expect, it } from "vitest";
import { causeByLayout, centeredElsewhere } from "../../../src/backtest/replay.ts";
import { d } from "../../support/grid.ts";
import { order } from "../../support/made.ts";
import { execution } from "./executions.ts";

/** The grid places a buy at 100 and a sell at 110 in each generation, every 10 s. */
const ORDERS = [0, 1, 2].flatMap((generation) => [
  order({ generation, createdAt: 10_000 * generation }),
  order({ generation, slot: 1, side: "sell", price: d("110"), createdAt: 10_000 * generation }),
]);
type Over = Partial<Parameters<typeof centeredElsewhere>[0]>;
const elsewhere = (candles: Over["candles"] = [], over: Over = {}) => [
  ...centeredElsewhere({
    orders: ORDERS,
    executed: [],
    candles,
    last: 2,
    tick: d("0.1"),
    within: 500,
    ...over,
  }),
];
const buy = (generation: number, price: string, at = 10_000 * generation + 1) =>
  execution({ generation, price: d(price), at });
const sell = (generation: number, price: string) =>
  execution({ generation, slot: 1, side: "sell", price: d(price), at: 10_000 * generation + 1 });

describe("generations of a centered grid", () => {
  it("lie elsewhere if their buys are at least a tick apart", () => {
    expect(elsewhere([buy(0, "100.09")])).toEqual([]);
    expect(elsewhere([buy(0, "99.91")])).toEqual([]);
    expect(elsewhere([buy(0, "100.1")])).toEqual([0]);
    expect(elsewhere([buy(0, "99.9")])).toEqual([0]);
    // One level in common is a common layout.
    expect(elsewhere([buy(0, "99"), { ...buy(0, "110"), slot: 2 }, buy(0, "100")])).toEqual([]);
  });

  it("are compared by their sells only where no buy can be", () => {
    expect(elsewhere([buy(0, "100"), sell(0, "111")])).toEqual([]);
    expect(elsewhere([sell(0, "111")])).toEqual([0]);
    expect(elsewhere([sell(0, "110")])).toEqual([]);
    expect(elsewhere([{ ...buy(0, "99"), slot: 7 }])).toEqual([]);
  });

  it("are compared while the grid had them", () => {
    expect(elsewhere([buy(1, "100", 9500)])).toEqual([]);
    expect(elsewhere([buy(1, "100", 9499)])).toEqual([1]);
    expect(elsewhere([buy(1, "100", 20_500)])).toEqual([]);
    expect(elsewhere([buy(1, "100", 20_501)])).toEqual([1]);
    // Only those within that time count.
    expect(elsewhere([buy(1, "99", 20_501), buy(1, "100", 20_000)])).toEqual([]);
    expect(elsewhere([buy(2, "100", 999_999)])).toEqual([]);
  });

  it("that nothing can be compared in are like the one before", () => {
    const nothing = { ...buy(1, "100"), slot: 7 };
    expect(elsewhere([buy(0, "99"), nothing])).toEqual([0, 1]);
    expect(elsewhere([nothing, buy(0, "99"), buy(2, "100")])).toEqual([0, 1]);
    expect(elsewhere([buy(0, "100"), nothing])).toEqual([]);
  });

  it("that only one of both came to lie elsewhere", () => {
    expect(elsewhere([buy(2, "100"), buy(3, "100")], { last: 3 })).toEqual([3]);
    expect(elsewhere([], { executed: [buy(1, "100"), buy(2, "100")], last: 1 })).toEqual([2]);
  });
});

describe("a difference in a generation that lies elsewhere", () => {
  const cause = (code: "resting" | "paused", generation: number) =>
    causeByLayout(execution({ generation }), { code, of: "x", text: "why" }, new Set([1]));

  it("is caused by the layout, unless something else explains it", () => {
    expect(cause("resting", 1)).toEqual({
      code: "centered",
      of: "generation 1",
      text: "the grid was centered at another price then",
    });
    expect(cause("resting", 0)).toEqual({ code: "resting", of: "x", text: "why" });
    expect(cause("paused", 1)).toEqual({ code: "paused", of: "x", text: "why" });
  });

  it.each([
    "resting",
    "not_placed",
    "within_bar",
    "not_shown",
    "follows",
    "canceled",
    "refused",
    "amount",
    "price",
  ] as const)("replaces the cause %s, which is one of its level", (code) => {
    const found = causeByLayout(execution({ generation: 1 }), { code, of: "x", text: "" }, new Set([1]));
    expect(found.code).toBe("centered");
  });
});
