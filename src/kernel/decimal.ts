/**
 * A number with 18 decimal places, stored as a whole count of 1e-18. `+`, `-`, `<` and `===` work directly; other
 * operations name their rounding. `JSON.stringify` throws on it on purpose: convert it with `text` or `wire`.
 */
export type Decimal = bigint;

/** `down` rounds toward minus infinity, `up` toward plus infinity, `half` to the nearest with ties up. */
export type Rounding = "down" | "up" | "half";

export const DECIMAL_PLACES = 18;
export const ZERO: Decimal = 0n;
export const ONE: Decimal = 10n ** BigInt(DECIMAL_PLACES);

const PLAIN = /^-?\d+(?:\.\d+)?$/;
const SCIENTIFIC = /^(-?)(\d+)(?:\.(\d+))?e([+-]?\d+)$/;

/** Reads plain decimal text such as `-12.5`, as `text` writes it. Throws on any other text. */
export function decimal(text: string): Decimal {
  const point = text.indexOf(".");
  const fraction = point < 0 ? "" : text.slice(point + 1);
  if (text === "" || fraction.length > DECIMAL_PLACES)
    throw new RangeError(`not a decimal of at most ${DECIMAL_PLACES} places: ${text}`);
  return joinedUnits(point < 0 ? text : text.slice(0, point), fraction);
}

/** Multiplies by a power of ten; parsing all 18 places takes twice as long. */
const joinedUnits = (whole: string, fraction: string): Decimal =>
  BigInt(whole + fraction) * (TENS[DECIMAL_PLACES - fraction.length] as bigint);
const TENS = Array.from({ length: DECIMAL_PLACES + 1 }, (_, places) => 10n ** BigInt(places));

/** Reads plain decimal text; undefined if it is not decimal text or has more than 18 places. */
export function parseDecimal(text: string): Decimal | undefined {
  if (!PLAIN.test(text)) return undefined;
  const point = text.indexOf(".");
  if (point < 0) return joinedUnits(text, "");
  const fraction = text.slice(point + 1);
  const kept = fraction.length > DECIMAL_PLACES ? fraction.replace(/0+$/, "") : fraction;
  return kept.length > DECIMAL_PLACES ? undefined : joinedUnits(text.slice(0, point), kept);
}

/** Returns a number's shortest decimal text as a Decimal; undefined if it is not finite or needs more than 18 places. */
export function fromNumber(value: number): Decimal | undefined {
  return Number.isFinite(value) ? parseDecimal(expand(String(value))) : undefined;
}

/** Formats a number without an exponent, such as 1e-7 as 0.0000001; decimal text stays. */
export function plainNumber(value: number | string): string {
  if (typeof value === "string") return value;
  const exact = fromNumber(value);
  return exact === undefined ? String(value) : text(exact);
}

function expand(text: string): string {
  const match = text.includes("e") ? SCIENTIFIC.exec(text) : null;
  if (!match) return text;
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = match;
  const digits = whole + fraction;
  const point = whole.length + Number(exponent);
  if (point <= 0) return `${sign}0.${"0".repeat(-point)}${digits}`;
  if (point >= digits.length) return sign + digits.padEnd(point, "0");
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}

const NOUGHT = "0".charCodeAt(0);

/** Formats a decimal without exponent or trailing zeros, for the store and for exchanges. */
export function text(value: Decimal): string {
  const [sign, size] = value < 0n ? ["-", -value] : ["", value];
  const digits = size.toString().padStart(DECIMAL_PLACES + 1, "0");
  const point = digits.length - DECIMAL_PLACES;
  let end = digits.length;
  while (end > point && digits.charCodeAt(end - 1) === NOUGHT) end--;
  const whole = sign + digits.slice(0, point);
  return end === point ? whole : `${whole}.${digits.slice(point, end)}`;
}

/** Formats amounts by asset. */
export const texts = (amounts: Readonly<Record<string, Decimal>>): Record<string, string> =>
  Object.fromEntries(Object.entries(amounts).map(([asset, amount]) => [asset, text(amount)]));

