import { describe, expect, it } from "vitest";
import { isUndisturbed, jump, type LadderState } from "../../../src/backtest/jump.ts";
import { ticksOf } from "../../../src/backtest/ticks.ts";
import { candlesOf } from "../../../src/candles/candles.ts";
import { MINUTE } from "../../../src/kernel/time.ts";
import { d } from "../../support/grid.ts";

type Bar = readonly [open: number, high: number, low: number, close: number];
const barsOf = (rows: readonly Bar[]) =>
  ticksOf(
    candlesOf(
      { pair: "BTC/USDT", spanMillis: MINUTE },
      rows.map((row, i) => {
        const [open, high, low, close] = row.map(String) as [string, string, string, string];
        return { at: i * MINUTE, open, high, low, close, volume: 1 };
      }),
    ),
    d("1"),
  );

/** Slots from 90 to 100, from 100 to 110 and from 110 to 120, of which the last one waits. */
const RUNGS: LadderState = {
  buys: Float64Array.of(89, 99, 109),
  sells: Float64Array.of(101, 111, 121),
  lowers: Float64Array.of(90, 100, 110),
  buying: 2,
  armed: 2,
};
type Over = Partial<LadderState> & {
  extremes?: "high_first" | "low_first";
  from?: number;
  until?: number;
  isExact?: boolean;
};
function jumped(
  rows: readonly Bar[],
  { extremes, from = 0, until = rows.length, isExact = true, ...over }: Over = {},
) {
  const stretch = { extremes: extremes ?? ("nearest" as const), from, until, isExact };
  const { count, bars, codes, counts, ...rest } = jump({ ...RUNGS, ...over }, barsOf(rows), stretch);
  const fills = Array.from(codes.subarray(0, count), (code, i) => {
    const side = (code & 1) === 1 ? "sells" : "buys";
    return `bar ${bars[i]} point ${(code >> 1) & 3}: slot ${code >> 3} ${side}`;
  });
  return { fills, counts: [...counts], ...rest };
}

const FLAT: Bar = [105, 105, 105, 105];

describe("fills of a ladder", () => {
  it("follow the path of each bar, the nearer extreme first", () => {
    // The first bar goes up first, the second one down; the third one fills two buys at a point.
    const rows: Bar[] = [FLAT, [105, 105, 99, 99], [99, 110, 99, 110], FLAT, [110, 111, 89, 90], FLAT];
    expect(jumped(rows, { lowers: Float64Array.of(90, 100, 115) })).toEqual({
      fills: [
        "bar 1 point 2: slot 1 buys",
        "bar 4 point 1: slot 1 sells",
        "bar 4 point 2: slot 1 buys",
        "bar 4 point 2: slot 0 buys",
        "bar 5 point 0: slot 0 sells",
      ],
      counts: [2, 3, 0],
      armed: 2,
      turned: 2,
      metAt: undefined,
    });
  });

  it("follow the other path on request", () => {
    const row: Bar = [105, 111, 99, 105];
    const low = jumped([row], { extremes: "low_first", lowers: Float64Array.of(90, 100, 115) });
    expect(low.fills).toEqual(["bar 0 point 1: slot 1 buys", "bar 0 point 2: slot 1 sells"]);
    const high = jumped([row], { extremes: "high_first", lowers: Float64Array.of(90, 100, 115) });
    expect(high.fills).toEqual(["bar 0 point 2: slot 1 buys"]);
  });

  it("come at their price, not before it", () => {
    expect(jumped([FLAT, [105, 105, 100, 100]]).fills).toEqual([]);
    expect(
      jumped([
        [99, 99, 99, 99],
        [99, 110, 99, 110],
      ]).fills,
    ).toEqual(["bar 0 point 0: slot 1 buys"]);
  });

  it("begin and end with the stretch", () => {
    const down: Bar = [99, 99, 99, 99];
    const rows = [down, FLAT, down, down];
    expect(jumped(rows, { from: 1, until: 2 }).fills).toEqual([]);
    expect(jumped(rows, { from: 1, until: 3 }).fills).toEqual(["bar 2 point 0: slot 1 buys"]);
    expect(jumped(rows, { from: 0, until: 1 }).fills).toEqual(["bar 0 point 0: slot 1 buys"]);
  });

  it("are many, if there are many", () => {
    const swings = Array.from(
      { length: 4000 },
      (_, i): Bar => (i % 2 === 0 ? [99, 99, 99, 99] : [112, 112, 112, 112]),
    );
    const { fills, counts } = jumped(swings, { lowers: Float64Array.of(90, 100, 1000) });
    expect([fills.length, counts]).toEqual([4000, [0, 4000, 0]]);
    expect([fills[1023], fills[3999]]).toEqual([
      "bar 1023 point 0: slot 1 sells",
      "bar 3999 point 0: slot 1 sells",
    ]);
  });
});

describe("a slot that waits for its price", () => {
  const [up, down]: [Bar, Bar] = [
    [111, 111, 111, 111],
    [109, 109, 109, 109],
  ];
  it("buys once the price was above its lower one", () => {
    expect(jumped([FLAT, down, up, down])).toEqual({
      fills: ["bar 3 point 0: slot 2 buys"],
      counts: [0, 0, 1],
      armed: 3,
      turned: 3,
      metAt: undefined,
    });
    const touched: Bar = [110, 110, 110, 110];
    expect(jumped([FLAT, touched, down])).toEqual({
      fills: [],
      counts: [0, 0, 0],
      armed: 2,
      turned: 2,
      metAt: undefined,
    });
  });

  it("sells nothing before it has bought, however far the price rises", () => {
    // At 125 the price is above its sell at 120, too.
    const high: Bar = [125, 125, 125, 125];
    expect(jumped([FLAT, high, down, high])).toEqual({
      fills: ["bar 2 point 0: slot 2 buys", "bar 3 point 0: slot 2 sells"],
      counts: [0, 0, 2],
      armed: 3,
      turned: 3,
      metAt: undefined,
    });
  });

  it("waits for the sell below it, which ends an exact jump", () => {
    // That sell is a tick higher than usual.
    const sells = Float64Array.of(101, 112, 121);
    const rows = [FLAT, up, FLAT, [112, 112, 112, 112], down] satisfies Bar[];
    expect(jumped(rows, { sells, buying: 1 })).toMatchObject({ fills: [], armed: 2, turned: 3, metAt: 1 });
    expect(jumped(rows, { sells, buying: 1, isExact: false })).toEqual({
      fills: ["bar 3 point 0: slot 1 sells", "bar 4 point 0: slot 2 buys"],
      counts: [0, 1, 1],
      armed: 3,
      turned: 3,
      metAt: 1,
    });
  });
});

it("bars are undisturbed if none of them reaches a price of a pass", () => {
  const bars = barsOf([[105, 120, 90, 105], FLAT, [105, 110, 100, 105]]);
  expect(isUndisturbed(bars, 0, { below: 89, above: 121 })).toBe(true);
  expect(isUndisturbed(bars, 0, { below: 90, above: 121 })).toBe(false);
  expect(isUndisturbed(bars, 0, { below: 89, above: 120 })).toBe(false);
  expect(isUndisturbed(bars, 1, { below: 90, above: 120 })).toBe(true);
  expect(isUndisturbed(bars, 1, { below: 90, above: 110 })).toBe(false);
});
