/** Reads the times of files, flags and requests: one reader, so that a text means the same in all of them. */

import { DAY, HOUR, MINUTE, type Millis, SECOND, stampOf } from "./time.ts";

const [ZERO, POINT, PLUS, MINUS, SPACE, COLON, UPPER_T, UPPER_Z] = [48, 46, 43, 45, 32, 58, 84, 90] as const;

/** The first market of a coin is younger: an earlier time was read in a wrong unit. */
export const FIRST_MARKET_TIME: Millis = 1_230_768_000_000;

/**
 * Bounds between units, by size: a second in the year 5138 looks like a millisecond in 1973. Binance changed to
 * microseconds in 2025.
 */
const [MAX_SECONDS_FIGURE, MAX_MILLIS_FIGURE, MAX_MICROS_FIGURE] = [1e11, 1e14, 1e17] as const;

/** Returns the milliseconds of a count of seconds, milli-, micro- or nanoseconds since 1970. */
function millisOf(count: number): Millis {
  if (count < MAX_SECONDS_FIGURE) return Math.floor(count * SECOND + 1e-4);
  if (count < MAX_MILLIS_FIGURE) return Math.floor(count);
  return Math.floor(count < MAX_MICROS_FIGURE ? count / 1e3 : count / 1e6);
}

/**
 * Reads a day (2022-01-01 or 20220101), a time in ISO 8601 (UTC without an offset), or a count of seconds, milli-, micro-
 * or nanoseconds; returns milliseconds. Undefined for anything else, and for a day or a time that does not exist.
 */
export function readTime(bytes: Uint8Array, from: number, to: number): Millis | undefined {
  if (to - from >= 10 && bytes[from + 4] === MINUS) return readIso(bytes, from, to);
  let [count, index] = [0, from];
  for (; index < to; index++) {
    const digit = (bytes[index] as number) - ZERO;
    if (digit < 0 || digit > 9) break;
    count = count * 10 + digit;
  }
  if (index === from) return undefined;
  if (index === to)
    return index - from === 8
      ? midnightOf(Math.floor(count / 10_000), Math.floor(count / 100) % 100, count % 100)
      : millisOf(count);
  if (bytes[index] !== POINT) return undefined;
  let unit = 1;
  for (index++; index < to; index++, unit *= 10) {
    const digit = (bytes[index] as number) - ZERO;
    if (digit < 0 || digit > 9) return undefined;
    count = count * 10 + digit;
  }
  return millisOf(count / unit);
}

/** Returns why a time is not one of market data read at `now`: it was in an unknown unit, or of a wrong clock. */
export function timeProblem(at: Millis | undefined, now: Millis): string | undefined {
  if (at === undefined) return "its time cannot be read";
  if (at < FIRST_MARKET_TIME) return "its time is before 2009";
  return at > now + DAY ? "its time is more than a day in the future" : undefined;
}

/** Parses two digits; NaN for anything else, and for a number above `most`. */
function two(bytes: Uint8Array, at: number, most: number): number {
  const tens = (bytes[at] as number) - ZERO;
  const ones = (bytes[at + 1] as number) - ZERO;
  const isNumber = tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 && tens * 10 + ones <= most;
  return isNumber ? tens * 10 + ones : Number.NaN;
}

const numberOrNone = (value: number): number | undefined => (Number.isNaN(value) ? undefined : value);

/** Parses 2022-01-01T00:00:00.000000Z, also with a space, without seconds, as a date alone, or with an offset. */
function readIso(bytes: Uint8Array, from: number, to: number): Millis | undefined {
  const year = two(bytes, from, 99) * 100 + two(bytes, from + 2, 99);
  const date =
    bytes[from + 7] === MINUS
      ? midnightOf(year, two(bytes, from + 5, 12), two(bytes, from + 8, 31))
      : undefined;
  if (date === undefined || to - from === 10) return date;
  const separator = bytes[from + 10];
  const isTime = (separator === SPACE || separator === UPPER_T) && bytes[from + 13] === COLON;
  if (!isTime || to - from < 16) return undefined;
  let millis = date + two(bytes, from + 11, 23) * HOUR + two(bytes, from + 14, 59) * MINUTE;
  let index = from + 16;
  if (index < to && bytes[index] === COLON) {
    if (index + 3 > to) return undefined;
    millis += two(bytes, index + 1, 59) * SECOND;
    index += 3;
    if (index < to && bytes[index] === POINT) {
      const first = ++index;
      for (let unit = 100; index < to; index++, unit = Math.floor(unit / 10)) {
        const digit = (bytes[index] as number) - ZERO;
        if (digit < 0 || digit > 9) break;
        millis += digit * unit;
      }
      if (index === first) return undefined;
    }
  }
  return numberOrNone(millis - readOffset(bytes, index, to));
}

/** Parses an offset from UTC: nothing, `Z`, or `+01:00`; NaN for anything else. */
function readOffset(bytes: Uint8Array, at: number, to: number): number {
  if (at === to || (at + 1 === to && bytes[at] === UPPER_Z)) return 0;
  const sign = bytes[at] === PLUS ? 1 : bytes[at] === MINUS ? -1 : Number.NaN;
  if (at + 6 !== to || bytes[at + 3] !== COLON) return Number.NaN;
  return sign * (two(bytes, at + 1, 23) * HOUR + two(bytes, at + 4, 59) * MINUTE);
}

const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

const isLeap = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;

/** Returns the start of a Gregorian day; undefined if the calendar lacks it. Years begin in March, so a leap day is at the end. */
function midnightOf(year: number, month: number, day: number): Millis | undefined {
  const days = month === 2 && isLeap(year) ? 29 : (MONTH_DAYS[month - 1] ?? 0);
  if (!(day >= 1 && day <= days)) return undefined;
  const moved = month <= 2 ? year - 1 : year;
  const era = Math.floor(moved / 400);
  const ofEra = moved - era * 400;
  const ofYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const since = era * 146_097 + ofEra * 365 + Math.floor(ofEra / 4) - Math.floor(ofEra / 100) + ofYear;
  return (since - 719_468) * DAY;
}

/** A day, a time with or without an offset, or a count of seconds to nanoseconds since 1970. */
export const TIME_TEXT =
  /^(\d{1,19}|\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})?)?)$/;

/** Parses a time as `readTime` does; undefined for other text, and for a time before 2009. */
export function parseTime(text: string): Millis | undefined {
  if (!TIME_TEXT.test(text)) return undefined;
  const bytes = new TextEncoder().encode(text);
  const at = readTime(bytes, 0, bytes.length);
  return at !== undefined && at >= FIRST_MARKET_TIME ? at : undefined;
}

/** Returns the UTC day of a time, as 2026-01-31; undefined for other text. */
export function parseDay(text: string): string | undefined {
  const at = parseTime(text);
  return at === undefined || at > MAX_DATE ? undefined : stampOf(at).slice(0, 10);
}

/** Later times have no text. */
const MAX_DATE = 8.64e15;
