import { type Decimal, sum } from "../kernel/decimal.ts";
import { dayOfMinute, type LiquidityMinute, MINUTES_A_DAY } from "../model/samples/minute.ts";

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

/** Each day from one to another, those without samples too. */
export function liquidityDays(minutes: readonly LiquidityMinute[], from: number, to: number): LiquidityDay[] {
  const byDay = new Map<number, LiquidityMinute[]>();
  for (const one of minutes) {
    const day = dayOfMinute(one.minute);
    const rows = byDay.get(day);
    if (rows) rows.push(one);
    else byDay.set(day, [one]);
  }
  return Array.from({ length: to - from + 1 }, (_, index) => dayFrom(from + index, byDay.get(from + index)));
}

function dayFrom(day: number, rows: readonly LiquidityMinute[] = []): LiquidityDay {
  const judged = rows.length < LEAST_KNOWN ? [] : rows;
  return {
    day,
    known: rows.length,
    broken: rows.filter(({ spread }) => spread === null).length,
    spread: meanOfKnown(judged.map(({ spread }) => spread)),
    deviation: meanOfKnown(judged.map(({ deviation }) => deviation)),
  };
}

/** Whether so much of the day is known that it can be judged. */
export const isKnown = ({ known }: LiquidityDay): boolean => known >= LEAST_KNOWN;

/** Of those that are known; null of none. */
export function meanOfKnown(values: readonly (Decimal | null)[]): Decimal | null {
  const there = values.filter((value) => value !== null);
  return there.length === 0 ? null : sum(there) / BigInt(there.length);
}
