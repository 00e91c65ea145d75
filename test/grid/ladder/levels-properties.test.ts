import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ascends, leastRatio, levelsFrom, slotsBetween } from "../../../src/grid/ladder/levels.ts";
import { type Decimal, text, ZERO } from "../../../src/kernel/decimal.ts";
import { d } from "../../support/grid.ts";

const linearLevels = (
  { lower, upper }: { lower: Decimal; upper: Decimal },
  gridLevels: number,
  tick: Decimal,
) => levelsFrom({ lowerPrice: lower, upperPrice: upper, gridLevels, gridSpacing: ZERO }, tick);
const spacedLevels = (
  { lower, spacing }: { lower: Decimal; spacing: Decimal },
  gridLevels: number,
  tick: Decimal,
) =>
  levelsFrom(
    { lowerPrice: lower, upperPrice: lower, gridLevels, gridSpacing: spacing, isSpaced: true },
    tick,
  );

describe("linear levels", () => {
  it.each([
    ["100", "200", 5, "0.01", ["100", "120", "140", "160", "180", "200"]],
    [
      "40000",
      "44000",
      10,
      "0.01",
      ["40000", "40400", "40800", "41200", "41600", "42000", "42400", "42800", "43200", "43600", "44000"],
    ],
    ["1", "2", 3, "0.01", ["1", "1.33", "1.67", "2"]],
    ["0.99", "1.02", 2, "0.01", ["0.99", "1.01", "1.02"]],
  ])("from %s to %s in %d slots", (lower, upper, slots, tick, levels) => {
    expect(linearLevels({ lower: d(lower), upper: d(upper) }, slots, d(tick)).map(text)).toEqual(levels);
  });

  it("round half up once from the exact value, on whole ticks", () => {
    const ticks = fc.integer({ min: 1, max: 1_000_000 });
    fc.assert(
      fc.property(ticks, ticks, fc.integer({ min: 2, max: 100 }), (low, width, slots) => {
        const tick = d("0.01");
        const [lower, upper] = [BigInt(low) * tick, BigInt(low + width) * tick];
        const levels = linearLevels({ lower, upper }, slots, tick);
        expect(levels).toHaveLength(slots + 1);
        expect([levels[0], levels.at(-1)]).toEqual([lower, upper]);
        const half = tick * BigInt(slots);
        const wrong = levels.filter((level, i) => {
          const distance =
            2n * (level * BigInt(slots) - (lower * BigInt(slots) + (upper - lower) * BigInt(i)));
          return distance > half || distance <= -half;
        });
        expect(wrong).toEqual([]);
      }),
      { numRuns: 2000 },
    );
  });

  it("report when two levels share a tick", () => {
    expect(ascends(linearLevels({ lower: d("1"), upper: d("1.02") }, 5, d("0.01")))).toBe(false);
    expect(ascends(linearLevels({ lower: d("1"), upper: d("1.05") }, 5, d("0.01")))).toBe(true);
  });

  it("have their smallest ratio at the top", () => {
    expect(text(leastRatio(slotsBetween([d("100"), d("110"), d("120")])))).toBe("1.090909090909090909");
  });
});

describe("spaced levels", () => {
  it("ascend from the lower price", () => {
    expect(spacedLevels({ lower: d("100"), spacing: d("2.5") }, 3, d("0.01")).map(text)).toEqual([
      "100",
      "102.5",
      "105",
      "107.5",
    ]);
  });
});
