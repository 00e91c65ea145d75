import { type Decimal, min, snap, ZERO } from "../kernel/decimal.ts";
import type { Leg } from "./leg.ts";

/** A trade of one amount on two venues; all values except the amount in quote. */
export interface PairTrade {
  readonly buy: Leg;
  readonly sell: Leg;
  readonly amount: Decimal;
  readonly cost: Decimal;
  readonly proceeds: Decimal;
  readonly fees: Decimal;
  /** proceeds − cost − fees */
  readonly net: Decimal;
}

export interface Opportunity extends PairTrade {
  /** What limits it: the next lot earns nothing, the requested amount, or the end of a book. */
  readonly endsAt: "gain" | "amount" | "depth";
}

export interface Legs {
  readonly buy: Leg;
  readonly sell: Leg;
}

/** Executes a buy and a sell of this amount at once. */
export function executePair({ buy, sell }: Legs, amount: Decimal): PairTrade {
  const [bought, sold] = [buy.fill(amount), sell.fill(amount)];
  const fees = bought.fee + sold.fee;
  const [cost, proceeds] = [bought.notional, sold.notional];
  return { buy, sell, amount, cost, proceeds, fees, net: proceeds - cost - fees };
}

/**
 * Returns the amount with the highest net profit, at most `most`: the last lot common to both venues that still
 * earns. No lot earns more than the one before it, so bisection finds it. Undefined if no lot earns anything.
 */
export function bestExecution(legs: Legs, most?: Decimal): Opportunity | undefined {
  const lot = commonLot(legs);
  const depth = min(legs.buy.depth, legs.sell.depth);
  const bound = most === undefined ? depth : min(depth, most);
  const netOf = (lots: bigint): Decimal => executePair(legs, lots * lot).net;
  const whole = bound / lot;
  if (whole === 0n || netOf(1n) <= ZERO) return undefined;
  let [gains, fails] = [1n, whole + 1n];
  while (fails - gains > 1n) {
    const middle = (gains + fails) / 2n;
    if (netOf(middle) > netOf(middle - 1n)) gains = middle;
    else fails = middle;
  }
  const endsAt = gains < whole ? "gain" : bound < depth ? "amount" : "depth";
  return { ...executePair(legs, gains * lot), endsAt };
}

/**
 * Executes the whole amount, rounded down to the lot; undefined if a book lacks the depth or the amount is below one
 * lot.
 */
export function wholeExecution(legs: Legs, amount: Decimal): PairTrade | undefined {
  const whole = snap(amount, commonLot(legs), "down");
  if (whole === ZERO || whole > legs.buy.depth || whole > legs.sell.depth) return undefined;
  return executePair(legs, whole);
}

/** Returns whether the amount meets the minimum amount and notional of both venues. */
export const meetsBothMinimums = ({ buy, sell, amount, cost, proceeds }: PairTrade): boolean =>
  amount >= buy.minAmount &&
  amount >= sell.minAmount &&
  cost >= buy.minNotional &&
  proceeds >= sell.minNotional;

const commonLot = ({ buy, sell }: Legs): Decimal => (buy.lot / gcd(buy.lot, sell.lot)) * sell.lot;

const gcd = (a: bigint, b: bigint): bigint => (b === 0n ? a : gcd(b, a % b));
