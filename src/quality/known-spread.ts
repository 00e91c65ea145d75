import { HOUR, MINUTE, type Millis, SECOND } from "../kernel/time.ts";

/** Returns whether the spread of some fills is known. If the mid of none is, it is unknown and not 0. */
export const isSpreadKnown = ({
  fills,
  withoutMid,
}: {
  readonly fills: number;
  readonly withoutMid: number;
}): boolean => fills === 0 || withoutMid < fills;

/** Formats the time of a horizon after its fill: 10 s, 5 min, 1 h. */
export function horizonText(after: Millis): string {
  if (after < MINUTE) return `${after / SECOND} s`;
  return after < HOUR ? `${after / MINUTE} min` : `${after / HOUR} h`;
}
