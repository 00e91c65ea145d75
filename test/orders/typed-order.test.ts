import { describe, expect, it } from "vitest";
import { text } from "../../src/kernel/decimal.ts";
import { planTyped, restingPrice, type TypedOrder } from "../../src/orders/typed-order.ts";

const level = (price: number, amount: number) => ({ price, amount });
const BOOK = { bids: [level(99, 1), level(98, 2)], asks: [level(100, 1), level(101, 2)], timestamp: 0 };
const AROUND = {
  exchange: "kraken",
  symbol: "BTC/USDT" as const,
  book: BOOK,
  fees: { makerPercent: 0.1, takerPercent: 0.2, assumed: null },
  free: { base: "2", quote: "501" },
  killed: false,
  open: [],
};
const TYPED: TypedOrder = {
  side: "buy",
  type: "limit",
  price: "90",
  amount: "1",
  unit: "base",
  postOnly: false,
};

const plan = (typed: Partial<TypedOrder>, around: Partial<Parameters<typeof planTyped>[1]> = {}) => {
  const planned = planTyped({ ...TYPED, ...typed }, { ...AROUND, ...around });
  if (!planned) throw new Error("nothing is planned");
  return { amount: text(planned.order.amount), ...planned.preview };
};

describe("an order from what a person types", () => {
  it.each<[string, Partial<TypedOrder>, string]>([
    ["base as it is typed", {}, "1"],
    ["quote at the limit price", { unit: "quote", amount: "45" }, "0.5"],
    ["quote at the market, level by level", { type: "market", unit: "quote", amount: "201" }, "2"],
    ["quote of a sell at the market", { type: "market", side: "sell", unit: "quote", amount: "148" }, "1.5"],
    ["quote beyond the book at its worst price", { type: "market", unit: "quote", amount: "403" }, "4"],
    ["a share of the free base of a sell", { side: "sell", unit: "percent", amount: "25" }, "0.5"],
    [
      "a share of the free quote of a buy, without its fee",
      { price: "100", unit: "percent", amount: "100" },
      "5",
    ],
  ])("has its amount in %s", (_, typed, amount) => {
    expect(plan(typed).amount).toBe(amount);
  });

  it.each([
    { amount: "" },
    { amount: "0" },
    { amount: "-1" },
    { amount: "1,5" },
    { price: "" },
    { price: "0" },
  ])("is not planned with %j", (typed) => {
    expect(planTyped({ ...TYPED, ...typed }, AROUND)).toBeUndefined();
  });

  it("reports what fills at once, what it pays and the fee at the highest rate", () => {
    const { what, cost } = plan({ price: "100", amount: "3" });
    expect(what).toBe("buy 3 BTC at 100 USDT on kraken (limit order)");
    expect(cost).toBe(
      "300 USDT and a fee of at most 0.6 USDT; at once 1 BTC for 100 USDT, at 100 on average and 100 at worst, in the current order book, and not the other 2 BTC",
    );
  });

  it("counts a level whose price has more digits than a decimal", () => {
    // The shortest text of this number has 21 decimals.
    const book = { ...BOOK, asks: [level(0.000012345678901234568, 1e6)] };
    const { cost } = plan({ type: "market", unit: "quote", amount: "10" }, { book });
    expect(cost).toContain("and 0.000012345678901235 at worst");
  });

  it("reports a lack of funds, the kill switch, an own order that it meets, and assumed fees", () => {
    const open = [{ id: "A1", side: "sell" as const, price: 100, amount: 1, filled: 0 }];
    const fees = { ...AROUND.fees, assumed: "2026-01-01" };
    const { limits } = plan({ price: "100", amount: "6" }, { open, killed: true, fees });
    expect(limits).toEqual([
      "free balance: 501 USDT, lacks 100.2 USDT: the exchange would refuse it",
      "maker fee 0.1 %, taker fee 0.2 %, assumed: published rate of 2026-01-01",
      "the kill switch is on: it would be refused",
      "it could fill against your own order A1 (sell 1 of BTC/USDT at 100): it would be refused",
    ]);
    expect(plan({ price: "99", amount: "1" }, { open }).limits).toEqual([
      "free balance: 501 USDT, covers it",
    ]);
  });

  it("begins at the best price that fills nothing at once", () => {
    expect([restingPrice("buy", BOOK), restingPrice("sell", BOOK)]).toEqual(["99", "100"]);
  });
});
