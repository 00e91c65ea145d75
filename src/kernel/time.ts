/** Milliseconds since 1970-01-01 UTC, or a span of milliseconds. */
export type Millis = number;

export const SECOND: Millis = 1000;
export const MINUTE: Millis = 60 * SECOND;
export const HOUR: Millis = 60 * MINUTE;
export const DAY: Millis = 24 * HOUR;

/** Bar spans by the names that exchanges use. */
export const TIMEFRAMES = {
  "1m": MINUTE,
  "5m": 5 * MINUTE,
  "15m": 15 * MINUTE,
  "30m": 30 * MINUTE,
  "1h": HOUR,
  "4h": 4 * HOUR,
  "1d": DAY,
} as const;

/** Formats a span: in seconds below two minutes, then in minutes, hours and days. */
export function formatSpan(span: Millis): string {
  if (span < 2 * MINUTE) return `${Math.round(span / SECOND)} s`;
  if (span < 2 * HOUR) return `${Math.round(span / MINUTE)} min`;
  return span < 2 * DAY ? `${Math.round(span / HOUR)} h` : `${Math.round(span / DAY)} days`;
}

/** Formats a time as 2022-01-01T00:00:00.000Z. */
export const stampOf = (at: Millis): string => new Date(at).toISOString();

/** Formats a time to the minute, as reports show it: 2022-01-01 00:00. */
export const minuteText = (at: Millis): string => stampOf(at).slice(0, 16).replace("T", " ");

/** Formats a time of day to the second: 00:00:00 UTC. */
export const secondText = (at: Millis): string => `${stampOf(at).slice(11, 19)} UTC`;

/** Returns the UTC day of a protocol time, counted from 1970. */
export const dayOf = (now: Millis): number => Math.floor(now / DAY);

/** Maximum lease of any process: one that ends later was taken while the clock was ahead, and counts as free. */
export const MAX_LEASE_MS: Millis = MINUTE;

/** Maximum wait of a retry with backoff. */
export const MAX_BACKOFF_MS: Millis = 5 * MINUTE;

/**
 * Returns whether a stored time still blocks something: it is ahead by at most `longest`, the maximum of its rule. One that
 * is further ahead was written while the clock was ahead, and blocks nothing.
 */
export const isAhead = (stored: Millis, now: Millis, longest: Millis): boolean =>
  stored > now && stored <= now + longest;

/** Returns a stored start time; undefined if there is none, or if a clock that was ahead wrote it. */
export const timeInPast = (stored: Millis | null | undefined, now: Millis): Millis | undefined =>
  stored === null || stored === undefined || stored > now ? undefined : stored;

/** Returns the age of a stored time; infinite if a clock that was ahead wrote it. */
export const ageOf = (stored: Millis, now: Millis): Millis =>
  stored > now ? Number.MAX_SAFE_INTEGER : now - stored;

/** Returns the distance between a stored time and now, in both directions: a time far ahead is as unreliable as an old one. */
export const timeGap = (stored: Millis, now: Millis): Millis => Math.abs(now - stored);

/** Formats the time since the last change as part of a sentence; it is unknown if a clock that was ahead wrote it. */
export const formatSince = (stored: Millis, now: Millis): string =>
  stored > now ? "since a clock was set back" : `for ${formatSpan(now - stored)}`;

/** A day, a time with or without an offset, or milliseconds since 1970. */
export const TIME_TEXT =
  /^(\d{1,13}|\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})?)?)$/;

/** Returns whether the calendar has the day: `Date.parse` takes February 30 for March 2. */
function isDay(day: string): boolean {
  const at = Date.parse(day);
  return !Number.isNaN(at) && stampOf(at).startsWith(day);
}

/** Parses milliseconds, a date or a time; a time without an offset is in UTC. Returns undefined for other text. */
export function parseTime(text: string): Millis | undefined {
  if (!TIME_TEXT.test(text)) return undefined;
  if (/^\d+$/.test(text)) return Number.parseInt(text, 10);
  if (!isDay(text.slice(0, 10))) return undefined;
  const hasOffset = text.length === 10 || /(Z|[+-]\d{2}:\d{2})$/.test(text);
  const at = Date.parse(hasOffset ? text.replace(" ", "T") : `${text.replace(" ", "T")}Z`);
  return Number.isNaN(at) ? undefined : at;
}

/** Returns the UTC day of milliseconds, a date or a time, as 2026-01-31; undefined for other text. */
export function parseDay(text: string): string | undefined {
  const at = parseTime(text);
  if (at === undefined) return undefined;
  return stampOf(at).slice(0, 10);
}
