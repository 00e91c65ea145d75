/**
 * What a fill earned, per unit of base, in quote. The literature measures a trade from the side of its taker: direction
 * D (+1 buys, −1 sells), price p, mid m at the trade, and a later mid m′. A strategy's order is the other side of that
 * trade and earns what the taker pays; an own taker order therefore has negative spreads.
 *
 * Source: R. D. Huang and H. R. Stoll, "Dealer versus auction markets: A paired comparison of execution costs on NASDAQ
 * and the NYSE", Journal of Financial Economics 41 (1996) 313–357. They value the realized half-spread at a later trade
 * price; here, as in later work, at a later mid.
 */
import { type Decimal, ONE } from "../kernel/decimal.ts";
import type { Fill } from "../model/fill.ts";

type PricedFill = Pick<Fill, "side" | "price">;

/** Returns −D: +1 for an own buy, which gains when the price rises. */
const signOf = ({ side }: Pick<Fill, "side">): bigint => (side === "buy" ? 1n : -1n);

/** Returns the effective half-spread D · (p − m), half of the effective spread: what the fill earned against the mid then. */
export const effectiveHalfSpread = (fill: PricedFill, mid: Decimal): Decimal =>
  signOf(fill) * (mid - fill.price);

/** Returns the realized half-spread D · (p − m′): half of the realized spread, against a later mid. It is the markout. */
export const markoutOf = (fill: PricedFill, later: Decimal): Decimal => signOf(fill) * (later - fill.price);

/** Returns the price impact D · (m′ − m): how far the mid moved against the fill. Effective = realized + impact. */
export const priceImpact = (
  fill: Pick<Fill, "side">,
  { mid, later }: { readonly mid: Decimal; readonly later: Decimal },
): Decimal => signOf(fill) * (mid - later);

/** Returns whether the mid moved against the fill by more than its half-spread, so that it lost money. */
export const isToxic = (fill: PricedFill, later: Decimal): boolean => markoutOf(fill, later) < 0n;

/** A sum of products of two decimals without rounding: a whole count of 1e-36. */
export type ExactSum = bigint;

/** Returns what the whole fill earned against a mid, in quote: half-spread × amount. */
export const earnedAgainst = (fill: Pick<Fill, "side" | "amount" | "notional">, mid: Decimal): ExactSum =>
  signOf(fill) * (mid * fill.amount - fill.notional * ONE);
