/** Clocks that jump, each alone, and come right again. */
import { VenueError } from "../../src/kernel/errors.ts";
import { type Millis, SECOND } from "../../src/kernel/time.ts";
import type { Timing } from "../../src/ports/venue.ts";
import type { JumpingClock } from "./deeds.ts";

interface Jump {
  readonly clock: JumpingClock;
  readonly millis: Millis;
}

/** How far each clock is off now, and how far the exchange's was at any time before. */
export function createClocks(now: () => Millis) {
  const off: Record<JumpingClock, Millis> = { database: 0, process: 0, exchange: 0 };
  const exchange: { from: Millis; to: Millis; readonly millis: Millis }[] = [];
  return {
    off: (clock: JumpingClock) => off[clock],
    jump({ clock, millis }: Jump): void {
      off[clock] = millis;
      if (clock === "exchange") exchange.push({ from: now(), to: Number.POSITIVE_INFINITY, millis });
    },
    right({ clock }: Jump): void {
      off[clock] = 0;
      const last = exchange.at(-1);
      if (clock === "exchange" && last) last.to = now();
    },
    /** What the exchange says of when something there has happened. */
    stamp: (at: Millis): Millis => at + (exchange.find(({ from, to }) => at >= from && at < to)?.millis ?? 0),
    hasJumped: (): boolean => exchange.length > 0,
  };
}

export type Clocks = ReturnType<typeof createClocks>;

/** Throws where a pass's clock and the exchange's differ by more than a whole second of a Date header can hide. */
export function compareClocks(ours: Millis, theirs: Millis, { skew }: Timing): void {
  const off = Math.abs(ours - theirs);
  if (off > skew + SECOND) throw new VenueError("unavailable", `the clocks differ by ${off} ms`);
}
