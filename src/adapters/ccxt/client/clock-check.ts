import { VenueError } from "../../../kernel/errors.ts";
import { type Millis, SECOND } from "../../../kernel/time.ts";

export interface ClockCheck {
  /** Hears the Date header of an answer to a request that left at `leftAt`. */
  answered(date: string | null, leftAt: Millis): void;
  /** Throws when requests of ours would reach the exchange at another time than they say. */
  refuse(): void;
}

/**
 * Compares a clock of ours with the exchange's: a Date header tells whole seconds, of some instant between the
 * request's leaving and the answer's arrival.
 */
export function clockCheck(name: string, skew: Millis, now: () => Millis): ClockCheck {
  let off: Millis = 0;
  return {
    answered(date, leftAt) {
      const value = Date.parse(date ?? "");
      if (!Number.isNaN(value)) off = Math.max(leftAt - (value + SECOND), value - now(), 0);
    },
    refuse() {
      if (off <= skew) return;
      const seconds = Math.round(off / SECOND);
      throw new VenueError(
        "unavailable",
        `this machine's clock and that of ${name} differ by ${seconds} s; synchronize this machine's clock, because no requests are sent until then`,
      );
    },
  };
}
