import { describe, expect, it } from "vitest";
import { besideOptions, optionsOf } from "../../../src/grid/state/lots.ts";
import { rangeNow } from "../../../src/grid/state/range.ts";
import { d, slot, state } from "../../support/grid.ts";

const OPTIONS = {
  allowLoss: true,
  useOwnBase: false,
  initialBuy: true,
  postOnly: false,
  confidence: d("0.6"),
  maxPosition: d("0.8"),
  safetyReserve: d("0.2"),
};
const BESIDE = { lowerPrice: d("100"), triggerPrice: d("90") };

describe("the requested options", () => {
  it("separate the options of both kinds of grid from the others", () => {
    expect(optionsOf({ ...BESIDE, ...OPTIONS })).toEqual(OPTIONS);
    expect(besideOptions({ ...OPTIONS, ...BESIDE })).toEqual(BESIDE);
    expect(optionsOf(BESIDE as object)).toEqual({});
  });
});

describe("the current range of a grid", () => {
  it("is from its lowest to its highest level, and undefined without levels", () => {
    const slots = [
      slot({ lower: d("110"), upper: d("120") }),
      slot({ lower: d("90"), upper: d("100") }),
      slot({ lower: d("100"), upper: d("110") }),
    ];
    expect(rangeNow(state(slots))).toEqual({ lower: d("90"), upper: d("120") });
    expect(rangeNow(state([]))).toBeUndefined();
  });
});
