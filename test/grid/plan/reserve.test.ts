import { describe, expect, it } from "vitest";
import { reserveOf } from "../../../src/grid/plan/next-orders.ts";
import type { GridConfig, GridState, GridStrategy } from "../../../src/grid/state/state.ts";
import type { Order } from "../../../src/model/order.ts";
import { d, market, slot, state } from "../../support/grid.ts";
import { idOf, order, strategy } from "../../support/made.ts";

/** Levels 100, 110, 120. A fee of 10 % in quote, 20 % where it takes. */
const CONFIG = {
  lowerPrice: d("100"),
  upperPrice: d("120"),
  gridLevels: 2,
  gridSpacing: d("10"),
  orderSize: d("100"),
} as unknown as GridConfig;
const MARKET = market({ maker: d("0.1"), taker: d("0.2") });
const BUYS = slot();
const SELLS = slot({ index: 1, lower: d("110"), upper: d("120"), side: "sell" });
const HOLDS = { ...SELLS, base: d("0.5"), cost: d("40"), sold: d("0.1") };

const grid = (slots: GridState["slots"], over: object = {}, of: Partial<GridState> = {}) =>
  strategy({ config: CONFIG, ...over, state: state(slots, of) }) as GridStrategy;
const reserve = (one: GridStrategy, orders: readonly Order[] = [], of = MARKET) => {
  const { quote, base } = reserveOf(one, orders, of);
  return [quote, base];
};

describe("the free balance that a grid needs", () => {
  it("is each slot's size with its fee, minus what it has spent or will receive", () => {
    expect(reserve(grid([BUYS]))).toEqual([d("120"), 0n]);
    expect(reserve(grid([{ ...BUYS, bought: d("0.5") }]))).toEqual([d("70"), 0n]);
    // 0.4 at 120 less a fifth is 38.4; 0.4 at 200 is 64; more than its size is not counted twice.
    expect(reserve(grid([HOLDS]))).toEqual([d("81.6"), d("0.4")]);
    expect(reserve(grid([{ ...HOLDS, sellAt: d("200") }]))).toEqual([d("56"), d("0.4")]);
    expect(reserve(grid([{ ...HOLDS, sellAt: d("2000") }, BUYS]))).toEqual([d("120"), d("0.4")]);
    expect(reserve(grid([BUYS]), [], { ...MARKET, buyFeeIn: "base" })).toEqual([d("100"), 0n]);
  });

  it("is reduced by what its orders lock, and never below zero", () => {
    const buy = order({ price: d("100"), amount: d("0.5") });
    const sell = order({ side: "sell", slot: 1, clientId: idOf({ slot: 1 }), amount: d("0.3") });
    expect(reserve(grid([BUYS, HOLDS]), [buy, sell])).toEqual([d("141.6"), d("0.1")]);
    const all = { ...buy, amount: d("99") };
    expect(reserve(grid([BUYS, HOLDS]), [all, { ...sell, amount: d("9") }])).toEqual([0n, 0n]);
    expect(reserveOf(grid([BUYS, HOLDS]), [buy, sell], MARKET).locked).toEqual({
      quote: d("60"),
      base: d("0.3"),
    });
  });

  it("includes the account's base while it starts, unless it is set to take none", () => {
    const starting = { phase: "starting" };
    const expected = d("0.83333");
    expect(reserve(grid([SELLS], starting))[1]).toBe(expected);
    expect(reserve(grid([SELLS]))[1]).toBe(0n);
    const none = { ...CONFIG, useOwnBase: false };
    expect(reserve(grid([SELLS], { ...starting, config: none }))[1]).toBe(0n);
    expect(reserve(grid([SELLS], { ...starting, config: { ...CONFIG, useOwnBase: true } }))[1]).toBe(
      expected,
    );
  });

  it("is zero once it has stopped, and only what it sells while it exits", () => {
    const shares = { maxPosition: d("0.5"), safetyReserve: d("0.1") };
    const config = { ...CONFIG, ...shares };
    expect(reserveOf(grid([BUYS, HOLDS], { status: "stopped", config }), [], MARKET)).toEqual({
      quote: 0n,
      base: 0n,
      locked: { quote: 0n, base: 0n },
    });
    const left = { quote: 0n, base: d("0.4"), ...shares };
    expect(reserveOf(grid([BUYS, HOLDS], { wants: "stop", config }), [], MARKET)).toMatchObject(left);
    const exit = { reason: "stop_loss", tries: 0 } as unknown as GridState["exit"];
    expect(reserveOf(grid([BUYS, HOLDS], { config }, { exit }), [], MARKET)).toMatchObject(left);
    expect(reserveOf(grid([BUYS, HOLDS], { config }), [], MARKET)).toMatchObject({
      ...shares,
      quote: d("201.6"),
    });
  });

  it("covers all slots of a grid around the market, whatever they hold", () => {
    expect(reserve(grid([BUYS, HOLDS], { config: { ...CONFIG, centered: {} } }))).toEqual([
      d("240"),
      d("0.4"),
    ]);
  });

  it("covers every slot that a following grid can reach, minus what was spent", () => {
    const following = (trail: object) => ({ config: { ...CONFIG, trail } });
    expect(reserve(grid([BUYS, SELLS], following({ down: d("80") })))[0]).toBe(d("480"));
    expect(reserve(grid([BUYS, HOLDS], following({ down: d("80") })))[0]).toBe(d("448"));
    // What its sells bring counts only while it stays where it is.
    expect(reserve(grid([BUYS, { ...HOLDS, cost: d("400") }], following({ down: d("99") })))[0]).toBe(
      d("201.6"),
    );
  });
});
