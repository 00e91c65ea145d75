import { describe, expect, it } from "vitest";
import { text } from "../../../src/kernel/decimal.ts";
import { payoff } from "../../../src/web/start/payoff.ts";

const FEES = { makerPercent: 0.1, takerPercent: 0.2, assumed: null };
const order = (side: "buy" | "sell", price: string, amount: string, crosses = false) => ({
  id: `${side}-${price}`,
  side,
  price,
  amount,
  crosses,
});
const shown = (plan: Parameters<typeof payoff>[0]) =>
  payoff(plan).map(({ price, gross, net }) => [price, gross, net].map(text));

describe("the P&L of a plan by price", () => {
  it("counts the orders that fill on the way, the base of the sells, and the fees", () => {
    // One of the three that it sells is own base, worth 100 before.
    const orders = [order("buy", "101", "2", true), order("buy", "90", "1"), order("sell", "110", "3")];
    expect(shown({ price: "100", orders, fees: FEES })).toEqual([
      // 4 base for 292 quote and the own 100: 352 - 392
      ["88", "-40", "-40.494"],
      // 4 · 90 - 392; fees 202 · 0.2 % + 90 · 0.1 %
      ["90", "-32", "-32.494"],
      // 3 · 100 - 302
      ["100", "-2", "-2.404"],
      ["101", "1", "0.596"],
      // 330 - 302; fees 202 · 0.2 % + 330 · 0.1 %
      ["110", "28", "27.266"],
      ["112", "28", "27.266"],
    ]);
  });

  it("gains nothing above the price where only buys are open", () => {
    expect(shown({ price: "10", orders: [order("buy", "8", "5")], fees: FEES })).toEqual([
      ["7.8", "-1", "-1.04"],
      ["8", "0", "-0.04"],
      ["10", "0", "0"],
      ["10.2", "0", "0"],
    ]);
  });

  it("is unknown without a price, and without orders", () => {
    expect(payoff({ price: null, orders: [order("buy", "8", "5")], fees: FEES })).toEqual([]);
    expect(payoff({ price: "10", orders: [], fees: FEES })).toEqual([]);
  });
});
