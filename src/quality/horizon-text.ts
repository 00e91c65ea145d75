import { HOUR, MINUTE, type Millis, SECOND } from "../kernel/time.ts";

/** Formats the time of a horizon after its fill: 10 s, 5 min, 1 h. */
export function horizonText(after: Millis): string {
  if (after < MINUTE) return `${after / SECOND} s`;
  return after < HOUR ? `${after / MINUTE} min` : `${after / HOUR} h`;
}
