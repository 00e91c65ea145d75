/** Milliseconds since 1970-01-01 UTC, or a span of milliseconds. */
export type Millis = number;

export const SECOND: Millis = 1000;
export const MINUTE: Millis = 60 * SECOND;
export const HOUR: Millis = 60 * MINUTE;
export const DAY: Millis = 24 * HOUR;

/** Spans of bars, by the names that exchanges have for them. */
export const TIMEFRAMES = {
  "1m": MINUTE,
  "5m": 5 * MINUTE,
  "15m": 15 * MINUTE,
  "30m": 30 * MINUTE,
  "1h": HOUR,
  "4h": 4 * HOUR,
  "1d": DAY,
} as const;

/** A span as a person says it: in seconds below two minutes, then in minutes, hours and days. */
export function formatSpan(span: Millis): string {
  if (span < 2 * MINUTE) return `${Math.round(span / SECOND)} s`;
  if (span < 2 * HOUR) return `${Math.round(span / MINUTE)} min`;
  return span < 2 * DAY ? `${Math.round(span / HOUR)} h` : `${Math.round(span / DAY)} days`;
}

/** A time as people and files write it: 2022-01-01T00:00:00.000Z. */
export const stampOf = (at: Millis): string => new Date(at).toISOString();

/** The same to the minute, as reports show it: 2022-01-01 00:00. */
export const minuteText = (at: Millis): string => stampOf(at).slice(0, 16).replace("T", " ");

/** The day of UTC in which a protocol time lies, counted from 1970. */
export const dayOf = (now: Millis): number => Math.floor(now / DAY);

/** No retry with back-off waits longer. */
export const LONGEST_PAUSE: Millis = 5 * MINUTE;

/**
 * Whether a stored time still holds something back. One that lies further ahead than `longest`, the most that its rule
 * can yield from now, was written while the clock was ahead: it holds nothing back.
 */
export const isAhead = (stored: Millis, now: Millis, longest: Millis): boolean =>
  stored > now && stored <= now + longest;

/** A stored time since which something is so; undefined where there is none, or a clock that was ahead has written it. */
export const timeInPast = (stored: Millis | null | undefined, now: Millis): Millis | undefined =>
  stored === null || stored === undefined || stored > now ? undefined : stored;

/** How long ago something was stored: for ever where a clock that was ahead has written the time. */
export const ageOf = (stored: Millis, now: Millis): Millis =>
  stored > now ? Number.MAX_SAFE_INTEGER : now - stored;
