import { describe, expect, it } from "vitest";
import { TRADES_WAIT } from "../../../src/engine/reconcile/order-fills.ts";
import {
  reconcile,
  reconcileFound,
  reconcileLate,
  settledFromSums,
} from "../../../src/engine/reconcile/reconcile.ts";
import { d } from "../../support/grid.ts";
import {
  describeFilled,
  fill,
  idOf,
  NOW,
  observation,
  order,
  quote,
  reportedOrder,
  trade,
} from "../../support/made.ts";

const second = { id: "t2", at: 3_000 };
const both = [trade(), trade(second)];
const seeing = (
  one: Parameters<typeof observation>[0],
  observed?: Parameters<typeof reportedOrder>[0] | "missing",
) =>
  observation(
    one,
    observed ? { reports: { [idOf()]: observed === "missing" ? observed : reportedOrder(observed) } } : {},
  );
const usdt = (amount: string) => [{ asset: "USDT", amount: d(amount) }];

describe("an order in a pass", () => {
  it("that no read has found is returned unchanged and stays open", () => {
    const before = order();
    const after = reconcile(before, observation(), NOW);
    expect(after.order).toBe(before);
    expect(after).toEqual({ order: before, before, fills: [], ended: false, lost: false, adopted: false });
  });

  it("ends when it has filled and its trades add up", () => {
    const after = reconcile(order(), seeing({ trades: both }, describeFilled()), NOW);
    expect(after.fills).toEqual([fill(), fill({ tradeId: "t2", at: 3_000 })]);
    expect(after).toMatchObject({ ended: true, lost: false, adopted: false });
    expect(after.order).toMatchObject({
      state: "filled",
      booked: d("2"),
      bookedNotional: d("200"),
      settled: true,
      gap: 0n,
      behindSince: null,
    });
  });

  it("waits for its trades until they add up", () => {
    const after = reconcile(order(), seeing({ trades: [trade()] }, describeFilled()), NOW);
    expect(after).toMatchObject({
      ended: false,
      order: { settled: false, booked: d("1"), behindSince: NOW },
    });
  });

  it("takes only its own trades", () => {
    const others = [trade({ orderId: "x2" })];
    expect(reconcile(order(), seeing({ trades: others }), NOW).fills).toEqual([]);
    expect(reconcile(order({ exchangeId: null }), seeing({ trades: both }), NOW).fills).toEqual([]);
    const elsewhere = order({ symbol: "ETH/USDT" });
    expect(reconcile(elsewhere, seeing({ trades: both }), NOW).fills).toEqual([]);
  });

  it("is given up at its second miss, and its slot loses it", () => {
    const before = order({ state: "unknown", exchangeId: null, misses: 1, missedAt: 200_000 });
    const after = reconcile(before, seeing({}, "missing"), NOW);
    expect(after).toMatchObject({ ended: true, lost: true, order: { state: "rejected", settled: true } });
  });

  it("is not lost during the search, nor given up while reads contradict each other", () => {
    const before = order({ state: "unknown", exchangeId: null });
    expect(reconcile(before, seeing({}, "missing"), NOW)).toMatchObject({ ended: false, lost: false });
    const missing = { ...before, misses: 1, missedAt: 200_000 };
    const old = { ...seeing({}, "missing"), contradicted: order() };
    expect(reconcile(missing, old, NOW).order).toBe(missing);
  });

  it("placed manually ends without trades and books none", () => {
    const by = order({ strategy: null, kind: "hand" });
    const after = reconcile(by, seeing({ trades: both }, describeFilled()), NOW);
    expect(after).toMatchObject({ fills: [], ended: true, order: { settled: true, booked: 0n } });
    expect(reconcile(by, seeing({}), NOW).ended).toBe(false);
  });
});

describe("an order whose trades do not arrive", () => {
  const since = NOW - TRADES_WAIT;
  const short = order({
    state: "filled",
    filled: d("2"),
    notional: d("200"),
    fees: usdt("0.2"),
    behindSince: since,
  });
  const asked = { requestedOrders: new Set(["x1"]) };

  it("is booked from its own totals, at the market's time", () => {
    const after = reconcile(short, seeing({ ...asked, quote: quote({ at: 77 }) }), NOW);
    expect(after.fills).toMatchObject([{ tradeId: `order:x1:${d("2")}`, amount: d("2"), at: 77 }]);
    expect(after).toMatchObject({
      ended: true,
      order: { booked: d("2"), gap: d("2"), behindSince: null, settled: true },
    });
  });

  it("is booked at its own time if there is no quote", () => {
    expect(reconcile(short, seeing({ ...asked, quote: undefined }), NOW).fills).toMatchObject([
      { at: short.createdAt },
    ]);
  });

  it("adds to what was booked from its totals before", () => {
    const more = { ...short, booked: d("0.5"), bookedNotional: d("50"), gap: d("0.5") };
    expect(reconcile(more, seeing(asked), NOW).order.gap).toBe(d("2"));
  });

  it.each([
    ["before their time", { behindSince: since + 1 }],
    ["of an order by hand", { strategy: null, state: "open" as const }],
    ["where it does not tell what it came to", { notional: null }],
  ])("books nothing %s", (_, over) => {
    const after = reconcile({ ...short, ...over }, seeing(asked), NOW);
    expect(after).toMatchObject({ fills: [], ended: false, order: { gap: 0n } });
  });
});

