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
