import { type Decimal, div, max, mul, snap } from "../kernel/decimal.ts";
import type { Market } from "./market.ts";

/** Whether a venue takes an order of this amount (base) at this price (quote). */
export const meetsMinimum = (market: Market, price: Decimal, amount: Decimal): boolean =>
  amount >= market.minAmount && amount > 0n && mul(price, amount, "down") >= market.minNotional;

/** The least amount, in whole lots, that the venue takes at this price. */
export const leastAmount = ({ minAmount, minNotional, lot }: Market, price: Decimal): Decimal =>
  max(lot, snap(max(minAmount, div(minNotional, price, "up")), lot, "up"));

/** What so much quote buys at a price, in whole lots. */
export const lotsFor = ({ lot }: Market, quote: Decimal, price: Decimal): Decimal =>
  snap(div(quote, price, "down"), lot, "down");
