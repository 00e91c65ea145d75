import { describe, expect, it } from "vitest";
import { layOutAnew, obstacle } from "../../../src/grid/plan/moves.ts";
import type { CenteredConfig, GridConfig } from "../../../src/grid/state/config.ts";
import type { GridState } from "../../../src/grid/state/state.ts";
import { ONE } from "../../../src/kernel/decimal.ts";
import { MINUTE } from "../../../src/kernel/time.ts";
import { AROUND, d, market, slot, state } from "../../support/grid.ts";
import { NOW, quote } from "../../support/made.ts";

/** Levels 100, 110, 120. */
const RANGE = {
  lowerPrice: d("100"),
  upperPrice: d("120"),
  gridLevels: 2,
  gridSpacing: d("10"),
  orderSize: d("100"),
} as unknown as GridConfig;
const CENTERED: CenteredConfig = {
  ...AROUND,
  levels: 1,
  spacingFactor: d("2"),
  deviation: d("0.05"),
  debounce: 0,
};
const around = (over: Partial<CenteredConfig> = {}) =>
  ({ ...RANGE, centered: { ...CENTERED, ...over } }) as GridConfig;
/** A mid of 105. */
const INPUTS = { market: market({ tick: d("0.5") }), quote: quote() };
/** Holds 1 at a cost of 100. */
const HOLDS = slot({ index: 4, side: "sell", base: d("1"), cost: d("100") });
const earlier = (over: Partial<GridState> = {}) =>
  state([slot(), HOLDS], { generation: 3, rebuild: { generation: 9 }, ...over });
const bounds = (slots: GridState["slots"]) => slots.map(({ lower, upper }) => [lower, upper]);

describe("a rebuilt grid", () => {
  it("is placed as requested, with its position, in the generation that its cancels were for", () => {
    const after = layOutAnew(
      RANGE,
      earlier({
        trail: { way: "up", steps: 2 },
        firstBuy: { tries: 1 },
        widening: d("2"),
        refused: [{}] as never,
      }),
      INPUTS,
    );
    expect(bounds(after.slots)).toEqual([
      [d("100"), d("110")],
      [d("110"), d("120")],
    ]);
    expect(after).toMatchObject({
      generation: 9,
      rebuild: null,
      center: d("105"),
      laidAt: NOW,
      widening: ONE,
      trail: { way: null, steps: 0 },
      firstBuy: null,
      refused: [],
    });
    const total = [...after.slots, ...after.idle].reduce((sum, { base }) => sum + base, 0n);
    expect(total).toBe(d("1"));
    expect(layOutAnew(RANGE, earlier({ rebuild: null }), INPUTS).generation).toBe(4);
  });

  it("around the market continues its first buy, with a width that follows volatility", () => {
    const after = layOutAnew(around(), earlier({ firstBuy: { tries: 1 } }), INPUTS);
    expect(after.firstBuy).toEqual({ tries: 1 });
    expect(bounds(after.slots)).toEqual([
      [d("94.5"), d("105")],
      [d("105"), d("115.5")],
    ]);
    const restless = around({ volatility: { low: d("0.01"), high: d("0.1") } });
    const mids = [0, 30, 59].map((minutes, i) => ({
      at: NOW - (60 - minutes) * MINUTE,
      mid: d(i === 1 ? "210" : "105"),
    }));
    expect(layOutAnew(restless, earlier({ mids }), INPUTS).widening).toBe(d("2"));
    expect(layOutAnew(restless, earlier({ widening: d("1.5") }), INPUTS).widening).toBe(d("1.5"));
    expect(layOutAnew(around(), earlier({ widening: d("1.5") }), INPUTS).widening).toBe(ONE);
  });
});

describe("the obstacles to a rebuild", () => {
  it("are levels that share a price or orders that are too small, reported as requested", () => {
    expect(obstacle(RANGE, earlier(), INPUTS)).toBeUndefined();
    const flat = { ...RANGE, upperPrice: d("100.5") } as GridConfig;
    expect(obstacle(flat, earlier(), INPUTS)).toBe("two of the new levels fall on one price");
    expect(obstacle({ ...RANGE, orderSize: d("1") }, earlier(), INPUTS)).toMatch(
      /^orderSize must be at least/,
    );
    expect(obstacle({ ...around(), orderSize: d("1") }, earlier(), INPUTS)).toMatch(/^size must be at least/);
  });
});
