import { inPercent } from "./format.ts";
import type { ReportAnswer } from "./types.ts";

type DayProfit = Pick<ReportAnswer["days"][number], "day" | "totalProfit">;

export interface DailyFigures {
  readonly days: readonly { readonly day: string; readonly profit: number; readonly sum: number }[];
  /** Largest fall of the sum from its highest value, which starts at zero. */
  readonly drawdown: number;
}

/** Adds up the P&L of each day, oldest first. */
export function dailyFigures(rows: readonly DayProfit[]): DailyFigures {
  let [sum, top, drawdown] = [0, 0, 0];
  const days = rows.map(({ day, totalProfit }) => {
    sum += totalProfit;
    top = Math.max(top, sum);
    drawdown = Math.max(drawdown, top - sum);
    return { day, profit: totalProfit, sum };
  });
  return { days, drawdown };
}

const YEAR = 365 * 86_400_000;
/** Below a week, a yearly rate says nothing: a bad first day can come to -1,000 % a year. */
const LEAST_SPAN = 7 * 86_400_000;

/** Formats the yearly rate of a period, or tells which period has one. */
export const periodRateText = (rate: number | undefined, period: number): string =>
  rate !== undefined ? inPercent(rate, 1) : period < LEAST_SPAN ? "see 30 days" : "after a week";

/** Returns the profits of several strategies as one rate of their capital, each over its own time. */
export function yearlyOfAll(
  parts: readonly { readonly profit: number; readonly capital: number; readonly millis: number }[],
): number | undefined {
  const known = parts.filter(({ capital, millis }) => capital > 0 && millis >= LEAST_SPAN);
  const sum = (of: (one: (typeof known)[number]) => number) => known.reduce((all, one) => all + of(one), 0);
  return yearlyPercent(
    known.length === 0 ? null : sum(({ profit }) => profit),
    sum(({ capital, millis }) => (capital * millis) / YEAR),
    YEAR,
  );
}

/** Returns a profit as a simple rate per year, in percent; undefined where it says nothing. */
export const yearlyPercent = (profit: number | null, capital: number, millis: number): number | undefined =>
  profit === null || capital <= 0 || millis < LEAST_SPAN
    ? undefined
    : ((100 * profit) / capital) * (YEAR / millis);
