import { VenueError } from "../../errors.ts";
import { type Millis, SECOND } from "../../kernel/time.ts";
import type { Place } from "./place.ts";

/**
 * Compares our clock with the Date header of each answer: whole seconds, of some instant between the request's
 * leaving and the answer's arrival.
 */
export function clockCheck({ quirks, timing }: Place, now: () => Millis) {
  let leftAt = 0;
  let off: Millis = 0;
  return {
    leaving(): void {
      leftAt = now();
    },
    answered(date: string | null): void {
      const told = Date.parse(date ?? "");
      if (Number.isNaN(told)) return;
      const early = leftAt - (told + SECOND);
      const late = told - now();
      off = Math.max(early, late, 0);
    },
    /** Throws when requests of ours would reach the exchange at another time than they say. */
    refuse(): void {
      if (off <= timing.skew) return;
      const seconds = Math.round(off / SECOND);
      throw new VenueError(
        "unavailable",
        `this machine's clock and that of ${quirks.name} differ by ${seconds} s: nothing is sent until it is set right`,
      );
    },
  };
}
