/**
 * What a fill earned, in quote. The literature measures a trade from the side of its taker: direction D (+1 buys, −1
 * sells), price p, mid m at the trade, and a later mid m′. A strategy's order is the other side of that trade and earns
 * what the taker pays; an own taker order therefore has negative spreads.
 *
 * Source: R. D. Huang and H. R. Stoll, "Dealer versus auction markets: A paired comparison of execution costs on NASDAQ
 * and the NYSE", Journal of Financial Economics 41 (1996) 313–357. They value the realized half-spread at a later trade
 * price; here, as in later work, at a later mid.
 */
import { type Decimal, ONE } from "../kernel/decimal.ts";
import type { Fill } from "./fill.ts";

/** A sum of products of two decimals without rounding: a whole count of 1e-36. */
export type ExactSum = bigint;

/** Returns −D: +1 for an own buy, which gains when the price rises. */
const signOf = ({ side }: Pick<Fill, "side">): bigint => (side === "buy" ? 1n : -1n);

/**
 * Returns what the whole fill earned against a mid: D · (p − m) × amount. Against the mid at the fill it is half of the
 * effective spread; against a later mid it is half of the realized spread, the markout.
 */
export const earnedAgainst = (fill: Pick<Fill, "side" | "amount" | "notional">, mid: Decimal): ExactSum =>
  signOf(fill) * (mid * fill.amount - fill.notional * ONE);

/**
 * Returns the price impact on the whole fill: D · (m′ − m) × amount, how far the mid moved against it. Effective =
 * realized + impact.
 */
export const impactOn = (
  fill: Pick<Fill, "side" | "amount">,
  { mid, later }: { readonly mid: Decimal; readonly later: Decimal },
): ExactSum => signOf(fill) * (mid - later) * fill.amount;

/** Returns whether the mid moved against the fill by more than its half-spread, so that it lost money. */
export const isToxic = (fill: Pick<Fill, "side" | "price">, later: Decimal): boolean =>
  signOf(fill) * (later - fill.price) < 0n;
