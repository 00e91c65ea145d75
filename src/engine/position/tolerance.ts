/** Decides which orders can stay: each one saves two calls and keeps its queue position. */
import { abs, type Decimal, mul, ONE } from "../../kernel/decimal.ts";
import type { OrderTerms } from "../../model/order.ts";

export interface Tolerance {
  /** Maximum distance from the planned price, as a share of it. */
  readonly price: Decimal;
  /** Maximum deviation from the planned amount, as a share of it. */
  readonly amount: Decimal;
}

/** Returns whether an open order with `left` unfilled still matches this level. */
export const standsFor = (
  { side, price, left }: Pick<OrderTerms, "side" | "price"> & { readonly left: Decimal },
  wish: OrderTerms,
  tolerance: Tolerance,
): boolean =>
  side === wish.side &&
  abs(price - wish.price) <= mul(wish.price, tolerance.price, "down") &&
  left >= mul(wish.amount, tolerance.amount, "up") &&
  left <= mul(wish.amount, ONE + (ONE - tolerance.amount), "down");
