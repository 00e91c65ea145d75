import { type Decimal, min, snap, ZERO } from "../kernel/decimal.ts";
import type { Leg } from "./leg.ts";

/** A trade of one amount on two venues; all but the amount in quote. */
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
  /** What ends it: the next lot gains nothing, the amount that was asked for, or the end of a book. */
  readonly endsAt: "gain" | "amount" | "depth";
}

export interface Legs {
  readonly buy: Leg;
  readonly sell: Leg;
}

/** Buying and selling so much at once. */
export function executePair({ buy, sell }: Legs, amount: Decimal): PairTrade {
  const [bought, sold] = [buy.fill(amount), sell.fill(amount)];
  const fees = bought.fee + sold.fee;
  const [cost, proceeds] = [bought.notional, sold.notional];
  return { buy, sell, amount, cost, proceeds, fees, net: proceeds - cost - fees };
}

/**
 * The amount with the highest net, at most `most`: the last lot common to both venues that still gains. No lot
 * gains more than the one before it, so halving finds the last. Undefined when not even one gains.
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

/** All of an amount, down to the lot; undefined when a book has not so much or it is less than a lot. */
export function wholeExecution(legs: Legs, amount: Decimal): PairTrade | undefined {
  const whole = snap(amount, commonLot(legs), "down");
  if (whole === ZERO || whole > legs.buy.depth || whole > legs.sell.depth) return undefined;
  return executePair(legs, whole);
}

/** Both venues take it: neither one's least amount nor its least notional is above it. */
export const meetsBothMinimums = ({ buy, sell, amount, cost, proceeds }: PairTrade): boolean =>
  amount >= buy.minAmount &&
  amount >= sell.minAmount &&
  cost >= buy.minNotional &&
  proceeds >= sell.minNotional;

const commonLot = ({ buy, sell }: Legs): Decimal => (buy.lot / gcd(buy.lot, sell.lot)) * sell.lot;

const gcd = (a: bigint, b: bigint): bigint => (b === 0n ? a : gcd(b, a % b));
