import { describe, expect, it } from "vitest";
import { joinedLedgers, moveAt, replaySlot } from "../../../src/backtest/replayed-slot.ts";
import { NO_LEDGER, type Slot } from "../../../src/grid/state/state.ts";
import type { Market } from "../../../src/model/market.ts";
import { d, market, slot, state } from "../../support/grid.ts";

const MARKET = market({ tick: d("1"), lot: d("0.001"), maker: d("0.001"), taker: d("0.002") });
/** It buys 0.9 at 100 and sells them at 110. */
const BUYS = slot({ index: 4, lower: d("100"), upper: d("110"), size: d("90") });
const replayed = (count: number, of: Slot = BUYS, on: Partial<Market> = {}) =>
  replaySlot(state([slot({ index: 3 }), of]), 4, count, { ...MARKET, ...on });

describe("the fills of a slot", () => {
  it("come to the sums of its buys and sells", () => {
    // A buy costs 90 and 0.09, a sell brings 99 less 0.099, and a cycle earns 8.811.
    const { slot: after, ledger, moves } = replayed(3);
    expect(ledger).toEqual({
      ...NO_LEDGER,
      quote: d("-81.279"),
      realized: d("8.811"),
      fees: { USDT: d("0.279") },
      cycles: 1,
      filledOrders: 3,
      moved: { BTC: d("0.9"), USDT: d("-81.279") },
    });
    expect(after).toMatchObject({ index: 4, side: "sell", base: d("0.9"), cost: d("90.09"), cycles: 1 });
    expect(moves).toEqual([
      { amount: d("0.9"), cash: -90.09, base: 0.9 },
      { amount: d("0.9"), cash: 98.901, base: -0.9 },
      { amount: d("0.9"), cash: -90.09, base: 0.9 },
    ]);
  });

  it.each([
    // Cycles repeat, and are multiplied.
    [8, "35.244", 4, "0", "buy"],
    [9, "-54.846", 4, "0.9", "sell"],
    [10, "44.055", 5, "0", "buy"],
    [1000, "4405.5", 500, "0", "buy"],
    [1001, "4315.41", 500, "0.9", "sell"],
  ])("are the same however often they repeat: %d", (count, quote, cycles, base, side) => {
    const { slot: after, ledger, moves } = replayed(count);
    expect(ledger).toMatchObject({
      quote: d(quote),
      cycles,
      filledOrders: count,
      realized: d("8.811") * BigInt(cycles),
      fees: { USDT: d("0.189") * BigInt(cycles) + (side === "sell" ? d("0.09") : 0n) },
      moved: { USDT: d(quote), BTC: d(base) },
    });
    expect(after).toMatchObject({ side, base: d(base), cycles });
    expect([moves.length < 8, moveAt({ slot: after, ledger, moves }, count - 1)]).toEqual([
      true,
      side === "buy"
        ? { amount: d("0.9"), cash: 98.901, base: -0.9 }
        : { amount: d("0.9"), cash: -90.09, base: 0.9 },
    ]);
  });

  it("begin with a sale of what it has, at its price", () => {
    // 0.8 base for 80 are sold for 88 less 0.088.
    const holding = { ...BUYS, side: "sell" as const, base: d("0.8"), cost: d("80"), first: true };
    const { ledger, moves } = replayed(2, holding);
    expect(ledger).toMatchObject({ quote: d("-2.178"), realized: d("7.912"), filledOrders: 2 });
    expect(moves[0]).toEqual({ amount: d("0.8"), cash: 87.912, base: -0.8 });
    const above = replayed(1, { ...holding, sellAt: d("120") });
    expect(above.ledger.quote).toBe(d("95.904"));
  });

  it("keep the dust of fees in base, and sell it once it is a lot", () => {
    // Each buy gets 0.8991 base, of which 0.899 are sold for 98.89 less 0.09889.
    const inBase = { buyFeeIn: "base" as const };
    expect(replayed(4, BUYS, inBase).ledger).toMatchObject({
      quote: d("17.58222"),
      fees: { BTC: d("0.0018"), USDT: d("0.19778") },
      cycles: 2,
      moved: { BTC: d("0.0002") },
    });
    // After ten buys a thousandth is left, and the tenth sale is of 0.9: 99 less 0.099.
    const ten = replayed(20, BUYS, inBase);
    expect([ten.ledger.quote, ten.ledger.moved.BTC]).toEqual([d("88.02099"), 0n]);
  });

  it("have no fee where the exchange takes none", () => {
    expect(replayed(2, BUYS, { maker: 0n }).ledger).toMatchObject({ quote: d("9"), fees: {} });
  });
});

it("ledgers of slots add up", () => {
  const one = {
    ...NO_LEDGER,
    quote: 1n,
    realized: 2n,
    fees: { A: 3n },
    moved: { B: 4n },
    filledOrders: 5,
    cycles: 6,
  };
  const other = {
    ...one,
    quote: 10n,
    realized: 20n,
    fees: { A: 30n, C: 1n },
    moved: { B: 40n },
    filledOrders: 50,
  };
  expect(joinedLedgers({ ...one, firstBase: 7n }, { ...other, firstBase: 9n, cycles: 60 })).toEqual({
    ...NO_LEDGER,
    quote: 11n,
    realized: 22n,
    fees: { A: 33n, C: 1n },
    moved: { B: 44n },
    filledOrders: 55,
    cycles: 66,
    firstBase: 7n,
  });
});
