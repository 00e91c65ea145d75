import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  ascends,
  firstAmount,
  forgottenBase,
  giveFirstBase,
  layOut,
  leastRatio,
  levelAt,
  levelsAround,
  levelsFrom,
  slotsBetween,
  targetBase,
  wideningOf,
  withMid,
} from "../../../src/grid/ladder/levels.ts";
import { totalBase } from "../../../src/grid/state/lots.ts";
import { NO_LEDGER } from "../../../src/grid/state/state.ts";
import { type Decimal, ONE } from "../../../src/kernel/decimal.ts";
import { HOUR, MINUTE } from "../../../src/kernel/time.ts";
import { d, market, slot, state } from "../../support/grid.ts";
import { fill, order } from "../../support/made.ts";

const prices = (...texts: string[]) => texts.map(d);
const range = (over: object = {}) => ({
  lowerPrice: d("100"),
  upperPrice: d("400"),
  gridLevels: 2,
  gridSpacing: d("30"),
  ...over,
});

const at = (time: number, mid = "100") => ({ at: time, mid: d(mid) });

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

describe("slots between levels", () => {
  it("buy if their lower price is below the market, otherwise sell, and hold nothing", () => {
    expect(layOut(["90", "100", "110"].map(d), d("50"), d("100"))).toEqual([
      slot({ lower: d("90"), upper: d("100"), size: d("50") }),
      slot({ index: 1, lower: d("100"), upper: d("110"), size: d("50"), side: "sell" }),
    ]);
  });

  it("need their size at their price as base for the first order", () => {
    const one = slot({ lower: d("100"), upper: d("200") });
    expect(firstAmount(market(), one)).toBe(d("1"));
    expect(firstAmount(market(), { ...one, side: "sell" })).toBe(d("0.5"));
    const sells = [{ ...one, side: "sell" as const }, one, slot({ side: "sell", upper: d("400") })];
    expect(targetBase(state(sells), market())).toBe(d("0.75"));
  });
});

describe("first base", () => {
  const sell = (index: number, over = {}) =>
    slot({ index, side: "sell", lower: d("80"), upper: d("100"), ...over });
  const given = (slots: ReturnType<typeof slot>[], free: string, over = {}) =>
    giveFirstBase(state(slots, { startPrice: d("90"), ...over }), market(), d(free));
  const filled = { base: d("1"), cost: d("90"), first: true };

  it("goes to selling slots in whole orders, first slots first, at the start price", () => {
    const before = [slot(), sell(1), sell(2), sell(3)];
    const after = given(before, "2.5");
    expect(after.slots).toEqual([slot(), sell(1, filled), sell(2, filled), sell(3)]);
    expect(after.ledger).toEqual({ ...NO_LEDGER, firstBase: d("2"), firstCost: d("180") });
    expect(given(before, "1").slots).toEqual([slot(), sell(1, filled), sell(2), sell(3)]);
  });

  it("skips a slot that needs more than is left and fills one that does not", () => {
    const after = given([sell(1, { size: d("200") }), sell(2)], "1.5");
    expect(after.slots.map(({ base }) => base)).toEqual([0n, d("1")]);
  });

  it.each([{ base: d("1") }, { cost: d("1") }, { sold: d("1") }])(
    "is not given to a slot that has traded: %o",
    (over) => {
      expect(given([sell(1, over)], "5").slots).toEqual([sell(1, over)]);
    },
  );

  it("is not given to a slot smaller than a lot", () => {
    expect(given([sell(1, { size: d("0.0001") })], "5").slots[0]?.first).toBe(false);
  });

  it("adds to the first base already present", () => {
    const ledger = { ...NO_LEDGER, firstBase: d("3"), firstCost: d("270") };
    const holding = sell(1, { base: d("3"), cost: d("270"), first: true });
    expect(given([holding, sell(2)], "1", { ledger }).ledger).toMatchObject({
      firstBase: d("4"),
      firstCost: d("360"),
    });
  });
});

