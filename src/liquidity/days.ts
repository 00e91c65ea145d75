import type { Decimal } from "../kernel/decimal.ts";
import { MINUTES_A_DAY } from "../model/samples/minute.ts";
import { type DaySums, meanOfTotal } from "../model/samples/sums.ts";

/** What a day's minutes come to on average. */
export interface LiquidityDay {
  readonly day: number;
  /** Minutes that are known; of so many, a side was empty or the book crossed at some moment. */
  readonly known: number;
  readonly broken: number;
  /** Of the other ones; null of a day too little of which is known, or that has no other ones. */
  readonly spread: Decimal | null;
  readonly deviation: Decimal | null;
}

/** A day of which less than half is known is unknown. */
const LEAST_KNOWN = MINUTES_A_DAY / 2;

export function dayAverages({ day, sums: { known, market, deviation } }: DaySums): LiquidityDay {
  const isJudged = known >= LEAST_KNOWN;
  return {
    day,
    known,
    broken: known - market.spread.count,
    spread: isJudged ? meanOfTotal(market.spread) : null,
    deviation: isJudged ? meanOfTotal(deviation) : null,
  };
}

/** Whether so much of the day is known that it can be judged. */
export const isKnown = ({ known }: LiquidityDay): boolean => known >= LEAST_KNOWN;
