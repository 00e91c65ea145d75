/** Numbers and times of a file, read from its bytes: a text for each would cost more than all the rest. */

/** What the last price or time was; one is made per reader and written again and again. */
export interface Figure {
  /** The digits, without zeros at the end of the decimals. */
  digits: number;
  decimals: number;
}

const [ZERO, NINE, POINT, PLUS, MINUS, SPACE, COLON, UPPER_T, UPPER_Z, LOWER_E, UPPER_E] = [
  48, 57, 46, 43, 45, 32, 58, 84, 90, 101, 69,
] as const;

const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= ZERO && byte <= NINE;

/**
 * A plain number of at least zero, exactly: 46319.50 is 463195 with one decimal. False for anything else, and for
 * more digits than a double holds.
 */
export function readNumber(bytes: Uint8Array, from: number, to: number, out: Figure): boolean {
  let [digits, decimals, pending, place] = [0, 0, 0, from];
  if (bytes[place] === PLUS) place++;
  let isFraction = false;
  let seen = 0;
  for (; place < to; place++) {
    const byte = bytes[place] as number;
    if (byte >= ZERO && byte <= NINE) {
      seen++;
      if (!isFraction) digits = digits * 10 + (byte - ZERO);
      else if (byte === ZERO) pending++;
      else {
        // Zeros between decimals count; those at the end say nothing.
        for (; pending > 0; pending--, decimals++) digits *= 10;
        digits = digits * 10 + (byte - ZERO);
        decimals++;
      }
    } else if (byte === POINT && !isFraction) isFraction = true;
    else if ((byte === LOWER_E || byte === UPPER_E) && seen > 0) return withExponent(bytes, from, to, out);
    else return false;
  }
  if (seen === 0 || digits > Number.MAX_SAFE_INTEGER) return false;
  out.digits = digits;
  out.decimals = decimals;
  return true;
}

/** 1.2e-07, as some programs write small numbers. */
function withExponent(bytes: Uint8Array, from: number, to: number, out: Figure): boolean {
  const text = textOf(bytes, from, to);
  const match = /^\+?(\d+)(?:\.(\d+))?[eE]([+-]?\d{1,3})$/.exec(text);
  if (!match) return false;
  const [, whole = "", fraction = "", exponent = "0"] = match;
  const kept = fraction.replace(/0+$/, "");
  let [digits, decimals] = [Number(whole + kept), kept.length - Number(exponent)];
  for (; decimals < 0; decimals++) digits *= 10;
  for (; decimals > 0 && digits % 10 === 0; decimals--) digits /= 10;
  if (!Number.isSafeInteger(digits)) return false;
  out.digits = digits;
  out.decimals = digits === 0 ? 0 : decimals;
  return true;
}

/** The nearest double of a plain number: for amounts, which nothing is decided by. Undefined for anything else. */
export function readNearest(bytes: Uint8Array, from: number, to: number, out: Figure): number | undefined {
  if (readNumber(bytes, from, to, out)) return out.digits / 10 ** out.decimals;
  // 218102.59507500002, as sums of floats are written.
  const text = textOf(bytes, from, to);
  return /^\d+\.?\d*$/.test(text) ? Number(text) : undefined;
}

export const textOf = (bytes: Uint8Array, from: number, to: number): string =>
  new TextDecoder().decode(bytes.subarray(from, to));

/** Milliseconds of a time in seconds, milli-, micro- or nanoseconds, or in ISO 8601. Undefined for anything else. */
export function readTime(bytes: Uint8Array, from: number, to: number, out: Figure): number | undefined {
  if (to - from >= 10 && bytes[from + 4] === MINUS) return readIso(bytes, from, to);
  if (!readNumber(bytes, from, to, out)) return undefined;
  return millisOf(out.digits / 10 ** out.decimals);
}

/** By their size: a second of the year 5138 has the size of a millisecond of 1973. Binance turned to micro in 2025. */
const [MOST_SECONDS, MOST_MILLIS, MOST_MICROS] = [1e11, 1e14, 1e17] as const;

function millisOf(value: number): number | undefined {
  if (!(value > 0)) return undefined;
  if (value < MOST_SECONDS) return Math.floor(value * 1000 + 1e-4);
  if (value < MOST_MILLIS) return Math.floor(value);
  return Math.floor(value < MOST_MICROS ? value / 1e3 : value / 1e6);
}

/** 2022-01-01T00:00:00.000000Z, also with a space, without seconds, as a date alone, or with an offset. */
function readIso(bytes: Uint8Array, from: number, to: number): number | undefined {
  const two = (at: number): number =>
    isDigit(bytes[at]) && isDigit(bytes[at + 1])
      ? ((bytes[at] as number) - ZERO) * 10 + ((bytes[at + 1] as number) - ZERO)
      : Number.NaN;
  const [year, month, day] = [two(from) * 100 + two(from + 2), two(from + 5), two(from + 8)];
  if (bytes[from + 7] !== MINUS || !(month >= 1 && month <= 12 && day >= 1 && day <= 31)) return undefined;
  const date = daysOf(year, month, day) * 86_400_000;
  if (to - from === 10) return Number.isNaN(date) ? undefined : date;
  const separator = bytes[from + 10];
  if ((separator !== SPACE && separator !== UPPER_T) || to - from < 16) return undefined;
  if (bytes[from + 13] !== COLON) return undefined;
  let [millis, place] = [date + two(from + 11) * 3_600_000 + two(from + 14) * 60_000, from + 16];
  if (place < to && bytes[place] === COLON) {
    millis += two(place + 1) * 1000;
    place += 3;
  }
  if (place < to && bytes[place] === POINT) {
    for (let unit = 100; isDigit(bytes[++place]) && place < to; unit = Math.floor(unit / 10))
      millis += ((bytes[place] as number) - ZERO) * unit;
  }
  if (place < to && bytes[place] === UPPER_Z && place + 1 === to) place++;
  else if (place + 6 === to && bytes[place + 3] === COLON) {
    const offset = two(place + 1) * 3_600_000 + two(place + 4) * 60_000;
    if (bytes[place] !== PLUS && bytes[place] !== MINUS) return undefined;
    millis += bytes[place] === PLUS ? -offset : offset;
    place = to;
  }
  return place !== to || Number.isNaN(millis) ? undefined : millis;
}

/** Days since 1970-01-01 of a date of the Gregorian calendar; years begin in March, so that a leap day ends one. */
function daysOf(year: number, month: number, day: number): number {
  const moved = month <= 2 ? year - 1 : year;
  const era = Math.floor(moved / 400);
  const ofEra = moved - era * 400;
  const ofYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  return era * 146_097 + ofEra * 365 + Math.floor(ofEra / 4) - Math.floor(ofEra / 100) + ofYear - 719_468;
}
