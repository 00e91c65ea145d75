import { describe, expect, it } from "vitest";
import {
  firstAmount,
  forgottenBase,
  giveFirstBase,
  layOut,
  targetBase,
} from "../../../src/grid/ladder/levels.ts";
import { totalBase } from "../../../src/grid/state/lots.ts";
import { NO_LEDGER } from "../../../src/grid/state/state.ts";
import { d, market, slot, state } from "../../support/grid.ts";
import { fill, order } from "../../support/made.ts";

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
