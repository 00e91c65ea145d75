/** Decides which orders can stay: each one saves two calls and keeps its queue position. */
import { abs, type Decimal, mul, ONE } from "../../kernel/decimal.ts";
import type { OrderWish } from "./place.ts";

export interface Tolerance {
  /** Maximum distance from the planned price, as a share of it. */
  readonly price: Decimal;
  /** Maximum deviation from the planned amount, as a share of it. */
  readonly amount: Decimal;
}

/** Returns whether an open order with `left` unfilled still matches this level. */
export const standsFor = (
  { side, price, left }: Pick<OrderWish, "side" | "price"> & { readonly left: Decimal },
  wanted: OrderWish,
  tolerance: Tolerance,
): boolean =>
  side === wanted.side &&
  abs(price - wanted.price) <= mul(wanted.price, tolerance.price, "down") &&
  left >= mul(wanted.amount, tolerance.amount, "up") &&
  left <= mul(wanted.amount, ONE + (ONE - tolerance.amount), "down");
