/** Computes the reservation price: the reference price adjusted for inventory. */
import { abs, type Decimal, div, max, min, mul, ONE, ZERO } from "../kernel/decimal.ts";

/** Returns base's share of the inventory's value; null if the inventory is worth nothing. */
export function shareOfBase(base: Decimal, quote: Decimal, reference: Decimal): Decimal | null {
  const worth = mul(max(base, ZERO), reference, "half");
  const whole = worth + max(quote, ZERO);
  return whole > ZERO ? div(worth, whole, "half") : null;
}

/**
 * Returns reference × (1 − (share − target) × strength): with too much base, asks and bids are lower. The distance
 * from the reference is at most the share `most`.
 */
export function reservationPrice(
  reference: Decimal,
  {
    share,
    target,
    strength,
    most,
  }: {
    readonly share: Decimal | null;
    readonly target: Decimal;
    readonly strength: Decimal;
    readonly most: Decimal;
  },
): Decimal {
  if (share === null) return reference;
  const skew = mul(share - target, strength, "half");
  return mul(reference, ONE - boundedSkew(skew, most), "half");
}

const boundedSkew = (value: Decimal, most: Decimal): Decimal => min(max(value, -abs(most)), abs(most));
