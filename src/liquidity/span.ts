/** Spans of days in order, as sums. */
import { MINUTE, type Millis } from "../kernel/time.ts";
import { hoursIn } from "../model/samples/hours.ts";
import { dayOfMinute, MINUTES_A_DAY, type MissedMinute } from "../model/samples/minute.ts";
import {
  addSums,
  type DaySums,
  type LiquiditySums,
  type Minutes,
  minuteSums,
  NO_SUMS,
  runsIn,
} from "../model/samples/sums.ts";
import type { OwnOffer } from "./store/store.ts";

/** Decides whether own orders keep a rule. Two rules with the same key are equal. */
export interface UpRule {
  readonly key: string;
  /** Whether it uses the depth of own orders. */
  readonly usesDepth: boolean;
  readonly isUp: (offer: Omit<OwnOffer, "offer">) => boolean;
}

/** `to` is excluded. */
export interface LiquiditySpan {
  readonly from: number;
  readonly to: number;
  readonly sums: LiquiditySums;
  /** Time that keeps the rule; 0 without a rule. */
  readonly up: Millis;
  readonly days: readonly DaySums[];
}

export const countUp = (rows: readonly OwnOffer[], rule: UpRule): Record<string, number> => ({
  [rule.key]: rows.reduce((all, row) => all + upMillis(row, rule), 0),
});

/** Returns for how long a minute keeps a rule. Without the times of own orders, its sample counts for all of it. */
function upMillis(row: OwnOffer, { isUp }: UpRule): Millis {
  if (!row.offer) return isUp(row) ? MINUTE : 0;
  const up = row.offer.parts.filter(({ spread: ownSpread, levels }) =>
    isUp({ ownSpread, ownOrders: { bids: levels, asks: levels }, ownDepth: row.ownDepth }),
  );
  return up.reduce((all, { millis }) => all + millis, 0);
}

/** Sums of some minutes of a day. */
export type DayPart = Pick<DaySums, "sums" | "runs" | "hours" | "up" | "missed">;

export const addUpMinutes = (
  minutes: Minutes,
  misses: readonly MissedMinute[] = [],
  rule?: UpRule,
): DayPart => ({
  sums: minuteSums(minutes.rows),
  runs: runsIn(minutes, misses),
  hours: hoursIn(minutes.rows),
  up: rule ? countUp(minutes.rows, rule) : {},
  missed: misses.length,
});

/** Joins two consecutive parts with the same rules, which meet at a whole hour. */
export const joinParts = (a: DayPart, b: DayPart): DayPart => ({
  sums: addSums(a.sums, b.sums),
  runs: [...a.runs, ...b.runs],
  hours: [...a.hours, ...b.hours],
  up: Object.fromEntries(Object.entries(a.up).map(([key, count]) => [key, count + (b.up[key] ?? 0)])),
  missed: a.missed + b.missed,
});

export function joinDays(
  { from, to }: Pick<LiquiditySpan, "from" | "to">,
  days: readonly DaySums[],
  rule?: UpRule,
): LiquiditySpan {
  const up = rule ? days.reduce((count, day) => count + upOn(day, rule), 0) : 0;
  return { from, to, sums: days.map(({ sums }) => sums).reduce(addSums, NO_SUMS), up, days };
}

function upOn({ up, day }: DaySums, { key }: UpRule): number {
  const count = up[key];
  if (count === undefined) throw new TypeError(`day ${day} is not counted by ${key}`);
  return count;
}

/** Returns the days of a span, with the start and end of each within it. */
export function spanDays({
  from,
  to,
}: Pick<LiquiditySpan, "from" | "to">): { day: number; from: number; to: number }[] {
  const first = dayOfMinute(from);
  return Array.from({ length: Math.max(0, dayOfMinute(to - 1) - first + 1) }, (_, index) => {
    const day = first + index;
    const begins = day * MINUTES_A_DAY;
    return { day, from: Math.max(from, begins), to: Math.min(to, begins + MINUTES_A_DAY) };
  });
}
