import { describe, expect, it } from "vitest";
import { isContradicted, missed } from "../../src/engine/reconcile/order-fills.ts";
import { gapFill, gapIsDue, withBehind, withFill } from "../../src/engine/reconcile/reconcile.ts";
import { type Fill, NEW_ORDER, type Order } from "../../src/model/order.ts";
import { d } from "../support/grid.ts";

const order = (over: Partial<Order> = {}): Order => ({
  ...NEW_ORDER,
  clientId: "em0000000000000000",
  account: "sim sandbox ",
  strategy: "grid-1",
  kind: "slot",
  generation: 0,
  slot: 0,
  symbol: "BTC/USDT",
  side: "buy",
  type: "limit",
  price: d("100"),
  amount: d("2"),
  timeInForce: "post_only",
  createdAt: 0,
  sendBy: 35_000,
  notAfter: 51_000,
  ...over,
});

const TIMES = { readLag: 60_000, secondMiss: 20_000 };
type Timing = Parameters<typeof missed>[2];
const timing = TIMES as Timing;

describe("an order that no read finds", () => {
  const due = 51_000 + 60_000;

  it("counts its first miss exactly when nothing of it can still appear", () => {
    expect(missed(order(), due - 1, timing)).toEqual(order());
    expect(missed(order(), due, timing)).toEqual(order({ misses: 1, missedAt: due }));
  });

  it("is given up exactly at its second miss", () => {
    const once = order({ misses: 1, missedAt: due, reason: "no answer" });
    expect(missed(once, due + 19_999, timing)).toBe(once);
    expect(missed(once, due + 20_000, timing)).toMatchObject({
      state: "rejected",
      misses: 2,
      endedAt: due + 20_000,
      reason: "no answer; the exchange shows no such order",
    });
    expect(missed({ ...once, exchangeId: "7" }, due + 20_000, timing).state).toBe("canceled");
  });

  it("proves the exchange's reads stale for ten minutes after it should appear, if it was accepted", () => {
    const accepted = order({ state: "submitted", exchangeId: "7" });
    const requests = [due - 1, due, due + 599_999, due + 600_000];
    expect(requests.map((now) => isContradicted(accepted, "missing", now, timing))).toEqual([
      false,
      true,
      true,
      false,
    ]);
    for (const over of [{ exchangeId: null }, { state: "open" }, { state: "unknown" }] as const)
      expect(isContradicted({ ...accepted, ...over }, "missing", due, timing)).toBe(false);
    expect(isContradicted(accepted, undefined, due, timing)).toBe(false);
  });
});

describe("the sums of an order", () => {
  const fill = (amount: string, fee = "0.1"): Fill => ({
    account: "sim sandbox ",
    symbol: "BTC/USDT",
    strategy: "grid-1",
    clientId: "em0000000000000000",
    side: "buy",
    tradeId: "t1",
    price: d("100"),
    amount: d(amount),
    notional: d(amount) * 100n,
    fees: [{ asset: "USDT", amount: d(fee) }],
    at: 5,
    superseded: false,
  });

  it("are what its fills have moved, and set its filled amount", () => {
    const half = withFill(order(), fill("0.5"));
    expect(half).toMatchObject({ filled: d("0.5"), booked: d("0.5"), bookedNotional: d("50") });
    // The exchange has told of more than its trades so far.
    const result = withFill(order({ filled: d("2") }), fill("0.5"));
    expect(result).toMatchObject({ filled: d("2"), booked: d("0.5") });
    expect(withFill(half, fill("0.5")).bookedFees).toEqual({ USDT: d("0.2") });
  });

  it("leave a gap of what the order reports beyond its fills, minus the fees already booked", () => {
    const one = withFill(order(), fill("0.5"));
    const result: Order = {
      ...one,
      exchangeId: "7",
      filled: d("2"),
      notional: d("200"),
      fees: [{ asset: "USDT", amount: d("0.4") }],
    };
    expect(gapFill(result, 9)).toMatchObject({
      tradeId: `order:7:${d("2")}`,
      amount: d("1.5"),
      notional: d("150"),
      price: d("100"),
      fees: [{ asset: "USDT", amount: d("0.3") }],
      at: 9,
    });
    expect(gapFill({ ...result, fees: null }, 9)).toBeUndefined();
    expect(gapFill({ ...result, notional: null }, 9)).toBeUndefined();
  });

  it("wait for missing trades, restart the wait with each trade, and never wait for a manual order", () => {
    const before = order({ filled: d("1") });
    const first = withBehind(before, order(), 100);
    expect(first.behindSince).toBe(100);
    expect(withBehind(first, first, 200).behindSince).toBe(100);
    expect(withBehind({ ...first, booked: d("0.5") }, first, 300).behindSince).toBe(300);
    expect(withBehind({ ...first, filled: d("2") }, first, 400).behindSince).toBe(400);
    expect(withBehind({ ...first, booked: d("1") }, first, 500).behindSince).toBeNull();
    expect(withBehind({ ...before, strategy: null }, order(), 100).behindSince).toBeNull();
    expect([699_999, 700_000].map((now) => gapIsDue({ ...first, behindSince: 100_000 }, now))).toEqual([
      false,
      true,
    ]);
  });
});
