import { describe, expect, it } from "vitest";
import { layAround, mostLevels } from "../../../src/grid/ladder/levels.ts";
import type { CenteredConfig } from "../../../src/grid/state/config.ts";
import { ONE } from "../../../src/kernel/decimal.ts";
import { AROUND, d } from "../../support/grid.ts";

const config = (over: Partial<CenteredConfig> = {}): CenteredConfig => ({
  ...AROUND,
  levels: 3,
  spacingFactor: d("2"),
  deviation: d("0.05"),
  debounce: 0,
  ...over,
});
const laid = (over: Partial<CenteredConfig> = {}, widening = ONE, mid = "100") =>
  layAround({ config: config(over), orderSize: d("60"), mid: d(mid), widening, tick: d("0.5") });
const prices = (...texts: string[]) => texts.map(d);

describe("a grid centered on the mid", () => {
  it.each([
    ["linear", {}, prices("70", "80", "90", "100", "110", "120", "130")],
    ["geometric", { spacingModel: "geometric" }, prices("30", "70", "90", "100", "110", "130", "170")],
    [
      "custom",
      { spacingModel: "custom", customSpacings: prices("0.01", "0.2", "0.25") },
      prices("75", "80", "99", "100", "101", "120", "125"),
    ],
  ] as const)("is spaced like a %s grid", (_, over, levels) => {
    expect(laid(over).levels).toEqual(levels);
  });

  it("is spaced wider when the market is volatile", () => {
    expect(laid({ levels: 1 }, d("1.5")).levels).toEqual(prices("85", "100", "115"));
  });

  it("has its center on a whole tick, and one slot between adjacent levels", () => {
    const { center, levels, slots } = laid({ levels: 1 }, ONE, "100.3");
    expect(center).toBe(d("100.5"));
    expect(levels).toEqual(prices("90.5", "100.5", "110.5"));
    expect(slots.map(({ index, lower, upper, side }) => [index, lower, upper, side])).toEqual([
      [0, d("90.5"), d("100.5"), "buy"],
      [1, d("100.5"), d("110.5"), "sell"],
    ]);
  });

  it.each([
    ["flat", {}, ["60", "60", "60", "60", "60", "60"]],
    ["pyramidal", { sizeModel: "pyramidal" }, ["30", "60", "90", "90", "60", "30"]],
    [
      "custom",
      { sizeModel: "custom", sizeWeights: prices("1", "2", "3") },
      ["180", "120", "60", "60", "120", "180"],
    ],
  ] as const)("has sizes like a %s grid, starting with the nearest slot", (_, over, sizes) => {
    expect(laid(over).slots.map(({ size }) => size)).toEqual(sizes.map(d));
  });

  it("has only as many levels on a side as fit within 95 % of the center", () => {
    expect(mostLevels(config())).toBe(-1);
    expect(mostLevels(config({ levels: 20 }))).toBe(9);
    expect(mostLevels(config({ levels: 20, spacing: d("0.095") }))).toBe(9);
    expect(mostLevels(config({ levels: 20, spacing: d("0.0949") }))).toBe(10);
    expect(mostLevels(config({ levels: 20, volatility: { low: 0n, high: ONE } }))).toBe(4);
  });
});