describe("a trade that arrives after its amount was booked from the order", () => {
  const gapped = order({
    state: "filled",
    filled: d("2"),
    booked: d("2"),
    gap: d("1"),
    bookedNotional: d("200"),
  });

  it("is stored, moves no balance and reduces the gap", () => {
    const { order: after, fills } = reconcileLate(gapped, seeing({ trades: [trade()] }));
    expect(fills).toEqual([fill({ superseded: true })]);
    expect(after).toEqual({ ...gapped, gap: 0n });
  });

  it("is stored the same way while its order has room for more", () => {
    const open = { ...gapped, amount: d("9") };
    expect(reconcileLate(open, seeing({ trades: [trade()] })).order).toEqual({ ...open, gap: 0n });
  });

  it("is booked only for the amount beyond the gap", () => {
    const part = { ...gapped, booked: d("1"), gap: d("0.9"), bookedNotional: d("100") };
    const { order: after, fills } = reconcileLate(part, seeing({ trades: [trade()] }));
    expect(fills).toEqual([fill()]);
    expect(after).toMatchObject({ booked: d("2"), gap: d("0.9") });
  });

  it("does not end the order in this pass", () => {
    const after = reconcileLate(gapped, seeing({ trades: [trade()] }));
    expect(after).toMatchObject({ before: gapped, ended: false, lost: false, adopted: false });
  });
});

describe("a trade beyond its order's fillable amount", () => {
  const full = order({ state: "filled", filled: d("2"), booked: d("2"), amount: d("2") });

  it("is a duplicate under another id and moves no balance", () => {
    const { order: after, fills } = reconcileLate({ ...full, gap: d("0.5") }, seeing({ trades: [trade()] }));
    expect(fills).toEqual([fill({ superseded: true })]);
    expect(after).toMatchObject({ booked: d("2"), gap: 0n });
  });

  it("does not count as one while the order has room for all of it", () => {
    const { fills } = reconcileLate({ ...full, booked: d("1") }, seeing({ trades: [trade()] }));
    expect(fills).toEqual([fill()]);
  });

  it("does not count as one for a market order, whose amount the exchange decides", () => {
    const { fills } = reconcileLate({ ...full, type: "market" }, seeing({ trades: [trade()] }));
    expect(fills).toEqual([fill()]);
  });
});

describe("an order that only the exchange knew", () => {
  it("continues as an open order", () => {
    const after = reconcileFound(order({ state: "submitted" }), reportedOrder(), observation(), NOW);
    expect(after).toMatchObject({ adopted: true, ended: false, order: { state: "open", settled: false } });
  });

  it("waits for the trades of its filled amount while it is open", () => {
    const part = describeFilled({ status: "partially_filled", filled: d("1") });
    const after = reconcileFound(order({ state: "submitted" }), part, seeing({}), NOW);
    expect(after).toMatchObject({ ended: false, fills: [], order: { settled: false, booked: 0n } });
  });

  it("is settled from its own totals if it has ended", () => {
    const after = reconcileFound(order({ state: "submitted" }), describeFilled({ at: 9 }), seeing({}), NOW);
    expect(after).toMatchObject({
      adopted: true,
      ended: true,
      fills: [{ tradeId: `order:x1:${d("2")}`, at: 9 }],
      order: { gap: d("2"), booked: d("2"), settled: true, behindSince: null },
    });
  });

  it("is settled from its trades if they were read", () => {
    const after = reconcileFound(
      order({ state: "submitted" }),
      describeFilled(),
      seeing({ trades: both }),
      NOW,
    );
    expect(after).toMatchObject({ ended: true, adopted: true, order: { gap: 0n, settled: true } });
    expect(after.fills).toHaveLength(2);
  });

  it("books the trades read, plus the part of its totals beyond them", () => {
    const one = reconcileFound(
      order({ state: "submitted" }),
      describeFilled(),
      seeing({ trades: [trade()] }),
      NOW,
    );
    expect(one.fills).toMatchObject([{ tradeId: "t1" }, { amount: d("1") }]);
    expect(one.order.gap).toBe(d("1"));
    const again = settledFromSums({ ...one, order: { ...one.order, settled: false, filled: d("3") } }, 9);
    expect(again.order.gap).toBe(d("2"));
  });

  it("waits if the exchange reports too little", () => {
    const one = reconcileFound(order(), describeFilled({ fees: undefined }), seeing({}), NOW);
    expect(one).toMatchObject({ ended: false, fills: [], order: { settled: false, behindSince: NOW } });
  });
});
