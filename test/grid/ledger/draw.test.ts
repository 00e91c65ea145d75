import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { draw, drawAll, releaseInventory } from "../../../src/grid/booking.ts";
import { takeLots, totalBase, totalCost, withLot } from "../../../src/grid/state/lots.ts";
import type { GridConfig } from "../../../src/grid/state/state.ts";
import { d, market, slot, state } from "../../support/grid.ts";

const lot = (base: string, cost: string, first = false) => ({ base: d(base), cost: d(cost), first });
const CONFIG = {} as GridConfig;

describe("lots of base", () => {
  it("are ordered by unit cost, then by arrival", () => {
    const lots = [lot("2", "200"), lot("1", "90"), lot("1", "100", true), lot("1", "110")];
    const all = lots.reduce(withLot, [] as readonly ReturnType<typeof lot>[]);
    expect(all).toEqual([lot("1", "90"), lot("2", "200"), lot("1", "100", true), lot("1", "110")]);
    expect(withLot(all, lot("0", "0"))).toBe(all);
    expect(withLot([], lot("0", "1"))).toEqual([lot("0", "1")]);
    expect(withLot([], lot("1", "0"))).toEqual([lot("1", "0")]);
    expect([totalBase(all), totalCost(all)]).toEqual([d("5"), d("500")]);
  });

  const lots = [lot("1", "90"), lot("3", "300", true), lot("1", "110")];

  it.each([
    ["0", lot("0", "0"), lots],
    ["0.5", lot("0.5", "45"), [lot("0.5", "45"), ...lots.slice(1)]],
    ["1", lot("1", "90"), lots.slice(1)],
    ["2", lot("2", "190", true), [lot("2", "200", true), lot("1", "110")]],
    ["5", lot("5", "500", true), []],
    ["6", lot("6", "500", true), [lot("-1", "0")]],
  ])("give %s from the cheapest lot on, and record missing base as owed", (amount, drawn, rest) => {
    expect(takeLots(lots, d(amount))).toEqual({ drawn, rest });
  });

  it("lose nothing, whatever amount is drawn", () => {
    const one = fc.record({ base: fc.bigInt(1n, 9n), cost: fc.bigInt(0n, 99n), first: fc.boolean() });
    fc.assert(
      fc.property(fc.array(one, { maxLength: 4 }), fc.bigInt(0n, 40n), (some, amount) => {
        const { drawn, rest } = takeLots(some, amount);
        expect(drawn.base + totalBase(rest)).toBe(totalBase(some));
        expect(drawn.cost + totalCost(rest)).toBe(totalCost(some));
      }),
    );
  });

  it("round a partial cost share to the nearest", () => {
    expect(takeLots([lot("3", "200")], d("1")).drawn.cost).toBe(d("66.666666666666666667"));
  });
});

describe("base released by slots", () => {
  const full = slot({
    side: "sell",
    bought: d("2"),
    base: d("2"),
    sold: d("1"),
    cost: d("200"),
    first: true,
    sellAt: d("130"),
  });
  const dust = slot({ index: 1, base: d("1"), sold: d("1"), cost: d("3") });
  const empty = slot({ index: 2, bought: d("1") });

  it("becomes lots and empties the slots", () => {
    const after = releaseInventory(state([full, dust, empty]), () => true);
    expect(after.idle).toEqual([lot("1", "100", true)]);
    expect(after.slots).toEqual([slot({ side: "sell" }), slot({ index: 1 }), empty]);
  });

  it("comes only from the requested slots", () => {
    const before = state([full, empty], { idle: [lot("1", "90")] });
    expect(releaseInventory(before, ({ index }) => index === 2)).toBe(before);
    expect(releaseInventory(before, ({ index }) => index === 0).idle).toEqual([
      lot("1", "90"),
      lot("1", "100", true),
    ]);
  });
});

describe("base drawn by an empty slot", () => {
  const empty = slot({ side: "sell", lower: d("100"), upper: d("125"), bought: d("1"), sellAt: d("999") });
  const NO_FEES = market({ maker: 0n, taker: 0n });
  const drawing = (idle: ReturnType<typeof lot>[], { of = empty, config = CONFIG, at = NO_FEES } = {}) =>
    draw(state([of, slot({ index: 1 })], { idle }), of, config, at);
  const filled = slot({ side: "sell", lower: d("100"), upper: d("125"), base: d("0.8"), cost: d("72") });

  it("is one whole order", () => {
    const after = drawing([lot("1", "90")]);
    expect(after.slots).toEqual([filled, slot({ index: 1 })]);
    expect(after.idle).toEqual([lot("0.2", "18")]);
    expect(drawing([lot("0.8", "72", true)])).toMatchObject({ idle: [], slots: [{ first: true }, {}] });
    expect(drawing([lot("1", "90")], { of: { ...empty, side: "buy" } }).slots[0]?.side).toBe("sell");
  });

  it.each([
    ["there is less than an order of it", [lot("0.79", "72")], {}],
    ["it holds something", [lot("1", "90")], { of: { ...empty, base: d("0.1") } }],
    ["no market takes so little", [lot("1", "90")], { at: market({ minNotional: d("101") }) }],
  ])("is zero where %s", (_, idle, over) => {
    const of = "of" in over ? over.of : empty;
    expect(drawing(idle, over).slots[0]).toEqual(of);
    expect(drawing(idle, over).idle).toEqual(idle);
  });

  it("is sold at a price that covers its cost and the higher fee, in whole ticks", () => {
    const at = (over: object, idle = [lot("0.8", "104")], config = CONFIG) =>
      drawing(idle, { at: market({ maker: 0n, taker: 0n, ...over }), config }).slots[0]?.sellAt;
    expect(at({})).toBe(d("130"));
    expect(at({ maker: d("0.01") })).toBe(d("131.32"));
    expect(at({ taker: d("0.01") })).toBe(d("131.32"));
    expect(at({}, [lot("0.8", "100")])).toBeUndefined();
    expect(at({}, [lot("0.8", "104")], { allowLoss: true } as GridConfig)).toBeUndefined();
  });

  it("goes to all selling slots, the lowest first", () => {
    const above = slot({ index: 0, side: "sell", upper: d("125") });
    const below = slot({ index: 1, side: "sell", upper: d("100") });
    const before = state([above, below, slot({ index: 2 })], { idle: [lot("1", "90")] });
    const after = drawAll(before, CONFIG, NO_FEES);
    expect(after.slots).toEqual([above, { ...below, base: d("1"), cost: d("90") }, slot({ index: 2 })]);
    const both = drawAll({ ...before, idle: [lot("2", "180")] }, CONFIG, NO_FEES);
    expect(both.slots.map(({ base }) => base)).toEqual([d("0.8"), d("1"), 0n]);
  });
});
