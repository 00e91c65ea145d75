import { describe, expect, it } from "vitest";
import { optionsOf, withoutOptions } from "../../../src/grid/state/config.ts";
import { takeLots, totalBase, totalCost, withLot } from "../../../src/grid/state/lots.ts";
import { rangeNow } from "../../../src/grid/state/range.ts";
import { d, slot, state } from "../../support/grid.ts";

const lot = (base: string, cost: string, first = false) => ({ base: d(base), cost: d(cost), first });

describe("base that no slot holds", () => {
  it("is ordered by unit cost, then oldest first", () => {
    const [dear, cheap, even] = [lot("1", "9"), lot("4", "4"), lot("2", "2", true)];
    expect(withLot([dear], cheap)).toEqual([cheap, dear]);
    expect(withLot([cheap], dear)).toEqual([cheap, dear]);
    expect(withLot([cheap, dear], even)).toEqual([cheap, even, dear]);
    expect(withLot([cheap], lot("0", "0"))).toEqual([cheap]);
    expect(withLot([], lot("0", "3"))).toHaveLength(1);
    expect([totalBase([dear, cheap]), totalCost([dear, cheap])]).toEqual([d("5"), d("13")]);
  });

  it("is drawn cheapest first, a part at its share of the cost", () => {
    const lots = [lot("4", "4", true), lot("2", "6")];
    expect(takeLots(lots, d("5"))).toEqual({ drawn: lot("5", "7", true), rest: [lot("1", "3")] });
    expect(takeLots(lots, d("4"))).toEqual({ drawn: lot("4", "4", true), rest: [lot("2", "6")] });
    expect(takeLots(lots, d("1"))).toEqual({
      drawn: lot("1", "1", true),
      rest: [lot("3", "3", true), lot("2", "6")],
    });
    expect(takeLots(lots, d("6"))).toEqual({ drawn: lot("6", "10", true), rest: [] });
  });

  it("is recorded as owed if it is missing", () => {
    expect(takeLots([lot("1", "5")], d("3"))).toEqual({ drawn: lot("3", "5"), rest: [lot("-2", "0")] });
  });
});

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
    expect(withoutOptions({ ...OPTIONS, ...BESIDE })).toEqual(BESIDE);
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
