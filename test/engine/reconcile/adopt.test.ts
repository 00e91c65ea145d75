import { describe, expect, it } from "vitest";
import type { Reconciled } from "../../../src/engine/reconcile/reconcile.ts";
import { adopt } from "../../../src/engine/reconcile/recovery.ts";
import { strategyTag } from "../../../src/kernel/ids.ts";
import type { Order } from "../../../src/model/order.ts";
import type { VenueOrder } from "../../../src/ports/venue.ts";
import { d } from "../../support/grid.ts";
import {
  describeFilled,
  idOf,
  NOW,
  NUMBER,
  observation,
  order,
  reportedOrder,
  SYMBOL,
  strategy,
} from "../../support/made.ts";

const known = (over: Partial<Order>): Reconciled => {
  const one = order(over);
  return { order: one, before: one, fills: [], ended: false, lost: false, adopted: false };
};
type Market = Parameters<typeof observation>[0];
const adopting = (found: readonly VenueOrder[], rows: readonly Reconciled[] = [], market: Market = {}) => {
  const { reconciled, ...rest } = adopt(rows, [strategy()], observation(market, { found }), NOW);
  return { ids: reconciled.map(({ order: { clientId } }) => clientId), reconciled, ...rest };
};
/** Part of the trades is read: all up to this time. */
const readUntil = (from: number) => ({ ...UNREAD, reading: { from, ahead: null, until: NOW } });
const later = (over: Partial<VenueOrder> = {}) =>
  reportedOrder({ id: "x9", clientId: idOf({ serial: 5 }), ...over });
const UNREAD = { tradesRead: false };
const NOTHING = { orphan: null, stranger: null, waiting: new Map() };

describe("an open order without a row", () => {
  it("gets a row if it belongs to a strategy", () => {
    const after = adopting([reportedOrder()]);
    expect(after).toMatchObject({ ids: [idOf()], ...NOTHING });
    expect(after.reconciled[0]).toMatchObject({ adopted: true, order: { state: "open", exchangeId: "x1" } });
  });

  it("is foreign if this database does not know its strategy", () => {
    const clientId = idOf({ tag: strategyTag(NUMBER + 1) });
    expect(adopting([reportedOrder({ clientId })])).toMatchObject({
      ...NOTHING,
      ids: [],
      stranger: clientId,
    });
    expect(adopting([reportedOrder({ clientId: undefined })]).stranger).toBe("x1");
    expect(adopting([reportedOrder({ clientId, status: "partially_filled" })]).stranger).toBe(clientId);
    expect(adopting([reportedOrder({ clientId, status: "canceled" })]).stranger).toBe(null);
  });

  it("is not foreign if it belongs to a strategy and has ended", () => {
    expect(adopting([reportedOrder({ status: "canceled" })])).toMatchObject({ ...NOTHING, ids: [idOf()] });
  });

  it.each(["open", "partially_filled"] as const)(
    "that is %s waits while its slot has another order",
    (status) => {
      const after = adopting([later({ status, at: 70 })], [known({})]);
      expect(after).toMatchObject({
        ids: [idOf()],
        orphan: idOf({ serial: 5 }),
        waiting: new Map([[SYMBOL, 70]]),
      });
    },
  );

  it.each([
    ["another slot", { slot: 1 }],
    ["another generation", { generation: 1 }],
    ["another strategy", { strategy: "other" }],
  ])("does not wait for an order of %s", (_, over) => {
    const after = adopting([later()], [known({ ...over, clientId: idOf({ serial: 1 }) })]);
    expect(after).toMatchObject({ ...NOTHING, ids: [idOf({ serial: 1 }), idOf({ serial: 5 })] });
  });

  it("also waits for an order that was placed later", () => {
    const after = adopting([later()], [known({ clientId: idOf({ serial: 7 }) })]);
    expect(after).toMatchObject({ ids: [idOf({ serial: 7 })], orphan: idOf({ serial: 5 }) });
  });

  it("does not wait for a settled order", () => {
    const after = adopting([later()], [known({ state: "filled", settled: true })]);
    expect(after.ids).toEqual([idOf(), idOf({ serial: 5 })]);
  });
});

