/** A decimal with operators as methods, for strategies that users write: no calculation goes through a float. */
import {
  abs,
  type Decimal,
  div,
  fromNumber,
  max,
  min,
  mul,
  parseDecimal,
  roundToStep,
  text,
  wire,
} from "./decimal.ts";

/** An amount of money. A number is read by its shortest decimal text, so 0.1 is exactly 0.1. */
export type Amount = Money | number | string;

export class Money {
  readonly units: Decimal;

  private constructor(units: Decimal) {
    this.units = units;
  }

  static of(amount: Amount | Decimal): Money {
    return typeof amount === "bigint" ? new Money(amount) : amount instanceof Money ? amount : read(amount);
  }

  plus(other: Amount): Money {
    return Money.of(this.units + Money.of(other).units);
  }

  minus(other: Amount): Money {
    return Money.of(this.units - Money.of(other).units);
  }

  /** Rounds half up in the 18th decimal place, like `dividedBy`. */
  times(other: Amount): Money {
    return Money.of(mul(this.units, Money.of(other).units, "half"));
  }

  /** Throws RangeError for a divisor of zero. */
  dividedBy(other: Amount): Money {
    return Money.of(div(this.units, Money.of(other).units, "half"));
  }

  min(other: Amount): Money {
    return Money.of(min(this.units, Money.of(other).units));
  }

  max(other: Amount): Money {
    return Money.of(max(this.units, Money.of(other).units));
  }

  negate(): Money {
    return Money.of(-this.units);
  }

  abs(): Money {
    return Money.of(abs(this.units));
  }

  /** Returns the multiple of a step at or below it. */
  floorTo(step: Amount): Money {
    return Money.of(roundToStep(this.units, Money.of(step).units, "down"));
  }

  /** Returns the multiple of a step at or above it. */
  ceilTo(step: Amount): Money {
    return Money.of(roundToStep(this.units, Money.of(step).units, "up"));
  }

  /** The multiple of a step that is nearest. */
  roundTo(step: Amount): Money {
    return Money.of(roundToStep(this.units, Money.of(step).units, "half"));
  }

  isLess(other: Amount): boolean {
    return this.units < Money.of(other).units;
  }

  isMore(other: Amount): boolean {
    return this.units > Money.of(other).units;
  }

  isAtLeast(other: Amount): boolean {
    return this.units >= Money.of(other).units;
  }

  isAtMost(other: Amount): boolean {
    return this.units <= Money.of(other).units;
  }

  isZero(): boolean {
    return this.units === 0n;
  }

  equals(other: Amount): boolean {
    return this.units === Money.of(other).units;
  }

  /** Throws TypeError, because operators would compare and add texts: "10500" < "9900". */
  valueOf(): never {
    throw new TypeError("operators do not work on Money: compare with isLess and isMore, and add with plus");
  }

  /** Returns the nearest float, for statistics only. */
  toNumber(): number {
    return wire(this.units);
  }

  toString(): string {
    return text(this.units);
  }

  /** Returns its text; read stored money again with `Money.of(text)`. */
  toJSON(): string {
    return text(this.units);
  }
}

/** Reads a number or text. Digits of a float beyond 18 places are cut off. */
function read(amount: number | string): Money {
  const units =
    typeof amount === "number"
      ? (fromNumber(amount) ?? (Number.isFinite(amount) ? parseDecimal(amount.toFixed(18)) : undefined))
      : parseDecimal(amount);
  if (units === undefined) throw new RangeError(`not an amount: ${amount}`);
  return Money.of(units);
}
