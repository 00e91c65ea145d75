import { describe, expect, it } from "vitest";
import { ONE } from "../../src/kernel/decimal.ts";
import { quoteKind } from "../../src/quote/kind.ts";
import {
  avoidTakerLevels,
  clearOfOwn,
  cutToFunds,
  type Means,
  type QuoteLevel,
} from "../../src/quote/levels.ts";
import { largestQuote } from "../../src/quote/operations/readings.ts";
import { fillsForDefence, formatDefence } from "../../src/quote/plan.ts";
import { isBidSlot, newQuoteState, slotsFor } from "../../src/quote/state.ts";
import { d, market } from "../support/grid.ts";

const MARKET = market({
  tick: d("1"),
  lot: d("0.1"),
  minAmount: d("0.1"),
  minNotional: d("10"),
  maker: d("0.01"),
});

const levels = (side: "buy" | "sell", ...prices: number[]): QuoteLevel[] =>
  prices.map((price, level) => ({ side, level, price: d(String(price)), amount: d("1") })) as QuoteLevel[];
const means = (over: Partial<Means> = {}): Means => ({
  free: d("1000"),
  inventory: d("5"),
  most: null,
  least: null,
  halted: false,
  isPaused: false,
  ...over,
});
const affordableLevels = (side: "buy" | "sell", over: Partial<Means> = {}) => {
  const { levels: kept, cuts } = cutToFunds(
    levels(side, 100, side === "buy" ? 90 : 110),
    means(over),
    MARKET,
  );
  return {
    amounts: kept.map(({ amount }) => amount),
    cuts: cuts.map(({ level, because }) => [level, because]),
  };
};

describe("the levels that funds cover", () => {
  it("are all of them with enough, and less of the last one without", () => {
    expect(affordableLevels("buy")).toEqual({ amounts: [ONE, ONE], cuts: [] });
    // A bid at 100 costs 101 with its fee: 49 are left, which buy 0.5 at 90.9.
    expect(affordableLevels("buy", { free: d("150") })).toEqual({ amounts: [ONE, d("0.5")], cuts: [] });
    expect(affordableLevels("sell", { free: d("1.35") })).toEqual({ amounts: [ONE, d("0.3")], cuts: [] });
  });

  it("omit what is below the exchange's minimum, with the asset that is missing", () => {
    expect(affordableLevels("buy", { free: d("110") })).toEqual({ amounts: [ONE], cuts: [[1, "no_quote"]] });
    // A tenth at 90 is worth 9 of the least 10.
    expect(affordableLevels("buy", { free: d("110.5") })).toEqual({
      amounts: [ONE],
      cuts: [[1, "no_quote"]],
    });
    expect(affordableLevels("sell", { free: d("0.05") }).cuts).toEqual([
      [0, "no_base"],
      [1, "no_base"],
    ]);
    expect(affordableLevels("buy", { free: d("-1") }).cuts).toHaveLength(2);
  });

  it("stay within the bounds of the inventory: bids below the maximum, asks above the minimum", () => {
    expect(affordableLevels("buy", { most: d("6.5") })).toEqual({ amounts: [ONE, d("0.5")], cuts: [] });
    expect(affordableLevels("buy", { most: d("6") }).cuts).toEqual([[1, "max_inventory"]]);
    expect(affordableLevels("buy", { most: d("4"), least: d("9") }).cuts).toHaveLength(2);
    expect(affordableLevels("sell", { least: d("3.8"), most: d("1") })).toEqual({
      amounts: [ONE, d("0.2")],
      cuts: [],
    });
    expect(affordableLevels("sell", { least: d("5") }).cuts).toEqual([
      [0, "min_inventory"],
      [1, "min_inventory"],
    ]);
  });

  it("are none after a loss, or on a side that is paused", () => {
    expect(affordableLevels("buy", { halted: true, isPaused: true }).cuts).toEqual([
      [0, "loss"],
      [1, "loss"],
    ]);
    expect(affordableLevels("sell", { isPaused: true })).toEqual({
      amounts: [],
      cuts: [
        [0, "defended"],
        [1, "defended"],
      ],
    });
  });
});

describe("levels beside the orders of others", () => {
  const moved = (side: "buy" | "sell", others: { bid?: string; ask?: string }, ...prices: number[]) =>
    avoidTakerLevels(
      levels(side, ...prices),
      { bid: others.bid ? d(others.bid) : undefined, ask: others.ask ? d(others.ask) : undefined },
      MARKET,
    ).map(({ price }) => Number(price / ONE));

  it("do not reach the other side, and stay a tick apart", () => {
    expect(moved("buy", { bid: "99", ask: "101" }, 105, 104, 90)).toEqual([100, 99, 90]);
    expect(moved("sell", { bid: "99", ask: "101" }, 95, 96, 120)).toEqual([100, 101, 120]);
    expect(moved("buy", {}, 105, 105)).toEqual([105, 104]);
    expect(moved("sell", {}, 105, 105)).toEqual([105, 106]);
  });

  it("are omitted if no price is left for them", () => {
    expect(moved("buy", { ask: "2" }, 105, 104)).toEqual([1]);
  });

  it("are omitted where they could fill an own order, with the reason", () => {
    const own = [{ side: "sell", type: "limit", price: d("95") }] as never;
    const { levels: kept, cuts } = clearOfOwn(levels("buy", 100, 90), own);
    expect(kept.map(({ level }) => level)).toEqual([1]);
    expect(cuts).toEqual([{ side: "buy", level: 0, because: "would_self_cross" }]);
  });
});

it("slots bid and ask in turn, four for each level, and none is ever removed", () => {
  const slots = slotsFor(2);
  expect(slots.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  expect(slots.map(isBidSlot)).toEqual([true, false, true, false, true, false, true, false]);
  expect([slotsFor(1, slots), slotsFor(2, slots)].every((same) => same === slots)).toBe(true);
  expect(slotsFor(3, slots)).toHaveLength(12);
});

it("quotes are in range only while they have a reference price", () => {
  const isIn = (quoted: object | null) =>
    quoteKind.isInRange({ ...newQuoteState(1, ONE), quoted } as never, undefined as never);
  expect([isIn(null), isIn({ reference: null }), isIn({ reference: ONE })]).toEqual([false, false, true]);
});

it("the largest order is known only for equal sizes", () => {
  const of = (sizes: object) => largestQuote({ rules: { sizes } } as never);
  expect(of({ model: "flat", size: d("7") })).toBe(d("7"));
  expect(of({ model: "growing", size: d("7"), factor: d("2") })).toBeUndefined();
});

it("a defence reads fills of its passes and of the 10 s that judge a fill", () => {
  expect(formatDefence({ ticks: "pause", passes: 60 })).toBe("pause:60");
  const within = (passes: number) => fillsForDefence({ ticks: 5, passes }, 1000)?.within ?? 0;
  expect(within(60) - within(10)).toBe(50_000);
  // 10 s until the fill is judged, one pass at most until it is read, and ten passes.
  expect(within(10)).toBe(21_000);
  expect(fillsForDefence(undefined, 1000)).toBeUndefined();
});
