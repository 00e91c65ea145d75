/** A decimal with operators as methods, for strategies that people write: it never loses a digit to a float. */
import {
  abs,
  type Decimal,
  div,
  fromNumber,
  max,
  min,
  mul,
  parseDecimal,
  snap,
  text,
  wire,
} from "./decimal.ts";

/** What stands for money: a number is taken by its shortest decimal text, so that 0.1 is exactly 0.1. */
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

  /** Rounded half up in the 18th place, as `dividedBy` is. */
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

  abs(): Money {
    return Money.of(abs(this.units));
  }

  /** The multiple of a step at or below it. */
  floorTo(step: Amount): Money {
    return Money.of(snap(this.units, Money.of(step).units, "down"));
  }

  /** The multiple of a step that is nearest. */
  roundTo(step: Amount): Money {
    return Money.of(snap(this.units, Money.of(step).units, "half"));
  }

  isLess(other: Amount): boolean {
    return this.units < Money.of(other).units;
  }

  isMore(other: Amount): boolean {
    return this.units > Money.of(other).units;
  }

  equals(other: Amount): boolean {
    return this.units === Money.of(other).units;
  }

  /** The nearest float: for statistics alone. */
  toNumber(): number {
    return wire(this.units);
  }

  toString(): string {
    return text(this.units);
  }

  /** Its text: a state that holds money is read again with `Money.of(text)`. */
  toJSON(): string {
    return text(this.units);
  }
}

/** A float that has been calculated with may need more places than there are: those are cut. */
function read(amount: number | string): Money {
  const units =
    typeof amount === "number"
      ? (fromNumber(amount) ?? (Number.isFinite(amount) ? parseDecimal(amount.toFixed(18)) : undefined))
      : parseDecimal(amount);
  if (units === undefined) throw new RangeError(`not an amount: ${amount}`);
  return Money.of(units);
}
