import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bookEnd, bookFill, costOf, profitOf, unsoldBase } from "../../../src/grid/booking.ts";
import type { GridState } from "../../../src/grid/state/state.ts";
import { type Decimal, mul, ONE, text, ZERO } from "../../../src/kernel/decimal.ts";
import { d, slot, state } from "../../support/grid.ts";

const LOT = d("0.001");

interface Trade {
  readonly side: "buy" | "sell";
  readonly price: Decimal;
  readonly amount: Decimal;
  readonly fees: readonly { readonly asset: string; readonly amount: Decimal }[];
}

const notional = ({ price, amount }: Trade) => mul(price, amount, "half");
const book = (grid: GridState, trade: Trade) =>
  bookFill(grid, "BTC/USDT", { ...trade, notional: notional(trade) }, 0);
const fee = (trade: Omit<Trade, "fees">, rate: Decimal, asset: "BTC" | "USDT"): Trade => ({
  ...trade,
  fees: [
    {
      asset,
      amount: mul(asset === "BTC" ? trade.amount : mul(trade.price, trade.amount, "half"), rate, "up"),
    },
  ],
});

/** Whole cycles of one slot, each order in up to three parts. */
const paths = fc.array(
  fc.record({
    buyAt: fc.integer({ min: 90_00, max: 110_00 }),
    sellAt: fc.integer({ min: 90_00, max: 110_00 }),
    lots: fc.integer({ min: 1, max: 1_000_000 }),
    parts: fc.tuple(fc.integer({ min: 0, max: 100 }), fc.integer({ min: 0, max: 100 })),
  }),
  { minLength: 1, maxLength: 6 },
);
const cents = (count: number) => BigInt(count) * d("0.01");

function inParts(amount: Decimal, [first, second]: readonly [number, number]): Decimal[] {
  const a = (amount * BigInt(first)) / 100n;
  const b = ((amount - a) * BigInt(second)) / 100n;
  return [a, b, amount - a - b].filter((part) => part > ZERO);
}

function run(
  path: readonly { buyAt: number; sellAt: number; lots: number; parts: readonly [number, number] }[],
  feeIn: "BTC" | "USDT",
  split: boolean,
) {
  let grid = state([slot()]);
  let [quote, base] = [ZERO, ZERO];
  const trade = (one: Trade) => {
    grid = book(grid, one);
    const sign = one.side === "buy" ? 1n : -1n;
    base += sign * one.amount;
    quote -= sign * notional(one);
    for (const { asset, amount } of one.fees) {
      if (asset === "BTC") base -= amount;
      else quote -= amount;
    }
  };
  for (const { buyAt, sellAt, lots, parts } of path) {
    const amount = BigInt(lots) * LOT;
    const buy = { side: "buy" as const, price: cents(buyAt) };
    for (const part of split ? inParts(amount, parts) : [amount])
      trade(fee({ ...buy, amount: part }, d("0.001"), feeIn));
    grid = bookEnd(grid, { side: "buy", slot: 0, amount, booked: amount });
    const sellable = (unsoldBase(grid.slots[0] as never) / LOT) * LOT;
    const sell = { side: "sell" as const, price: cents(sellAt) };
    for (const part of split ? inParts(sellable, parts) : [sellable])
      trade(fee({ ...sell, amount: part }, d("0.001"), "USDT"));
    grid = bookEnd(grid, { side: "sell", slot: 0, amount: sellable, booked: sellable });
  }
  return { grid, quote, base };
}

describe("the ledger", () => {
  it("reports what fills moved, with realized + unrealized = total to the last unit", () => {
    fc.assert(
      fc.property(
        paths,
        fc.constantFrom("BTC" as const, "USDT" as const),
        fc.integer({ min: 1, max: 20_000 }),
        (path, feeIn, mark) => {
          const { grid, quote, base } = run(path, feeIn, true);
          const profit = profitOf(grid, cents(mark));
          expect(grid.ledger.quote).toBe(quote);
          expect(profit.position).toBe(base);
          expect(profit.total).toBe(quote + mul(base, cents(mark), "half"));
          expect(profit.realized + profit.unrealized).toBe(profit.total);
          expect(profit.total).toBe(profit.realized + mul(base, cents(mark), "half") - profit.cost);
        },
      ),
      { numRuns: 2000 },
    );
  });

  it("is the same for one fill or several partial fills while fees are exact", () => {
    fc.assert(
      fc.property(paths, (path) => {
        const whole = run(path, "USDT", false).grid;
        const parts = run(path, "USDT", true).grid;
        expect(parts.ledger.realized).toBe(whole.ledger.realized);
        expect(parts.slots.map(costOf)).toEqual(whole.slots.map(costOf));
      }),
      { numRuns: 2000 },
    );
  });

  it("counts a cycle for the sell of bought base, but not for the sell of first base", () => {
    const full = state([slot({ side: "sell", base: ONE, cost: d("105"), first: true })]);
    const trade = (side: "buy" | "sell", price: string): Trade => ({
      side,
      price: d(price),
      amount: ONE,
      fees: [],
    });
    const end = (grid: GridState, side: "buy" | "sell") =>
      bookEnd(grid, { side, slot: 0, amount: ONE, booked: ONE });
    const sold = end(book(full, trade("sell", "110")), "sell");
    expect([sold.ledger.cycles, text(sold.ledger.realized)]).toEqual([0, "5"]);
    const bought = end(book(sold, trade("buy", "100")), "buy");
    const again = end(book(bought, trade("sell", "110")), "sell");
    expect([again.ledger.cycles, text(again.ledger.realized), again.ledger.filledOrders]).toEqual([
      1,
      "15",
      3,
    ]);
  });

  it("leaves a slot on its side when its order ends partially filled", () => {
    const half = book(state([slot()]), { side: "buy", price: d("100"), amount: ONE / 2n, fees: [] });
    const ended = bookEnd(half, { side: "buy", slot: 0, amount: ONE, booked: ONE / 2n });
    expect(ended.slots[0]).toMatchObject({ side: "buy", bought: ONE / 2n, base: ONE / 2n });
    expect(ended.ledger.filledOrders).toBe(0);
  });

  it("leaves the amount below the lot size on the slot, at its share of the cost", () => {
    const position = state([slot({ side: "sell", base: d("0.0095"), cost: d("0.95") })]);
    const sold = bookEnd(book(position, { side: "sell", price: d("110"), amount: d("0.009"), fees: [] }), {
      side: "sell",
      slot: 0,
      amount: d("0.009"),
      booked: d("0.009"),
    });
    expect(sold.slots.map((one) => [text(one.base), text(one.cost), one.side])).toEqual([
      ["0.0005", "0.05", "buy"],
    ]);
    expect(text(sold.ledger.realized)).toBe("0.09");
  });
});
