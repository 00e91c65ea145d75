import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { withMoved } from "../../src/engine/decide/advance.ts";
import { unexplainedAssets } from "../../src/engine/reconcile/books-check.ts";
import { withFeeValues } from "../../src/engine/reconcile/fee-values.ts";
import { movementsOf } from "../../src/engine/reconcile/reconcile.ts";
import { bookEnd, bookFill, costInAll, profitOf, unsoldBase } from "../../src/grid/booking.ts";
import { gridKind } from "../../src/grid/kind.ts";
import { giveFirstBase } from "../../src/grid/ladder/levels.ts";
import type { GridState } from "../../src/grid/state/state.ts";
import { encode } from "../../src/kernel/codec.ts";
import { type Decimal, div, max, mul, ONE, roundToStep } from "../../src/kernel/decimal.ts";
import type { Fill } from "../../src/model/order.ts";
import { d, market, slot, state } from "../support/grid.ts";

const SYMBOL = "BTC/USDT";
const RATE = d("0.001");
/** A third asset at this price: fees in it, and their worth, are exact. */
const GT = d("0.5");
type FeeIn = "base" | "quote" | "third" | "none";

interface Case {
  readonly feeIn: FeeIn;
  /** Of the orders, in turn: which slot acts, and into how many lots its first part falls. */
  readonly turns: readonly { readonly at: number; readonly part: number }[];
  readonly slots: number;
  readonly free: number;
  readonly mark: number;
}

const cases: fc.Arbitrary<Case> = fc.record({
  feeIn: fc.constantFrom<FeeIn>("base", "quote", "third", "none"),
  turns: fc.array(fc.record({ at: fc.nat(5), part: fc.nat(400) }), { maxLength: 10 }),
  slots: fc.integer({ min: 1, max: 6 }),
  free: fc.nat(3),
  mark: fc.integer({ min: 1, max: 20_000 }),
});

const LOT = market().lot;
const MIDS = new Map([["GT/USDT", GT]] as const);

/** One execution as a venue tells it, its fee exact. */
function fill(side: "buy" | "sell", price: Decimal, amount: Decimal, feeIn: FeeIn): Fill {
  const notional = mul(price, amount, "half");
  const inQuote = mul(notional, RATE, "half");
  const fees = {
    none: [],
    quote: [{ asset: "USDT", amount: inQuote }],
    base: [
      side === "buy"
        ? { asset: "BTC", amount: mul(amount, RATE, "half") }
        : { asset: "USDT", amount: inQuote },
    ],
    third: [{ asset: "GT", amount: div(inQuote, GT, "half") }],
  }[feeIn];
  const common = { account: "", symbol: SYMBOL, tradeId: "", clientId: "", strategy: "", at: 0 } as const;
  const one: Fill = { ...common, side, price, amount, notional, fees, superseded: false };
  return withFeeValues(one, { mids: MIDS, market: market() });
}

/** Plays the turns: each slot buys its size at its lower price, or sells all whole lots that it holds at its upper one. */
function play({ feeIn, turns, slots, free }: Case, { scale = 1n, whole = false } = {}) {
  const laid = Array.from({ length: slots }, (_, index) =>
    slot({
      index,
      lower: d(String(100 + 10 * index)) * scale,
      upper: d(String(110 + 10 * index)) * scale,
      size: d("200") * scale,
      side: index < slots - free ? "buy" : "sell",
    }),
  );
  let now: GridState = giveFirstBase(state(laid, { startPrice: d("105") * scale }), market(), d("100"));
  const fills: Fill[] = [];
  for (const { at, part } of turns) {
    const one = now.slots[at % slots];
    if (!one) continue;
    const [price, amount] =
      one.side === "buy" ? [one.lower, 2n * ONE] : [one.upper, roundToStep(unsoldBase(one), LOT, "down")];
    if (amount <= 0n) continue;
    const first = whole ? 0n : (BigInt(part) * LOT) % amount;
    for (const size of [first, amount - first].filter((one) => one > 0n)) {
      const executed = fill(one.side, price, size, feeIn);
      fills.push(executed);
      now = withMoved(bookFill(now, SYMBOL, executed, one.index), executed);
    }
    now = bookEnd(now, { side: one.side, slot: one.index, amount, booked: amount });
  }
  same(unexplainedAssets(gridKind, now, SYMBOL), {}, "unexplained");
  return { now, fills };
}

// As `expect` has it, at a hundredth of its cost: there are ten thousand cases each.
function same(result: unknown, expected: unknown, what: string): void {
  if (result === expected) return;
  if (encode(result) !== encode(expected))
    throw new Error(`${what}: ${encode(result)} is not ${encode(expected)}`);
}

const sumOf = (fills: readonly Fill[], asset: string): Decimal =>
  fills
    .flatMap((one) => movementsOf(SYMBOL, one))
    .reduce((total, move) => (move.asset === asset ? total + move.amount : total), 0n);

