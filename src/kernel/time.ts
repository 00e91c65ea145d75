/** Milliseconds since 1970-01-01 UTC, or a span of milliseconds. */
export type Millis = number;

export const SECOND: Millis = 1000;
export const MINUTE: Millis = 60 * SECOND;
export const HOUR: Millis = 60 * MINUTE;
export const DAY: Millis = 24 * HOUR;

/** The day of UTC in which a protocol time lies, counted from 1970. */
export const dayOf = (now: Millis): number => Math.floor(now / DAY);
