import { describe, expect, it } from "vitest";
import { type CurrentPlan, checkHolds, holds, planHashOf, priceOfPlan } from "../../src/model/shown-plan.ts";
import { d } from "../support/grid.ts";

const plan = (over: Partial<CurrentPlan> = {}): CurrentPlan => ({
  approved: ["kraken", { size: d("50") }],
  price: d("100"),
  ...over,
});
const SHOWN = planHashOf(plan());

describe("a shown plan", () => {
  const holdsAt = (over: Partial<CurrentPlan>) => (price: string) =>
    holds(plan({ price: d(price), ...over }), SHOWN);

  it("names its price after 32 digits", () => {
    expect(SHOWN).toMatch(/^[0-9a-f]{32}-100$/);
    expect([priceOfPlan(SHOWN), priceOfPlan(SHOWN.slice(0, 32)), priceOfPlan(undefined)]).toEqual([
      d("100"),
      undefined,
      undefined,
    ]);
  });

  it("holds while the price has moved by at most 3 %", () => {
    expect(["97", "100", "103"].map(holdsAt({}))).toEqual([true, true, true]);
    expect(["96.99", "103.01"].map(holdsAt({}))).toEqual([false, false]);
  });

  it("holds while orders that fill at once cost at most 1 % more", () => {
    expect(["97", "101"].map(holdsAt({ takes: ["buy"] }))).toEqual([true, true]);
    expect(["96.99", "101.01"].map(holdsAt({ takes: ["buy"] }))).toEqual([false, false]);
    expect(["99", "103"].map(holdsAt({ takes: ["sell"] }))).toEqual([true, true]);
    expect(["98.99", "103.01"].map(holdsAt({ takes: ["sell"] }))).toEqual([false, false]);
  });

  it("holds on the same side of each edge", () => {
    const edges = [undefined, d("99"), d("102")];
    expect(["99", "100", "101.99"].map(holdsAt({ edges }))).toEqual([true, true, true]);
    expect(["98.99", "102"].map(holdsAt({ edges }))).toEqual([false, false]);
  });

  it("does not hold if it approves something else, or with another price in its hash", () => {
    expect(holds(plan({ approved: ["kraken", { size: d("51") }] }), SHOWN)).toBe(false);
    expect(holds(plan(), `${SHOWN.slice(0, 32)}-101`)).toBe(false);
    expect(holds(plan(), SHOWN.slice(0, 32))).toBe(false);
  });

  it("without a price holds only without one", () => {
    const none = planHashOf(plan({ price: null }));
    expect(none).toMatch(/^[0-9a-f]{32}$/);
    expect([
      holds(plan({ price: null }), none),
      holds(plan(), none),
      holds(plan({ price: null }), SHOWN),
    ]).toEqual([true, false, false]);
  });

  it("is a conflict if it does not hold, and is not required", () => {
    const later = plan({ price: d("104") });
    expect(() => checkHolds(later, SHOWN)).toThrow(expect.objectContaining({ label: "Conflict" }));
    expect(() => checkHolds(later, undefined)).not.toThrow();
    expect(() => checkHolds(plan({ price: d("102") }), SHOWN)).not.toThrow();
  });
});
