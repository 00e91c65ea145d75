import { describe, expect, it } from "vitest";
import { adopt } from "../../../src/engine/reconcile/adopt.ts";
import type { Reconciled } from "../../../src/engine/reconcile/reconcile.ts";
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

describe("an open order that has no row", () => {
  it("is given one where it is a strategy's", () => {
    const after = adopting([reportedOrder()]);
    expect(after).toMatchObject({ ids: [idOf()], ...NOTHING });
    expect(after.reconciled[0]).toMatchObject({ adopted: true, order: { state: "open", exchangeId: "x1" } });
  });

  it("is a stranger's where this database does not know its strategy", () => {
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

  it("is no stranger's where it is a strategy's that has ended", () => {
    expect(adopting([reportedOrder({ status: "canceled" })])).toMatchObject({ ...NOTHING, ids: [idOf()] });
  });

  it.each(["open", "partially_filled"] as const)(
    "and is %s waits while its slot has another one",
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
  ])("does not wait for one of %s", (_, over) => {
    const after = adopting([later()], [known({ ...over, clientId: idOf({ serial: 1 }) })]);
    expect(after).toMatchObject({ ...NOTHING, ids: [idOf({ serial: 1 }), idOf({ serial: 5 })] });
  });

  it("waits for one that was placed later, too", () => {
    const after = adopting([later()], [known({ clientId: idOf({ serial: 7 }) })]);
    expect(after).toMatchObject({ ids: [idOf({ serial: 7 })], orphan: idOf({ serial: 5 }) });
  });

  it("does not wait for one that is settled", () => {
    const after = adopting([later()], [known({ state: "filled", settled: true })]);
    expect(after.ids).toEqual([idOf(), idOf({ serial: 5 })]);
  });
});

describe("orders of one slot", () => {
  const first = describeFilled();
  const second = describeFilled({ id: "x2", clientId: idOf({ serial: 1 }) });
  const third = reportedOrder({ id: "x3", clientId: idOf({ serial: 2 }) });

  it("are given their rows in the order in which they were placed", () => {
    const after = adopting([third, first, second]);
    expect(after).toMatchObject({ ...NOTHING, ids: [0, 1, 2].map((serial) => idOf({ serial })) });
    expect(after.reconciled.map(({ order: { settled } }) => settled)).toEqual([true, true, false]);
  });

  it("end with a later one: what they lack is booked from their sums", () => {
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

  it("do not end with an earlier one", () => {
    const lacking = known({ ...short, clientId: idOf({ serial: 7 }) });
    const { reconciled } = adopting([later({ status: "canceled" })], [lacking]);
    expect(reconciled.map(({ order: { settled } }) => settled)).toEqual([false, true]);
  });

  it("do not end while they are open", () => {
    const open = known({ state: "partially_filled", filled: d("2"), notional: d("200"), fees: [] });
    expect(adopting([later()], [open])).toMatchObject({ ids: [idOf()], orphan: idOf({ serial: 5 }) });
  });

  it("leave those of other slots as they are", () => {
    const other = known({ ...short, slot: 1 });
    expect(adopting([later()], [other]).reconciled[0]).toBe(other);
  });

  it("wait where an earlier one is open, though the later has ended, and not the other way round", () => {
    const ended = later({ status: "canceled", at: 70 });
    expect(adopting([ended], [known({})])).toMatchObject({
      ids: [idOf()],
      orphan: null,
      waiting: new Map([[SYMBOL, 70]]),
    });
    const after = known({ clientId: idOf({ serial: 7 }) });
    expect(adopting([ended], [after]).ids).toEqual([idOf({ serial: 7 }), idOf({ serial: 5 })]);
  });

  it("are themselves not in their own way", () => {
    const ended = later({ status: "canceled" });
    const again = known({ clientId: idOf({ serial: 5 }) });
    expect(adopting([ended], [again]).ids).toHaveLength(2);
  });
});

const short = { state: "filled", filled: d("2"), notional: d("200"), fees: [] } as const;

describe("what an order lacks in trades", () => {
  const found = [describeFilled({ at: 70 })];
  const waiting = new Map([[SYMBOL, 70]]);

  it("is looked for first, where its market's trades were not read", () => {
    expect(adopting(found, [], UNREAD)).toMatchObject({ ids: [], orphan: null, waiting });
  });

  it.each([
    ["they were read", { tradesRead: true }],
    ["it was asked for them", { ...readUntil(70), requestedOrders: new Set(["x1"]) }],
  ])("is booked from its sums where %s", (_, market) => {
    expect(adopting(found, [], market)).toMatchObject({ ids: [idOf()], waiting: new Map() });
  });

  it("is looked for where others were asked for theirs", () => {
    expect(adopting(found, [], { ...UNREAD, requestedOrders: new Set(["x2"]) })).toMatchObject({
      ids: [],
      waiting,
    });
  });

  it("is nothing where it has filled nothing", () => {
    const nothing = reportedOrder({ status: "canceled", at: 70 });
    expect(adopting([nothing], [], readUntil(70)).ids).toEqual([idOf()]);
  });

  it("waits while trades before it are not read: one of them may be an earlier order's", () => {
    const nothing = reportedOrder({ status: "canceled", at: 70 });
    expect(adopting([nothing], [], readUntil(69))).toMatchObject({ ids: [], waiting });
    const unlooked = observation({}, { found: [nothing], unlooked: new Map([[SYMBOL, 69]]) });
    expect(adopt([], [strategy()], unlooked, NOW).reconciled).toEqual([]);
  });

  it("is looked for before an earlier order is ended by a later one", () => {
    const after = adopting([later({ at: 70 })], [known(short)], UNREAD);
    expect(after).toMatchObject({ ids: [idOf()], orphan: idOf({ serial: 5 }), waiting });
  });

  it("of an earlier order is told from what is booked only once its lack is known", () => {
    const request = { requestedOrders: new Set(["x1"]) };
    const first = { ...known(short), before: order({ ...short, filled: d("0"), booked: d("0") }) };
    const orphan = { ids: [idOf()], orphan: idOf({ serial: 5 }), waiting };
    expect(adopting([later({ at: 70 })], [first], request)).toMatchObject(orphan);
    // The pair's trades, read from the cursor on, may not reach back to it.
    expect(adopting([later({ at: 70 })], [known(short)], { tradesRead: true })).toMatchObject(orphan);
    expect(adopting([later({ at: 70 })], [known(short)], request).ids).toHaveLength(2);
  });

  it("is not looked for by a market that was not observed", () => {
    const unobserved = observation({}, { found, markets: new Map() });
    expect(adopt([], [strategy()], unobserved, NOW)).toMatchObject({ reconciled: [], waiting });
  });

  it("is read for from the first order on that waits for it, or from a trade of one that nobody knows", () => {
    const two = [...found, describeFilled({ id: "x2", clientId: idOf({ slot: 1 }), at: 60 })];
    expect(adopting(two, [], UNREAD).waiting).toEqual(new Map([[SYMBOL, 60]]));
    const before = observation(UNREAD, { found: two, unlooked: new Map([[SYMBOL, 50]]) });
    expect(adopt([], [strategy()], before, NOW).waiting).toEqual(new Map([[SYMBOL, 50]]));
  });
});
