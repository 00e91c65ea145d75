/** Parses numbers and times from a file's bytes; creating a text for each would cost more than everything else. */

import { DAY, HOUR, MINUTE, SECOND } from "../kernel/time.ts";

/** The last parsed price or time; each reader reuses one object. */
export interface Figure {
  /** The digits, without trailing zeros of the decimals. */
  digits: number;
  decimals: number;
}

const [ZERO, NINE, POINT, PLUS, MINUS, SPACE, COLON, UPPER_T, UPPER_Z, LOWER_E, UPPER_E] = [
  48, 57, 46, 43, 45, 32, 58, 84, 90, 101, 69,
] as const;

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
    const isExponent = bytes[index] === LOWER_E || bytes[index] === UPPER_E;
    return isExponent && withExponent(bytes, from, to, out);
  }
  out.digits = digits;
  out.decimals = decimals;
  return digits <= Number.MAX_SAFE_INTEGER;
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

/**
 * Parses a time in seconds, milli-, micro- or nanoseconds, or in ISO 8601; returns milliseconds. Undefined for
 * anything else.
 */
export function readTime(bytes: Uint8Array, from: number, to: number, out: Figure): number | undefined {
  if (to - from >= 10 && bytes[from + 4] === MINUS) return readIso(bytes, from, to);
  if (!readNumber(bytes, from, to, out)) return undefined;
  return millisOf(out.digits / 10 ** out.decimals);
}

/**
 * Bounds between units, by size: a second in the year 5138 looks like a millisecond in 1973. Binance changed to
 * microseconds in 2025.
 */
const [MAX_SECONDS_FIGURE, MAX_MILLIS_FIGURE, MAX_MICROS_FIGURE] = [1e11, 1e14, 1e17] as const;

function millisOf(value: number): number | undefined {
  if (!(value > 0)) return undefined;
  if (value < MAX_SECONDS_FIGURE) return Math.floor(value * 1000 + 1e-4);
  if (value < MAX_MILLIS_FIGURE) return Math.floor(value);
  return Math.floor(value < MAX_MICROS_FIGURE ? value / 1e3 : value / 1e6);
}

/** Parses two digits; NaN for anything else. */
function two(bytes: Uint8Array, at: number): number {
  const tens = (bytes[at] as number) - ZERO;
  const ones = (bytes[at + 1] as number) - ZERO;
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN;
}

/** Parses 2022-01-01T00:00:00.000000Z, also with a space, without seconds, as a date alone, or with an offset. */
function readIso(bytes: Uint8Array, from: number, to: number): number | undefined {
  const date = readDate(bytes, from);
  if (Number.isNaN(date)) return undefined;
  if (to - from === 10) return date;
  const separator = bytes[from + 10];
  const isTime = (separator === SPACE || separator === UPPER_T) && bytes[from + 13] === COLON;
  if (!isTime || to - from < 16) return undefined;
  let millis = date + two(bytes, from + 11) * HOUR + two(bytes, from + 14) * MINUTE;
  let index = from + 16;
  if (index < to && bytes[index] === COLON) {
    millis += two(bytes, index + 1) * SECOND;
    index += 3;
  }
  if (index < to && bytes[index] === POINT) {
    let unit = 100;
    for (index++; index < to && isDigit(bytes[index]); index++, unit = Math.floor(unit / 10))
      millis += ((bytes[index] as number) - ZERO) * unit;
  }
  millis -= readOffset(bytes, index, to);
  return Number.isNaN(millis) ? undefined : millis;
}

function readDate(bytes: Uint8Array, from: number): number {
  const year = two(bytes, from) * 100 + two(bytes, from + 2);
  const month = two(bytes, from + 5);
  const day = two(bytes, from + 8);
  const isDate = bytes[from + 7] === MINUS && month >= 1 && month <= 12 && day >= 1 && day <= 31;
  return isDate ? daysOf(year, month, day) * DAY : Number.NaN;
}

/** Parses an offset from UTC: nothing, `Z`, or `+01:00`; NaN for anything else. */
function readOffset(bytes: Uint8Array, at: number, to: number): number {
  if (at === to || (at + 1 === to && bytes[at] === UPPER_Z)) return 0;
  const sign = bytes[at] === PLUS ? 1 : bytes[at] === MINUS ? -1 : Number.NaN;
  if (at + 6 !== to || bytes[at + 3] !== COLON) return Number.NaN;
  return sign * (two(bytes, at + 1) * HOUR + two(bytes, at + 4) * MINUTE);
}

/** Returns the days since 1970-01-01 of a Gregorian date; years begin in March, so a leap day is at the end. */
function daysOf(year: number, month: number, day: number): number {
  const moved = month <= 2 ? year - 1 : year;
  const era = Math.floor(moved / 400);
  const ofEra = moved - era * 400;
  const ofYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  return era * 146_097 + ofEra * 365 + Math.floor(ofEra / 4) - Math.floor(ofEra / 100) + ofYear - 719_468;
}
