import { type Decimal, div, max, mul, snap } from "../kernel/decimal.ts";
import type { Market } from "./market.ts";

/** Returns whether the exchange accepts an order of this amount (base) at this price (quote). */
export const meetsMinimum = (market: Market, price: Decimal, amount: Decimal): boolean =>
  amount >= market.minAmount && amount > 0n && mul(price, amount, "down") >= market.minNotional;

/** Returns the smallest amount, in whole lots, that the exchange accepts at this price. */
export const leastAmount = ({ minAmount, minNotional, lot }: Market, price: Decimal): Decimal =>
  max(lot, snap(max(minAmount, div(minNotional, price, "up")), lot, "up"));

/** Returns how much base a quote amount buys at a price, in whole lots. */
export const lotsFor = ({ lot }: Market, quote: Decimal, price: Decimal): Decimal =>
  snap(div(quote, price, "down"), lot, "down");
