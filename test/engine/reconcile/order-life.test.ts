import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  addsUp,
  isContradicted,
  isFinal,
  isLookupDue,
  missed,
  withReport,
} from "../../../src/engine/reconcile/order-fills.ts";
import { MINUTE } from "../../../src/kernel/time.ts";
import type { OrderState, OrderStatus } from "../../../src/model/order.ts";
import { d } from "../../support/grid.ts";
import { describeFilled, NOW, order, reportedOrder, TIMING } from "../../support/made.ts";

const FINAL = ["filled", "canceled", "expired", "rejected"] as const;
const LIVE = ["pending", "submitted", "open", "partially_filled", "unknown"] as const;
const fees = [{ asset: "USDT", amount: d("0.1") }];

describe("an order updated from an exchange response", () => {
  it("is final in four of its states", () => {
    expect(FINAL.map((state) => isFinal({ state }))).toEqual(FINAL.map(() => true));
    expect(LIVE.map((state) => isFinal({ state }))).toEqual(LIVE.map(() => false));
  });

  it.each<[OrderStatus, string, OrderState]>([
    ["open", "0", "open"],
    ["open", "1", "partially_filled"],
    ["partially_filled", "0", "open"],
    ["partially_filled", "1", "partially_filled"],
    ["unknown", "1", "submitted"],
    ["filled", "2", "filled"],
    ["canceled", "1", "canceled"],
    ["expired", "0", "expired"],
    ["rejected", "0", "rejected"],
  ])("is %s with %s filled: %s", (status, filled, state) => {
    const before = order({ state: "submitted" });
    const after = withReport(before, reportedOrder({ status, filled: d(filled) }), NOW);
    const ended = FINAL.some((one) => one === state) ? NOW : null;
    expect(after).toMatchObject({ state, filled: d(filled), endedAt: ended });
  });

  it("never reduces its filled amount and never leaves a final state", () => {
    const statuses = fc.constantFrom<OrderStatus>(...FINAL, "open", "partially_filled", "unknown");
    const one = fc.record({ state: fc.constantFrom(...FINAL, ...LIVE), filled: fc.bigInt(0n, 4n) });
    fc.assert(
      fc.property(one, statuses, fc.bigInt(0n, 4n), (over, status, filled) => {
        const before = order({ ...over, endedAt: isFinal(over) ? 5 : null });
        const after = withReport(before, reportedOrder({ status, filled }), NOW);
        expect(after.filled >= before.filled && after.filled >= filled).toBe(true);
        if (isFinal(before)) expect([after.state, after.endedAt]).toEqual([before.state, 5]);
        expect(withReport(after, reportedOrder({ status, filled }), NOW + 1)).toBe(after);
      }),
    );
  });

  it("keeps an existing exchange id and adopts one if it had none", () => {
    expect(withReport(order(), reportedOrder({ id: "x2" }), NOW).exchangeId).toBe("x1");
    expect(withReport(order({ exchangeId: null }), reportedOrder({ id: "x2" }), NOW)).toMatchObject({
      exchangeId: "x2",
    });
  });

  it("adopts the totals of a larger fill and drops those of a smaller one", () => {
    const half = reportedOrder({ filled: d("1"), notional: d("99"), fees });
    expect(withReport(order(), half, NOW)).toMatchObject({ notional: d("99"), fees });
    const known = order({ state: "partially_filled", filled: d("1"), notional: d("98"), fees: [] });
    expect(withReport(known, half, NOW)).toBe(known);
    expect(withReport(known, reportedOrder({ filled: d("2") }), NOW)).toMatchObject({
      notional: null,
      fees: null,
    });
    expect(withReport(known, { ...half, filled: d("2") }, NOW)).toMatchObject({ notional: d("99"), fees });
  });

  it("ignores totals from a response older than the stored one", () => {
    const known = order({ state: "partially_filled", filled: d("2") });
    const old = reportedOrder({ filled: d("1"), notional: d("99"), fees });
    expect(withReport(known, old, NOW)).toBe(known);
  });

  it.each([
    [{ notional: d("200") }, { notional: d("200"), fees: null }],
    [{ fees }, { notional: null, fees }],
  ])("fills in a field that was missing before: %o", (tells, expected) => {
    const known = order({ state: "partially_filled", filled: d("2") });
    expect(withReport(known, reportedOrder({ filled: d("2"), ...tells }), NOW)).toMatchObject(expected);
  });

  it("resets its count of misses", () => {
    expect(withReport(order({ misses: 1, missedAt: 5 }), reportedOrder(), NOW)).toMatchObject({
      misses: 0,
      missedAt: null,
    });
  });

  it("records its end time when the end is first reported", () => {
    expect(withReport(order(), describeFilled(), NOW)).toMatchObject({ state: "filled", endedAt: NOW });
    const before = order({ state: "canceled", endedAt: null });
    expect(withReport(before, reportedOrder(), NOW)).toMatchObject({ state: "canceled", endedAt: NOW });
  });
});