describe("first base that is missing from a restored database", () => {
  const sells = [slot({ side: "sell" }), slot({ index: 1, side: "sell" })];
  const found = (over: object, fills = [fill({ side: "sell", fees: [] })], slots = sells) =>
    forgottenBase(state(slots, { startPrice: d("90") }), {
      order: order({ side: "sell", amount: d("2") }),
      fills,
      ended: false,
      ...over,
    });

  it("is what the recovered order still offers", () => {
    const after = found({});
    expect(after.slots).toEqual([
      slot({ side: "sell", base: d("2"), cost: d("180"), first: true }),
      sells[1],
    ]);
    expect(after.ledger).toMatchObject({ firstBase: d("2"), firstCost: d("180") });
  });

  it("is base the grid bought that no slot has, and only beyond that the account's base", () => {
    const lot = (base: string, cost: string) => ({ base: d(base), cost: d(cost), first: false });
    const given = (idle: readonly ReturnType<typeof lot>[]) =>
      forgottenBase(state(sells, { startPrice: d("90"), idle }), {
        order: order({ side: "sell", amount: d("2") }),
        fills: [],
        ended: false,
      });
    const bought = given([lot("3", "300")]);
    expect(bought.slots[0]).toEqual(slot({ side: "sell", base: d("2"), cost: d("200"), first: false }));
    expect(bought.idle).toEqual([lot("1", "100")]);
    expect(bought.ledger).toMatchObject({ firstBase: 0n, firstCost: 0n });
    const mixed = given([lot("0.5", "50")]);
    expect(mixed.slots[0]).toEqual(slot({ side: "sell", base: d("2"), cost: d("185"), first: true }));
    expect(mixed.idle).toEqual([]);
    expect(mixed.ledger).toMatchObject({ firstBase: d("1.5"), firstCost: d("135") });
  });

  it("of an order of another layout is idle, where its trades are booked", () => {
    const idle = [{ base: d("0.5"), cost: d("50"), first: false }];
    const older = { order: order({ side: "sell", amount: d("2"), generation: 1 }), fills: [], ended: false };
    const after = forgottenBase(state(sells, { startPrice: d("90"), idle }), older);
    expect(after.slots).toEqual(sells);
    expect(after.idle).toEqual([{ base: d("1.5"), cost: d("135"), first: true }, ...idle]);
    expect(after.ledger).toMatchObject({ firstBase: d("1.5"), firstCost: d("135") });
    // The idle base covers all that this one needs.
    expect(forgottenBase(after, older)).toBe(after);
    // So does base that a slot bought before the new layout: it is sold, and none of the account's.
    const bought = slot({ side: "buy", bought: d("1.5"), base: d("1.5"), cost: d("120") });
    const moved = forgottenBase(state([bought], { startPrice: d("90"), idle }), older);
    expect(moved.ledger).toMatchObject({ firstBase: 0n, firstCost: 0n });
    expect(moved.slots).toMatchObject([{ bought: 0n, base: 0n, cost: 0n }]);
    expect(totalBase(moved.idle)).toBe(d("2"));
  });

  it("is the amount it sold, plus fees in base, if it has ended or that is more", () => {
    expect(found({ ended: true }).slots[0]?.base).toBe(d("1"));
    const fees = [
      { asset: "BTC", amount: d("0.5") },
      { asset: "USDT", amount: d("7") },
    ];
    expect(found({ ended: true }, [fill({ side: "sell", fees })]).slots[0]?.base).toBe(d("1.5"));
    const whole = fill({ side: "sell", amount: d("2"), fees });
    expect(found({}, [whole]).slots[0]?.base).toBe(d("2.5"));
  });

  it("is the amount beyond what the slot holds", () => {
    const holding = (base: string) => [slot({ side: "sell", base: d(base), cost: d("9"), sold: d("0.5") })];
    const after = found({}, [], holding("1")).slots[0];
    expect(after).toMatchObject({ base: d("2.5"), cost: d("144"), first: true });
    expect(found({}, [], holding("2.5")).slots).toEqual(holding("2.5"));
    expect(found({ order: order({ slot: 7 }) }).slots).toEqual(sells);
  });
});

const START = 10 * HOUR;
const BETWEEN = { low: d("0.02"), high: d("0.06") };

describe("the mids of the last hour", () => {
  it("are one a minute, repeated while there is no new one", () => {
    const known = [at(START)];
    expect(withMid([], d("100"), START)).toEqual(known);
    expect(withMid(known, d("101"), START + MINUTE - 1)).toBe(known);
    expect(withMid(known, d("101"), START + MINUTE)).toEqual([...known, at(START + MINUTE, "101")]);
  });

  it("are at most an hour old", () => {
    const known = [at(START), at(START + 1)];
    expect(withMid(known, d("100"), START + HOUR)).toEqual([...known, at(START + HOUR)]);
    expect(withMid(known, d("100"), START + HOUR + 1)).toEqual([known[1], at(START + HOUR + 1)]);
    const ahead = at(START + 2 * HOUR);
    expect(withMid([...known, ahead], d("100"), START + HOUR)).toEqual([...known, at(START + HOUR)]);
  });
});

describe("the volatility factor of a grid's width", () => {
  const widening = (mids: ReturnType<typeof at>[], now = START + 30 * MINUTE) =>
    wideningOf(BETWEEN, { mids }, now);
  const moving = (least: string, most: string) => widening([at(START, least), at(START + MINUTE, most)]);

  it("is unknown in the first half hour", () => {
    expect(widening([])).toBeUndefined();
    expect(widening([at(START)], START + 30 * MINUTE - 1)).toBeUndefined();
    expect(widening([at(START)])).toBe(d("1"));
  });

  it("rises from one to two between the bounds", () => {
    expect(moving("99", "101")).toBe(d("1"));
    expect(moving("98", "102")).toBe(d("1.5"));
    expect(moving("102", "98")).toBe(d("1.5"));
    expect(moving("97", "103")).toBe(d("2"));
    expect(moving("80", "120")).toBe(d("2"));
    expect(moving("98.5", "101.5")).toBe(d("1.25"));
  });

  it("is one at the lower bound and two at the upper, even if both are equal", () => {
    const same = { low: d("0.02"), high: d("0.02") };
    const mids = (most: string) => ({ mids: [at(START, "99"), at(START, most)] });
    expect(wideningOf(same, mids("101"), START + HOUR)).toBe(d("1"));
    expect(wideningOf(same, mids("102"), START + HOUR)).toBe(d("2"));
  });

  it("counts every mid of the last hour, and none before", () => {
    const hour = START + HOUR;
    expect(widening([at(START, "98"), at(hour, "102")], hour)).toBe(d("1.5"));
    expect(widening([at(START - 1, "1"), at(START, "98"), at(hour, "102")], hour)).toBe(d("1.5"));
    const mids = [at(START, "98"), at(START, "98"), at(START, "104")];
    expect(widening(mids)).toBe(d("2"));
    expect(widening([...mids.slice(1), at(START, "101")])).toBe(d("1.98514851485148515"));
  });
});
