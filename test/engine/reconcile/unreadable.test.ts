import { describe, expect, it } from "vitest";
import { nameUnreadable, unreadTrades } from "../../../src/engine/reconcile/books-check.ts";
import type { UnreadableFill } from "../../../src/ports/venue.ts";
import { ACCOUNT, idOf, NOW, observation, order, snapshot } from "../../support/made.ts";

const row = (over: Partial<UnreadableFill> = {}): UnreadableFill => ({
  id: "t1",
  orderId: "x1",
  at: 5,
  reason: "no price",
  ...over,
});
const format = (rows: readonly UnreadableFill[], known?: readonly string[], orders = [order()]) => {
  const before = snapshot();
  const memory = { ...before.memory, ...(known ? { unreadable: known } : {}) };
  const named = nameUnreadable({ ...before, memory } as never, observation({ unreadable: rows }), orders);
  return { ...named, said: named.events.map(({ message }) => message) };
};

describe("unreadable trade rows", () => {
  it("are matched to an order by its exchange id", () => {
    const of = (one: UnreadableFill, over = {}) => unreadTrades(order(over), [one]);
    expect(of(row())).toEqual([{ order: idOf(), trade: "t1", reason: "no price" }]);
    expect(of(row({ orderId: "x2" }))).toEqual([]);
    expect(of(row({ orderId: null }), { exchangeId: null })).toEqual([]);
    expect(of(row({ id: null }))).toMatchObject([{ trade: "of x1 at 5" }]);
  });

  it("are reported once, grouped by owner", () => {
    expect(format([row()]).events).toEqual([
      {
        account: ACCOUNT,
        strategy: "g",
        at: NOW,
        kind: "unreadable",
        message: `${idOf()}: trade t1 is not booked, no price`,
      },
    ]);
    expect(format([row()]).unreadable).toEqual(["t1"]);
    expect(format([row()], ["t1"])).toMatchObject({ events: [], unreadable: ["t1"] });
    expect(format([row()], ["t0"]).unreadable).toEqual(["t0", "t1"]);
    expect(format([]).unreadable).toBeUndefined();
  });

  it("have no known owner without an order id, and are ignored if the order is another strategy's", () => {
    const unnamed = format([row({ id: null, orderId: null })], [], [order({ exchangeId: null })]);
    expect(unnamed.said).toEqual([
      "owner unknown, on BTC/USDT: trade of no order at 5 is not booked, no price",
    ]);
    expect(unnamed.events).toMatchObject([{ strategy: null }]);
    expect(format([row({ orderId: "x2" })])).toMatchObject({ events: [], unreadable: undefined });
  });

  it("are remembered up to the newest two hundred", () => {
    const known = Array.from({ length: 200 }, (_, i) => `k${i}`);
    expect(format([row()], known).unreadable).toEqual([...known.slice(1), "t1"]);
  });
});
