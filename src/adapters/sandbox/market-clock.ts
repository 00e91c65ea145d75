import type { Millis } from "../../kernel/time.ts";

/** How market time runs against protocol time; one row of the database, written when it is made. */
export interface MarketClock {
  /** Market time at `created`. */
  readonly origin: Millis;
  /** Protocol time at which the database was made. */
  readonly created: Millis;
  /** So many times as fast as protocol time; 0 where it stands still but for what passes let go by. */
  readonly speed: number;
  /** What passes have let go by. */
  readonly passed: Millis;
}

/** The speed at which passes run one after the other, and market time goes on by their interval after each. */
export const AS_PASSES_GO = 0;

export const marketTime = ({ origin, created, speed, passed }: MarketClock, now: Millis): Millis =>
  origin + passed + Math.floor(speed * Math.max(0, now - created));
