import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  ascends,
  leastRatio,
  levelAt,
  levelsAround,
  levelsFrom,
  slotsBetween,
} from "../../../src/grid/ladder/levels.ts";
import { type Decimal, ONE } from "../../../src/kernel/decimal.ts";
import { d } from "../../support/grid.ts";

const prices = (...texts: string[]) => texts.map(d);
const range = (over: object = {}) => ({
  lowerPrice: d("100"),
  upperPrice: d("400"),
  gridLevels: 2,
  gridSpacing: d("30"),
  ...over,
});

describe("the levels of a range", () => {
  it.each([
    ["linear", {}, prices("100", "250", "400")],
    ["spaced", { isSpaced: true }, prices("100", "130", "160")],
    ["geometric", { spacingModel: "geometric" }, prices("100", "200", "400")],
  ] as const)("of a %s grid, also beyond the range after it moves", (_, over, levels) => {
    expect(levelsFrom(range(over), d("1"))).toEqual(levels);
    const [before, after] = [-1, 3].map((i) => levelAt(range(over), i, d("1")));
    const beyond = { linear: ["-50", "550"], spaced: ["70", "190"], geometric: ["50", "800"] };
    expect([before, after]).toEqual(beyond[_].map(d));
  });

  it("are rounded once, half up, to whole ticks", () => {
    expect(levelsFrom(range({ upperPrice: d("105") }), d("5"))).toEqual(prices("100", "105", "105"));
    expect(levelsFrom(range({ isSpaced: true, gridSpacing: d("2.5") }), d("5"))).toEqual(
      prices("100", "105", "105"),
    );
  });

  it("of a geometric grid are the nearest ticks to their exact values", () => {
    const cents = fc.integer({ min: 1, max: 10 ** 6 });
    const power = (base: bigint, exponent: number): bigint => base ** BigInt(exponent);
    fc.assert(
      fc.property(cents, cents, fc.integer({ min: 1, max: 12 }), fc.nat(12), (low, more, m, at) => {
        const i = Math.min(at, m);
        const [lower, upper] = [BigInt(low) * ONE, BigInt(low + more) * ONE];
        const geometric = { ...range(), spacingModel: "geometric" as const, gridLevels: m };
        const ticks = levelAt({ ...geometric, lowerPrice: lower, upperPrice: upper }, i, ONE) / ONE;
        // (t − ½)^m ≤ L^(m−i)·U^i < (t + ½)^m, in whole numbers.
        const exact = power(2n, m) * power(BigInt(low), m - i) * power(BigInt(low + more), i);
        expect(power(2n * ticks - 1n, m) <= exact && exact < power(2n * ticks + 1n, m)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it("of a geometric grid round half a tick up, and stay exact when they are exact", () => {
    const at = (lower: string, upper: string, tick: string) =>
      levelAt(
        { ...range({ spacingModel: "geometric" }), lowerPrice: d(lower), upperPrice: d(upper) },
        1,
        d(tick),
      );
    expect(at("1", "6.25", "1")).toBe(d("3"));
    expect(at("1", "6.25", "0.5")).toBe(d("2.5"));
    expect(at("0.00000001", "1000000", "0.00000001")).toBe(d("0.1"));
    expect(at("1", "1.1", "5")).toBe(0n);
  });
});

describe("adjacent levels", () => {
  it("ascend if each is above the previous one", () => {
    expect(ascends(prices("1", "2", "3"))).toBe(true);
    expect(ascends(prices("1", "2", "2"))).toBe(false);
    expect(ascends(prices("2", "1"))).toBe(false);
  });

  it("are described by their smallest ratio, rounded down", () => {
    expect(leastRatio(slotsBetween(prices("1", "3", "4", "8")))).toBe(d("1.333333333333333333"));
    expect(leastRatio(slotsBetween(prices("1", "2")))).toBe(d("2"));
  });

  it("are placed around a center on whole ticks, and the center is a level", () => {
    const around = (center: string): Decimal[] => levelsAround(d(center), prices("0.1", "0.25"), d("1"));
    expect(around("100.4")).toEqual(prices("75", "90", "100", "110", "125"));
    expect(around("10.5")).toEqual(prices("8", "10", "11", "12", "14"));
  });
});