describe("the orders of one slot", () => {
  const first = describeFilled();
  const second = describeFilled({ id: "x2", clientId: idOf({ serial: 1 }) });
  const third = reportedOrder({ id: "x3", clientId: idOf({ serial: 2 }) });

  it("get their rows in the order in which they were placed", () => {
    const after = adopting([third, first, second]);
    expect(after).toMatchObject({ ...NOTHING, ids: [0, 1, 2].map((serial) => idOf({ serial })) });
    expect(after.reconciled.map(({ order: { settled } }) => settled)).toEqual([true, true, false]);
  });

  it("end when a later one appears: their missing trades are booked from their sums", () => {
    const lacking = known({ ...short, filled: d("2"), booked: d("0.5") });
    const after = adopting([later({ at: 70 })], [lacking], {
      requestedOrders: new Set([lacking.order.exchangeId ?? ""]),
    });
    expect(after).toMatchObject({ ...NOTHING, ids: [idOf(), idOf({ serial: 5 })] });
    expect(after.reconciled[0]).toMatchObject({
      ended: true,
      order: { settled: true, booked: d("2"), gap: d("1.5") },
      fills: [{ at: 70 }],
    });
  });

  it("do not end when an earlier one appears", () => {
    const lacking = known({ ...short, clientId: idOf({ serial: 7 }) });
    const { reconciled } = adopting([later({ status: "canceled" })], [lacking]);
    expect(reconciled.map(({ order: { settled } }) => settled)).toEqual([false, true]);
  });

  it("do not end while they are open", () => {
    const open = known({ state: "partially_filled", filled: d("2"), notional: d("200"), fees: [] });
    expect(adopting([later()], [open])).toMatchObject({ ids: [idOf()], orphan: idOf({ serial: 5 }) });
  });

  it("leave the orders of other slots unchanged", () => {
    const other = known({ ...short, slot: 1 });
    expect(adopting([later()], [other]).reconciled[0]).toBe(other);
  });

  it("wait while an earlier one is open and the later has ended, but not the other way round", () => {
    const ended = later({ status: "canceled", at: 70 });
    expect(adopting([ended], [known({})])).toMatchObject({
      ids: [idOf()],
      orphan: null,
      waiting: new Map([[SYMBOL, 70]]),
    });
    const after = known({ clientId: idOf({ serial: 7 }) });
    expect(adopting([ended], [after]).ids).toEqual([idOf({ serial: 7 }), idOf({ serial: 5 })]);
  });

  it("do not block themselves", () => {
    const ended = later({ status: "canceled" });
    const again = known({ clientId: idOf({ serial: 5 }) });
    expect(adopting([ended], [again]).ids).toHaveLength(2);
  });
});

const short = { state: "filled", filled: d("2"), notional: d("200"), fees: [] } as const;

describe("the missing trades of an order", () => {
  const found = [describeFilled({ at: 70 })];
  const waiting = new Map([[SYMBOL, 70]]);

  it("are requested first if its market's trades were not read", () => {
    expect(adopting(found, [], UNREAD)).toMatchObject({ ids: [], orphan: null, waiting });
  });

  it.each([
    ["they were read", { tradesRead: true }],
    ["it was asked for them", { ...readUntil(70), requestedOrders: new Set(["x1"]) }],
  ])("are booked from its sums if %s", (_, market) => {
    expect(adopting(found, [], market)).toMatchObject({ ids: [idOf()], waiting: new Map() });
  });

  it("are requested even if those of other orders were", () => {
    expect(adopting(found, [], { ...UNREAD, requestedOrders: new Set(["x2"]) })).toMatchObject({
      ids: [],
      waiting,
    });
  });

  it("are none if it has no fills", () => {
    const nothing = reportedOrder({ status: "canceled", at: 70 });
    expect(adopting([nothing], [], readUntil(70)).ids).toEqual([idOf()]);
  });

  it("wait for unread earlier trades, which could belong to an earlier order", () => {
    const nothing = reportedOrder({ status: "canceled", at: 70 });
    expect(adopting([nothing], [], readUntil(69))).toMatchObject({ ids: [], waiting });
    const unlooked = observation({}, { found: [nothing], unlooked: new Map([[SYMBOL, 69]]) });
    expect(adopt([], [strategy()], unlooked, NOW).reconciled).toEqual([]);
  });

  it("are requested before a later order ends an earlier one", () => {
    const after = adopting([later({ at: 70 })], [known(short)], UNREAD);
    expect(after).toMatchObject({ ids: [idOf()], orphan: idOf({ serial: 5 }), waiting });
  });

  it("of an earlier order are compared with its booked amount only once that was read", () => {
    const request = { requestedOrders: new Set(["x1"]) };
    const first = { ...known(short), before: order({ ...short, filled: d("0"), booked: d("0") }) };
    const orphan = { ids: [idOf()], orphan: idOf({ serial: 5 }), waiting };
    expect(adopting([later({ at: 70 })], [first], request)).toMatchObject(orphan);
    // The pair's trades, read from the cursor on, may not reach back to it.
    expect(adopting([later({ at: 70 })], [known(short)], { tradesRead: true })).toMatchObject(orphan);
    expect(adopting([later({ at: 70 })], [known(short)], request).ids).toHaveLength(2);
  });

  it("are not requested from an unobserved market", () => {
    const unobserved = observation({}, { found, markets: new Map() });
    expect(adopt([], [strategy()], unobserved, NOW)).toMatchObject({ reconciled: [], waiting });
  });

  it("are read from the first waiting order, or from the trade of an unknown order", () => {
    const two = [...found, describeFilled({ id: "x2", clientId: idOf({ slot: 1 }), at: 60 })];
    expect(adopting(two, [], UNREAD).waiting).toEqual(new Map([[SYMBOL, 60]]));
    const before = observation(UNREAD, { found: two, unlooked: new Map([[SYMBOL, 50]]) });
    expect(adopt([], [strategy()], before, NOW).waiting).toEqual(new Map([[SYMBOL, 50]]));
  });
});
