import { describe, expect, it } from "vitest";
import { monthOf, priceOf, unitsOf } from "../../cli/actions/doctor.ts";
import { PLANS } from "../../cli/actions/plans.ts";

const HOUR = 3_600_000;
const counted = {
  day: "2026-01-01",
  exchangeCalls: 60,
  databaseRequests: 40,
  rowsRead: 800,
  rowsWritten: 100,
};

describe("the monthly cost estimate", () => {
  it("is thirty times the last full day if most of that day was counted", () => {
    const today = { from: 0, to: HOUR, ...counted, exchangeCalls: 1_000_000 };
    const before = { from: 0, to: 24 * HOUR, ...counted };
    expect(monthOf({ cost: { ...today, before } })).toEqual({
      exchangeCalls: 1800,
      databaseRequests: 1200,
      rowsRead: 24_000,
      rowsWritten: 3000,
    });
  });

  it("extrapolates from the newest day if there is no earlier day", () => {
    const month = monthOf({ cost: { from: 0, to: HOUR, ...counted, before: null } });
    expect(month?.exchangeCalls).toBe(60 * 24 * 30);
  });

  it("is null for a grid without passes, and has no row counts for a file database", () => {
    expect(monthOf({ cost: null })).toBeNull();
    expect(monthOf({ cost: { from: 0, to: 1000, ...counted, before: null } })).toBeNull();
    const file = { from: 0, to: HOUR, ...counted, rowsRead: null, rowsWritten: null, before: null };
    expect(monthOf({ cost: file })).toMatchObject({ rowsRead: null, rowsWritten: null });
  });

  it("charges for usage beyond a plan, and reports when there is none", () => {
    const [free, paid, larger] = PLANS;
    const one = unitsOf(1, 1, { rowsRead: 100_000_000, rowsWritten: 2_000_000 });
    // 43,200 passes of three queue operations each, and as many crons.
    expect(one).toMatchObject({ invocations: 86_400, queueOperations: 129_600 });
    expect([free, paid].map((plan) => plan && priceOf(plan, one))).toEqual([0, 5]);
    const many = unitsOf(20, 1, { rowsRead: 3_000_000_000, rowsWritten: 40_000_000 });
    expect(free && priceOf(free, many)).toBeNull();
    // 1,592,000 operations, 500 million reads and 15 million writes beyond what is included.
    expect(larger && priceOf(larger, many)).toBe(Math.round((9.99 + 1.592 * 0.4 + 0.5 + 15) * 100) / 100);
  });
});
