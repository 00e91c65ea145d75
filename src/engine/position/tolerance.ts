/** Which orders may stay: each that is kept saves two calls, and its place in the queue. */
import { abs, type Decimal, mul, ONE } from "../../kernel/decimal.ts";
import type { OrderWish } from "./place.ts";

export interface Tolerance {
  /** A price may lie so far from the wanted one, as a share of it. */
  readonly price: Decimal;
  /** Of the wanted amount so much has to rest, as a share; and no more than as much above it. */
  readonly amount: Decimal;
}

/** Whether an order that rests, `left` of it not filled, still does what this level asks. */
export const standsFor = (
  { side, price, left }: Pick<OrderWish, "side" | "price"> & { readonly left: Decimal },
  wanted: OrderWish,
  tolerance: Tolerance,
): boolean =>
  side === wanted.side &&
  abs(price - wanted.price) <= mul(wanted.price, tolerance.price, "down") &&
  left >= mul(wanted.amount, tolerance.amount, "up") &&
  left <= mul(wanted.amount, ONE + (ONE - tolerance.amount), "down");
