/** Decides whether a plan that a person has seen is still valid. */
import { abs, type Decimal, mul, ONE, parseDecimal, text } from "../kernel/decimal.ts";
import { noLongerHolds } from "../kernel/errors.ts";
import { hashDigits } from "../kernel/hash.ts";
import type { Side } from "./market.ts";

export interface ApprovedPlan {
  /**
   * What a person approves: the place, the settings with budget or sizes, and the sides and number of the orders. Not
   * the prices of orders that follow the market.
   */
  readonly approved: unknown;
  /** Market price for which the plan is made; null if it is unknown, or if the plan does not depend on it. */
  readonly price: Decimal | null;
}

/** The plan as it is now. */
export interface CurrentPlan extends ApprovedPlan {
  /** Sides of the orders that fill at once. */
  readonly takes?: readonly Side[];
  /** Prices on whose other side the plan is a different one. */
  readonly edges?: readonly (Decimal | undefined)[];
}

/** Maximum change of the price since the plan, as a share of it: in general, and to the cost of orders that fill at once. */
const MAX_PRICE_SHIFT = (3n * ONE) / 100n;
const MAX_COST_SHIFT = ONE / 100n;

/** Returns the `planHash`: 32 digits, and the price after a dash. */
export const planHashOf = ({ approved, price }: ApprovedPlan): string =>
  price === null ? hashDigits([approved]) : `${hashDigits([approved, price])}-${text(price)}`;

/** Returns the market price of a shown plan. */
export const priceOfPlan = (planHash: string | undefined): Decimal | undefined =>
  parseDecimal(planHash?.split("-")[1] ?? "");

/** Throws if the plan of this hash is outdated. Without a hash, every plan is accepted. */
export function checkHolds(plan: CurrentPlan, planHash: string | undefined): void {
  if (planHash !== undefined && !holds(plan, planHash)) throw noLongerHolds();
}

/**
 * Returns whether a shown plan still holds: it approves the same action, the price has moved by at most 3 %, or by 1 %
 * to the cost of orders that fill at once, and it is on the same side of each edge.
 */
export function holds({ approved, price, takes = [], edges = [] }: CurrentPlan, planHash: string): boolean {
  const before = priceOfPlan(planHash) ?? null;
  if (planHash !== planHashOf({ approved, price: before })) return false;
  if (before === null || price === null) return before === price;
  const isRise = price > before;
  const most = takes.includes(isRise ? "buy" : "sell") ? MAX_COST_SHIFT : MAX_PRICE_SHIFT;
  return (
    abs(price - before) <= mul(before, most, "down") &&
    edges.every((edge) => edge === undefined || price < edge === before < edge)
  );
}
