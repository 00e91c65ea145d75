import { VenueError } from "../../../kernel/errors.ts";
import { type Millis, SECOND } from "../../../kernel/time.ts";

export interface ClockCheck {
  /** Processes the Date header of a response to a request that left at `leftAt`. */
  answered(date: string | null, leftAt: Millis): void;
  /** Throws if a clock difference would make the exchange reject or misjudge our requests. */
  refuse(): void;
}

/** Compares our clock with the exchange's. A Date header has whole seconds, at some time between request and response. */
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
