import { describe, expect, it } from "vitest";
import { lookUp } from "../../../src/engine/pass/observe-orders.ts";
import type { Order } from "../../../src/model/order.ts";
import type { Venue, VenueFill } from "../../../src/ports/venue.ts";
import { d } from "../../support/grid.ts";
import { idOf, order, reportedOrder, SYMBOL, trade } from "../../support/made.ts";
import { callsLeft, exchangeOf } from "./answering.ts";

const FIRST = { turn: 0, now: 0, readAt: undefined };

/** The orders of slots 0, 1, 2 …, which the exchange calls `x0`, `x1`, `x2` …. */
const orders = (count: number) =>
  Array.from({ length: count }, (_, slot) => order({ slot, exchangeId: `x${slot}` }));
const observed = (slot: number, over: object = {}) =>
  reportedOrder({ id: `x${slot}`, clientId: idOf({ slot }), ...over });

const known: Venue["order"] = async ({ id }) =>
  id === undefined ? undefined : observed(Number(id.slice(1)), { status: "filled" });

describe("the order lookup", () => {
  it("takes the orders on the open list, by the exchange's id or by ours", async () => {
    const { venue, requests } = exchangeOf();
    const open = [observed(0, { clientId: undefined }), observed(1, { id: "y" })];
    const { reports, short } = await lookUp(
      venue,
      { orders: orders(2), open, trades: [], ...FIRST },
      callsLeft(),
    );
    expect([[...reports], short, requests]).toEqual([
      [
        [idOf({ slot: 0 }), open[0]],
        [idOf({ slot: 1 }), open[1]],
      ],
      false,
      [],
    ]);
  });

  it("requests each remaining order separately, by all of its known ids", async () => {
    const { venue, requests } = exchangeOf({ order: known });
    const all = [...orders(1), order({ slot: 1, exchangeId: null }), order({ slot: 2, state: "filled" })];
    const budget = callsLeft();
    const { reports, short } = await lookUp(venue, { orders: all, open: [], trades: [], ...FIRST }, budget);
    expect(requests).toEqual([
      ["order", { symbol: SYMBOL, clientId: idOf({ slot: 0 }), id: "x0" }],
      ["order", { symbol: SYMBOL, clientId: idOf({ slot: 1 }), id: undefined }],
    ]);
    expect([...reports]).toEqual([
      [idOf({ slot: 0 }), observed(0, { status: "filled" })],
      [idOf({ slot: 1 }), "missing"],
    ]);
    expect([short, budget.own]).toEqual([false, { g: 2 }]);
  });

  it("takes an order as filled if its trades are its whole amount", async () => {
    const { venue, requests } = exchangeOf({ order: known });
    const whole = order({ slot: 0, exchangeId: "x0", amount: d("0.5"), booked: d("0.2") });
    const looked = async (one: Order, trades: readonly VenueFill[]) => {
      requests.length = 0;
      const { reports } = await lookUp(venue, { orders: [one], open: [], trades, ...FIRST }, callsLeft());
      return [requests.length, reports.get(whole.clientId)];
    };
    const of = (amount: string, orderId = "x0") => trade({ id: amount, orderId, amount: d(amount) });
    const report = {
      id: "x0",
      clientId: whole.clientId,
      status: "filled",
      amount: d("0.5"),
      filled: d("0.5"),
    };
    expect(await looked(whole, [of("0.1"), of("0.2"), of("0.4", "x1")])).toMatchObject([0, report]);
    // A part, or more than there is, can have any reason.
    for (const trades of [[], [of("0.1")], [of("0.1"), of("0.3")], [of("0.3", "x1")]])
      expect((await looked(whole, trades))[0]).toBe(1);
    const uncertain = [
      { gap: d("0.1") },
      { type: "market" as const },
      { exchangeId: null },
      { strategy: null },
    ];
    for (const over of uncertain) expect((await looked({ ...whole, ...over }, [of("0.3")]))[0]).toBe(1);
  });

  it("also takes an ended order from the open list if it appears there", async () => {
    const { venue } = exchangeOf();
    const ended = [order({ slot: 0, exchangeId: "x0", state: "canceled" })];
    const { reports } = await lookUp(
      venue,
      { orders: ended, open: [observed(0)], trades: [], ...FIRST },
      callsLeft(),
    );
    expect(reports.get(idOf({ slot: 0 }))).toEqual(observed(0));
  });

  it("stops when no calls are left, and starts at another order in the next pass", async () => {
    const { venue, requests } = exchangeOf({ order: known });
    const begins = async (turn: number, calls: number) => {
      requests.length = 0;
      const looked = await lookUp(
        venue,
        { orders: orders(3), open: [], trades: [], ...FIRST, turn },
        callsLeft(calls),
      );
      return [requests.map(([, key]) => (key as { id: string }).id), looked.reports.size, looked.short];
    };
    expect(await begins(0, 2)).toEqual([["x0", "x1"], 2, true]);
    expect(await begins(1, 2)).toEqual([["x1", "x2"], 2, true]);
    expect(await begins(5, 3)).toEqual([["x2", "x0", "x1"], 3, false]);
    expect(
      await lookUp(venue, { orders: [], open: [], trades: [], ...FIRST, turn: 1 }, callsLeft(0)),
    ).toEqual({
      reports: new Map(),
      unreadable: [],
      short: false,
    });
  });

  it("returns nothing and ends the pass if it fails", async () => {
    const { venue } = exchangeOf({ order: () => Promise.reject(new Error("no answer")) });
    await expect(
      lookUp(venue, { orders: orders(1), open: [], trades: [], ...FIRST }, callsLeft()),
    ).rejects.toThrow("no answer");
  });
});

describe("the lookup of many orders in one call", () => {
  const many: Venue["orders"] = async (_, ids) =>
    ids.filter((id) => id !== "x1").map((id) => observed(Number(id.slice(1)), { status: "canceled" }));

  it("covers orders with an exchange id, and requests any missing in its response separately", async () => {
    const { venue, requests } = exchangeOf({ order: known, orders: many });
    const all = [...orders(3), order({ slot: 3, exchangeId: null })];
    const { reports } = await lookUp(venue, { orders: all, open: [], trades: [], ...FIRST }, callsLeft());
    expect(requests.map(([name, first, second]) => [name, second ?? (first as { id?: string }).id])).toEqual([
      ["orders", ["x0", "x1", "x2"]],
      ["order", "x1"],
      ["order", undefined],
    ]);
    expect(requests[0]?.[1]).toBe(SYMBOL);
    expect([0, 1, 2, 3].map((slot) => reports.get(idOf({ slot })))).toEqual([
      observed(0, { status: "canceled" }),
      observed(1, { status: "filled" }),
      observed(2, { status: "canceled" }),
      "missing",
    ]);
  });

  it("is used for two orders", async () => {
    const { venue, requests } = exchangeOf({ orders: many });
    await lookUp(venue, { orders: orders(2), open: [], trades: [], ...FIRST }, callsLeft());
    expect(requests[0]).toEqual(["orders", SYMBOL, ["x0", "x1"]]);
  });

  it("is not used for one order, or without a call left", async () => {
    const { venue, requests } = exchangeOf({ order: known, orders: many });
    await lookUp(venue, { orders: orders(1), open: [], trades: [], ...FIRST }, callsLeft());
    expect(requests.map(([name]) => name)).toEqual(["order"]);
    const none = await lookUp(venue, { orders: orders(2), open: [], trades: [], ...FIRST }, callsLeft(0));
    expect([none.reports.size, none.short, requests.length]).toEqual([0, true, 1]);
  });
});
