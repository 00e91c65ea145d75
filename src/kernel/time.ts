/** Milliseconds since 1970-01-01 UTC, or a span of milliseconds. */
export type Millis = number;

export const SECOND: Millis = 1000;
export const MINUTE: Millis = 60 * SECOND;
export const HOUR: Millis = 60 * MINUTE;
export const DAY: Millis = 24 * HOUR;

/** A span as a person says it: in seconds below two minutes, then in minutes, hours and days. */
export function spanTold(span: Millis): string {
  if (span < 2 * MINUTE) return `${Math.round(span / SECOND)} s`;
  if (span < 2 * HOUR) return `${Math.round(span / MINUTE)} min`;
  return span < 2 * DAY ? `${Math.round(span / HOUR)} h` : `${Math.round(span / DAY)} days`;
}

/** The day of UTC in which a protocol time lies, counted from 1970. */
export const dayOf = (now: Millis): number => Math.floor(now / DAY);
