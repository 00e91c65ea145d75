import type { Millis } from "../../kernel/time.ts";

/** How market time runs against protocol time; one row of the database, written when it is made. */
export interface MarketClock {
  /** Market time at `created`. */
  readonly origin: Millis;
  /** Protocol time at which the database was made. */
  readonly created: Millis;
  readonly speed: number;
}

export const marketTime = ({ origin, created, speed }: MarketClock, now: Millis): Millis =>
  origin + Math.floor(speed * Math.max(0, now - created));
