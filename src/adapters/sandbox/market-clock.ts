import type { Millis } from "../../kernel/time.ts";

/** How market time relates to protocol time; one row of the database, written when it is created. */
export interface MarketClock {
  /** Market time at `created`. */
  readonly origin: Millis;
  /** Protocol time at which the database was created. */
  readonly created: Millis;
  /** Factor of market time to protocol time; 0 if only passes advance it. */
  readonly speed: number;
  /** Time by which passes have advanced. */
  readonly passed: Millis;
}

/** The speed at which passes run one after another, and market time advances by their interval after each. */
export const AS_PASSES_GO = 0;

export const marketTime = ({ origin, created, speed, passed }: MarketClock, now: Millis): Millis =>
  origin + passed + Math.floor(speed * Math.max(0, now - created));
