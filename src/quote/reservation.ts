/** Around which price one quotes who holds more, or less, than one wants to. */
import { abs, type Decimal, div, max, min, mul, ONE, ZERO } from "../kernel/decimal.ts";

/** What is held, in quote at the reference; null where it is worth nothing, as there is no share of it then. */
export function shareOfBase(base: Decimal, quote: Decimal, reference: Decimal): Decimal | null {
  const worth = mul(max(base, ZERO), reference, "half");
  const whole = worth + max(quote, ZERO);
  return whole > ZERO ? div(worth, whole, "half") : null;
}

/**
 * reference × (1 − (share − target) × strength): whoever holds too much base asks for less, and bids less. Never
 * further than `most` (a share) from the reference, whatever the strength.
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
