import { describe, expect, it } from "vitest";
import { fillMeasurer, tallyOf } from "../../../src/backtest/position/backtest.ts";
import { MINUTE, SECOND } from "../../../src/kernel/time.ts";
import { d } from "../../support/grid.ts";
import { fill } from "../../support/made.ts";

/** A pass at a time, in seconds, whose bid and ask are one away from this price. */
const quote = (seconds: number, mid: number) => ({
  bid: d(String(mid - 1)),
  ask: d(String(mid + 1)),
  at: seconds * SECOND,
});
const at = (seconds: number, over = {}) => fill({ at: seconds * SECOND, ...over });
const NO_MIDS = { mid1s: null, mid10s: null, mid1m: null, mid5m: null, mid1h: null };

describe("a fill of a backtest", () => {
  it("has the mid of the pass before it, if that is at most ten seconds old", () => {
    const { addPass, fills } = fillMeasurer();
    addPass([at(0)], quote(0, 100));
    addPass([at(9), at(10), at(10.001), at(-0.001)], quote(20, 200));
    expect(fills.map(({ mid }) => mid)).toEqual([null, d("100"), d("100"), null, null]);
  });

  it("has the first mid at each horizon, or none if that comes too late", () => {
    const { addPass, fills } = fillMeasurer();
    addPass([at(0)], quote(0, 100));
    addPass([at(0.5)], quote(0.999, 101));
    expect(fills[0]).toMatchObject(NO_MIDS);
    addPass([], quote(1, 102));
    addPass([], quote(1.5, 103));
    expect(fills.map(({ mid1s }) => mid1s)).toEqual([d("102"), d("103")]);
    addPass([], quote(15, 104));
    addPass([], quote(15.4, 105));
    // Ten seconds and at most five more: the second one has until 15.5 s.
    expect(fills.map(({ mid10s }) => mid10s)).toEqual([d("104"), d("104")]);
    addPass([], quote(90.5, 106));
    expect(fills.map(({ mid1m }) => mid1m)).toEqual([null, d("106")]);
    addPass([at(91)], quote(93.001, 107));
    addPass([], quote(95, 108));
    expect(fills[2]).toMatchObject({ mid1s: null, mid10s: null });
  });
});

it("a fill that was booked before counts once", () => {
  const measured = { ...NO_MIDS, mid: d("100"), mid1m: d("99") };
  const tally = tallyOf([
    { ...fill({ at: MINUTE }), ...measured },
    { ...fill({ at: MINUTE, superseded: true }), ...measured },
  ]);
  expect([tally.fills, tally.notional]).toEqual([1, d("100")]);
});