describe("an order that a read does not find", () => {
  const { readLag, secondMiss } = TIMING;
  const sent = order({ state: "unknown", exchangeId: null, notAfter: 51_000 });
  const first = 51_000 + readLag;
  const once = { ...sent, misses: 1, missedAt: first };

  it("is searched for until no fill can arrive and the exchange's delay has passed", () => {
    expect(missed(sent, first - 1, TIMING)).toBe(sent);
    expect(missed(sent, first, TIMING)).toEqual(once);
  });

  it("is given up when a second, later read does not find it either", () => {
    expect(missed(once, first + secondMiss - 1, TIMING)).toBe(once);
    expect(missed(once, first + secondMiss, TIMING)).toEqual({
      ...once,
      misses: 2,
      state: "rejected",
      reason: "the exchange shows no such order",
      endedAt: first + secondMiss,
    });
  });

  it("reports the response to its placement request", () => {
    const said = { ...once, reason: "no answer" };
    expect(missed(said, NOW, TIMING).reason).toBe("no answer; the exchange shows no such order");
  });

  it("counts as canceled if the exchange had given it an id", () => {
    expect(missed({ ...once, exchangeId: "x1" }, NOW, TIMING)).toMatchObject({
      state: "canceled",
      reason: "the exchange no longer lists it",
    });
  });
});

describe("the lookups of an order that is not in the open list", () => {
  const sent = order({ state: "unknown", exchangeId: null, notAfter: 51_000 });

  /** Protocol times of the lookups until it ends, if none finds it. */
  function lookups(every: number, timing = TIMING): number[] {
    const times: number[] = [];
    let [one, readAt] = [sent, 0];
    for (let now = every; !isFinal(one); now += every) {
      if (isLookupDue(one, { now, readAt }, timing)) {
        times.push(now);
        one = missed(one, now, timing);
      }
      readAt = now;
    }
    return times;
  }

  it("are four while it can appear, and the two that end it", () => {
    expect(lookups(100)).toEqual([2100, 8200, 26_300, 50_500, 111_000, 131_000]);
    expect(lookups(5000)).toEqual([5000, 10_000, 30_000, 55_000, 115_000, 135_000]);
  });

  it("are fewer if passes are rare, and never more", () => {
    for (const every of [1, 333, 3000, 20_000, 45_000]) expect(lookups(every).length).toBeLessThanOrEqual(6);
    expect(lookups(200_000)).toEqual([200_000, 400_000]);
  });

  it("are due in each pass if the exchange gave it an id, shows everything at once, or was never read", () => {
    const when = { now: 1000, readAt: 999 };
    expect(isLookupDue(sent, when, TIMING)).toBe(false);
    expect(isLookupDue({ ...sent, exchangeId: "x1" }, when, TIMING)).toBe(true);
    expect(isLookupDue(sent, when, { ...TIMING, readLag: 0 })).toBe(true);
    expect(isLookupDue(sent, { ...when, readAt: undefined }, TIMING)).toBe(true);
  });
});

describe("reads that contradict earlier exchange responses", () => {
  const accepted = order({ state: "submitted", notAfter: 51_000 });
  const late = 51_000 + TIMING.readLag;

  it.each([
    ["it should show by now", accepted, "missing", late, true],
    ["it need not show yet", accepted, "missing", late - 1, false],
    ["for less than ten minutes", accepted, "missing", late + 10 * MINUTE - 1, true],
    ["not for ten", accepted, "missing", late + 10 * MINUTE, false],
    ["it was seen before", { ...accepted, state: "open" as const }, "missing", late, false],
    ["nobody has said that it was taken", { ...accepted, exchangeId: null }, "missing", late, false],
    ["it shows", accepted, reportedOrder(), late, false],
    ["nobody has looked", accepted, undefined, late, false],
  ] as const)("%s", (_, one, observed, now, expected) => {
    expect(isContradicted(one, observed, now, TIMING)).toBe(expected);
  });
});

it("an order is settled when it is final and all its fills are booked", () => {
  const done = order({ state: "filled", filled: d("2"), booked: d("2") });
  expect(addsUp(done)).toBe(true);
  expect(addsUp({ ...done, booked: d("3") })).toBe(true);
  expect(addsUp({ ...done, booked: d("1") })).toBe(false);
  expect(addsUp({ ...done, state: "open" })).toBe(false);
});