/** Returns the nearest JSON number: only for responses, never for calculations. */
export const wire = (value: Decimal): number => Number(text(value));

/** Returns the nearest number of decimal text: only to show it to people. A number stays the same. */
export const nearestNumber = (amount: number | string): number => Number(amount);

/** A row whose fields of these names are numbers instead of decimal text; null stays null. */
type WithNumbers<Row, Name extends keyof Row> = Omit<Row, Name> & {
  readonly [Field in Name]: number | (null extends Row[Field] ? null : never);
};

/** Converts fields from decimal text to the nearest numbers, which a table aligns at their decimal points. */
export const withNumbers = <Row extends object, Name extends keyof Row>(
  row: Row,
  names: readonly Name[],
): WithNumbers<Row, Name> => {
  const numbers = names.map((name) => [name, row[name] === null ? null : Number(row[name])]);
  return { ...row, ...Object.fromEntries(numbers) } as WithNumbers<Row, Name>;
};

/** Divides two whole numbers with rounding. The denominator is positive. */
export function divideWhole(numerator: bigint, denominator: bigint, rounding: Rounding): bigint {
  if (denominator <= 0n) throw new RangeError("the denominator has to be positive");
  if (rounding === "half") return divideWhole(2n * numerator + denominator, 2n * denominator, "down");
  const quotient = numerator / denominator;
  const rest = numerator % denominator;
  if (rest === 0n) return quotient;
  if (rounding === "down") return rest < 0n ? quotient - 1n : quotient;
  return rest > 0n ? quotient + 1n : quotient;
}

export const mul = (a: Decimal, b: Decimal, rounding: Rounding): Decimal => divideWhole(a * b, ONE, rounding);

/** Returns a / b; b is not zero. */
export const div = (a: Decimal, b: Decimal, rounding: Rounding): Decimal =>
  b < 0n ? divideWhole(-a * ONE, -b, rounding) : divideWhole(a * ONE, b, rounding);

/** Returns a · b / c with one rounding at the end; c is positive. */
export const mulDiv = (a: Decimal, factors: { times: Decimal; over: Decimal }, rounding: Rounding): Decimal =>
  divideWhole(a * factors.times, factors.over, rounding);

/** Returns the multiple of `step` (positive) next to `value`. */
export const roundToStep = (value: Decimal, step: Decimal, rounding: Rounding): Decimal =>
  divideWhole(value, step, rounding) * step;

/** Converts percent to a share of 1, rounded toward zero. */
export const ofPercent = (percent: Decimal): Decimal => percent / 100n;

/** Rounds up to four digits, so the value is sufficient and easy to type; `value` is positive. */
export function readable(value: Decimal): Decimal {
  const digits = value.toString().length;
  return digits <= 4 ? value : roundToStep(value, 10n ** BigInt(digits - 4), "up");
}

/** Rounds money for people: to cents, and less than a cent to two digits. */
export function roundMoney(value: Decimal): Decimal {
  let step = ONE / 100n;
  if (abs(value) < step) while (step > 1n && abs(value) < step * 10n) step /= 10n;
  return roundToStep(value, step, "half");
}

/**
 * Formats decimal text for people: to the cent, and small values to four digits, because one unit of some quote assets
 * is worth a lot.
 */
export function moneyFigure(money: string): string {
  const value = decimal(money);
  const digits = abs(value).toString().length;
  if (abs(value) >= 100n * ONE) return text(roundToStep(value, ONE / 100n, "half"));
  return text(digits <= 4 ? value : roundToStep(value, 10n ** BigInt(digits - 4), "half"));
}

export const min = (a: Decimal, b: Decimal): Decimal => (a < b ? a : b);
export const max = (a: Decimal, b: Decimal): Decimal => (a > b ? a : b);
export const abs = (a: Decimal): Decimal => (a < 0n ? -a : a);
export const sum = (values: readonly Decimal[]): Decimal =>
  values.reduce((total, value) => total + value, ZERO);
