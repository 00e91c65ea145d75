/** Parses numbers from a file's bytes; creating a text for each would cost more than everything else. */

/** The last parsed price or time; each reader reuses one object. */
export interface Figure {
  /** The digits, without trailing zeros of the decimals. */
  digits: number;
  decimals: number;
}

const [ZERO, NINE, POINT, PLUS, COMMA, LOWER_E, UPPER_E] = [48, 57, 46, 43, 44, 101, 69] as const;

export const isDigit = (byte: number | undefined): boolean =>
  byte !== undefined && byte >= ZERO && byte <= NINE;

/**
 * Parses a plain number of at least zero exactly: 46319.50 is 463195 with one decimal. Returns false for anything
 * else, and for more digits than a double holds.
 */
export function readNumber(bytes: Uint8Array, from: number, to: number, out: Figure): boolean {
  let index = bytes[from] === PLUS ? from + 1 : from;
  let digits = 0;
  const first = index;
  for (; index < to; index++) {
    const digit = (bytes[index] as number) - ZERO;
    if (digit < 0 || digit > 9) break;
    digits = digits * 10 + digit;
  }
  const whole = index - first;
  let decimals = 0;
  if (index < to && bytes[index] === POINT) {
    // Zeros between decimals count; trailing ones do not.
    const point = index;
    let last = index;
    for (index++; index < to; index++) {
      const digit = (bytes[index] as number) - ZERO;
      if (digit < 0 || digit > 9) break;
      if (digit === 0) continue;
      for (last++; last < index; last++) digits *= 10;
      digits = digits * 10 + digit;
    }
    decimals = last - point;
    if (whole === 0 && index === point + 1) return false;
  } else if (whole === 0) return false;
  if (index < to) {
    if (bytes[index] === COMMA) return withGroups(bytes, from, to, out);
    const isExponent = bytes[index] === LOWER_E || bytes[index] === UPPER_E;
    return isExponent && withExponent(bytes, from, to, out);
  }
  out.digits = digits;
  out.decimals = decimals;
  return digits <= Number.MAX_SAFE_INTEGER;
}

/** Says why `readNumber` does not read a price. */
export function whyUnread(bytes: Uint8Array, from: number, to: number, least: string): string {
  const digits = textOf(bytes, from, to).replace(/^\+|[.,]/g, "");
  return /^\d{16,}$/.test(digits)
    ? `has ${digits.length} digits; round it to 15`
    : `is not a number ${least}`;
}

/** Parses 47,738.0 and 1,234,567; not 47,738, which can be a decimal comma. */
function withGroups(bytes: Uint8Array, from: number, to: number, out: Figure): boolean {
  const text = textOf(bytes, from, to);
  if (!/^\+?\d{1,3}(,\d{3})*(,\d{3}\.\d+|,\d{3},\d{3})$/.test(text)) return false;
  const plain = new TextEncoder().encode(text.replaceAll(",", ""));
  return readNumber(plain, 0, plain.length, out);
}

/** Parses 1.2e-07, the format of small numbers in some programs. */
function withExponent(bytes: Uint8Array, from: number, to: number, out: Figure): boolean {
  const text = textOf(bytes, from, to);
  const match = /^\+?(\d+)(?:\.(\d+))?[eE]([+-]?\d{1,3})$/.exec(text);
  if (!match) return false;
  const [, whole = "", fraction = "", exponent = "0"] = match;
  const kept = fraction.replace(/0+$/, "");
  let digits = Number(whole + kept);
  let decimals = kept.length - Number(exponent);
  for (; decimals < 0; decimals++) digits *= 10;
  for (; decimals > 0 && digits % 10 === 0; decimals--) digits /= 10;
  if (!Number.isSafeInteger(digits)) return false;
  out.digits = digits;
  out.decimals = digits === 0 ? 0 : decimals;
  return true;
}

/** Parses the nearest double of a plain number, for amounts, which decide nothing. Undefined for anything else. */
export function readNearest(bytes: Uint8Array, from: number, to: number, out: Figure): number | undefined {
  if (readNumber(bytes, from, to, out)) return out.digits / 10 ** out.decimals;
  // 218102.59507500002 is the usual form of a sum of floats.
  const text = textOf(bytes, from, to);
  return /^\d+\.?\d*$/.test(text) ? Number(text) : undefined;
}

const decoder = new TextDecoder();

export const textOf = (bytes: Uint8Array, from: number, to: number): string =>
  decoder.decode(bytes.subarray(from, to));