const RUNS = { numRuns: 1500 };
const PATIENCE = 180_000;

describe("the ledger of a grid, for any fills", () => {
  it(
    "changes equity by fills only, and splits it into realized and unrealized to the last unit",
    () => {
      fc.assert(
        fc.property(cases, (one) => {
          const { now, fills } = play(one);
          const { ledger } = now;
          const mark = d(String(one.mark)) / 100n;
          const { total, realized, unrealized, position, breakEvenPrice } = profitOf(now, mark);
          const third = fills.flatMap(({ fees }) => fees).filter(({ asset }) => asset === "GT");
          const worth = third.reduce((sum, { amount }) => sum + amount / 2n, 0n);

          same(position, ledger.firstBase + sumOf(fills, "BTC"), "position");
          same(total, sumOf(fills, "USDT") + mul(position, mark, "half") - ledger.firstCost - worth, "total");
          same(realized + unrealized, total, "realized + unrealized");
          same(
            ledger.quote + costInAll(now) - ledger.firstCost - ledger.feesValue,
            realized,
            "ledger.quote + costInAll(now) - ledger.f",
          );
          same(ledger.cash.GT ?? 0n, sumOf(fills, "GT"), "ledger.cash.GT ?? 0n");
          if (breakEvenPrice === null) return;
          const lacks = (ledger.firstCost + worth - ledger.quote) * ONE;
          const isLeast = breakEvenPrice * position >= lacks && (breakEvenPrice - 1n) * position < lacks;
          same(isLeast, true, "the break-even price is the least");
        }),
        RUNS,
      );
    },
    PATIENCE,
  );

  it(
    "does not depend on how an order's fills are split",
    () => {
      fc.assert(
        fc.property(cases, (one) => {
          const [parts, whole] = [play(one), play(one, { whole: true })];
          same(parts.now.ledger, whole.now.ledger, "parts.now.ledger");
          same(parts.now.slots, whole.now.slots, "parts.now.slots");
        }),
        RUNS,
      );
    },
    PATIENCE,
  );

  it(
    "scales with the price",
    () => {
      fc.assert(
        fc.property(cases, fc.integer({ min: 2, max: 50 }), (one, factor) => {
          const scale = BigInt(factor);
          const exact = { ...one, feeIn: one.feeIn === "base" ? ("quote" as const) : one.feeIn };
          const [small, large] = [play(exact).now.ledger, play(exact, { scale }).now.ledger];
          same(large.realized, small.realized * scale, "large.realized");
          same(large.quote, small.quote * scale, "large.quote");
          same(large.firstBase, small.firstBase, "large.firstBase");
          same(large.feesValue, small.feesValue * scale, "large.feesValue");
        }),
        RUNS,
      );
    },
    PATIENCE,
  );

  it(
    "is reduced once by the value of a fee in a third asset",
    () => {
      fc.assert(
        fc.property(cases, (one) => {
          const free = play({ ...one, feeIn: "none" }).now;
          const { now, fills } = play({ ...one, feeIn: "third" });
          const worth = fills.reduce((sum, { notional }) => sum + mul(notional, RATE, "half"), 0n);
          same(now.ledger.feesValue, worth, "now.ledger.feesValue");
          same(now.ledger.realized, free.ledger.realized - worth, "now.ledger.realized");
          same(now.ledger.quote, free.ledger.quote, "now.ledger.quote");
          same(now.slots, free.slots, "now.slots");
          same(profitOf(now, GT).total, profitOf(free, GT).total - worth, "profitOf(now, GT).total");
          same(unexplainedAssets(gridKind, now, SYMBOL), {}, "unexplainedAssets(gridKind, now, SYMBOL)");
        }),
        RUNS,
      );
    },
    PATIENCE,
  );
});

describe("a fee in a third asset", () => {
  const charged = (): Fill => {
    const { fees, ...rest } = fill("buy", d("100"), d("2"), "third");
    return { ...rest, fees: fees.map(({ asset, amount }) => ({ asset, amount })) };
  };

  it("is valued at the venue's mid", () => {
    const [fee] = withFeeValues(charged(), { mids: MIDS, market: market() }).fees;
    expect(fee).toEqual({ asset: "GT", amount: d("0.4"), value: d("0.2") });
  });

  it("is fee rate × notional when the venue reports no price, and is marked as an estimate", () => {
    const rate = max(market().maker, market().taker);
    const [fee] = withFeeValues(charged(), { mids: new Map(), market: market() }).fees;
    expect(fee).toEqual({
      asset: "GT",
      amount: d("0.4"),
      value: mul(d("200"), rate, "up"),
      isEstimated: true,
    });
    const booked = bookFill(
      state([slot()]),
      SYMBOL,
      withFeeValues(charged(), { mids: new Map(), market: market() }),
      0,
    );
    expect(booked.ledger).toMatchObject({
      feesEstimated: true,
      feesValue: d("0.2"),
      cash: { GT: -d("0.4") },
    });
  });
});
