import type { Decimal } from "../kernel/decimal.ts";
import { MINUTES_A_DAY } from "../model/samples/minute.ts";
import { type DaySums, meanOfTotal, type Total } from "../model/samples/sums.ts";

/** Averages of a day's minutes. */
export interface LiquidityDay {
  readonly day: number;
  /** Number of minutes with data, and of those in which a side was empty or the book crossed at some moment. */
  readonly known: number;
  readonly broken: number;
  /** Average of the other minutes; null if there are too few or none. */
  readonly spread: Decimal | null;
  readonly deviation: Decimal | null;
}

/** Minimum number of minutes of a day's mean: with fewer, it is unknown. */
const LEAST_KNOWN = MINUTES_A_DAY / 2;

export function dayAverages({ day, sums: { known, market, deviation } }: DaySums): LiquidityDay {
  const meanOf = (total: Total) => (total.count >= LEAST_KNOWN ? meanOfTotal(total) : null);
  return {
    day,
    known,
    broken: known - market.spread.count,
    spread: meanOf(market.spread),
    deviation: meanOf(deviation),
  };
}

/** Returns whether enough of the day is known to judge it. */
export const isKnown = ({ known }: LiquidityDay): boolean => known >= LEAST_KNOWN;
