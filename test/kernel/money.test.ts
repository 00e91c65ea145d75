import { describe, expect, it } from "vitest";
import { Money } from "../../src/kernel/money.ts";

describe("money", () => {
  const [less, more] = [Money.of(9900), Money.of(10500)];

  it("throws for operators, which would compare and join texts", () => {
    for (const use of [() => more > less, () => more >= less, () => +more, () => `${(more as never) + less}`])
      expect(use).toThrow("compare with isLess and isMore");
    expect([`${more}`, String(less), JSON.stringify({ more })]).toEqual([
      "10500",
      "9900",
      '{"more":"10500"}',
    ]);
  });

  it("compares amounts, equal ones included", () => {
    expect([more.isMore(less), less.isMore(more), more.isMore(more)]).toEqual([true, false, false]);
    expect([more.isAtLeast(more), more.isAtLeast(less), less.isAtLeast(more)]).toEqual([true, true, false]);
    expect([more.isAtMost(more), less.isAtMost(more), more.isAtMost(less)]).toEqual([true, true, false]);
    expect([Money.of("0.0").isZero(), less.minus(less).isZero(), less.isZero()]).toEqual([true, true, false]);
  });

  it("negates, and rounds to a step down, up and to the nearest", () => {
    const amount = Money.of("1.24");
    expect([amount.negate(), amount.negate().negate()].map(String)).toEqual(["-1.24", "1.24"]);
    expect([amount.floorTo("0.1"), amount.ceilTo("0.1"), amount.roundTo("0.1")].map(String)).toEqual([
      "1.2",
      "1.3",
      "1.2",
    ]);
    expect(String(Money.of("1.2").ceilTo("0.1"))).toBe("1.2");
  });
});
