import { parseClientOrderId } from "../kernel/ids.ts";
import { DAY, HOUR, type Millis } from "../kernel/time.ts";
import type { Side } from "../model/market.ts";
import type { DayTotals, StrategyDay } from "../model/news.ts";
import type { MeasuredFill, SpreadFill } from "../model/order.ts";
import { addToTallies, newTally, type Tally } from "./tally.ts";

/** A strategy's day with the fills between its last check and the last check of the day before. */
export interface MeasuredDay<Counts = Tally> {
  readonly row: StrategyDay;
  readonly before: DayTotals;
  /** Market time; `until` is exclusive. */
  readonly since: Millis;
  readonly until: Millis;
  readonly tally: Counts;
}

interface DaySpan<Counts> {
  /** First day. A row of the day before only shows where it begins. */
  readonly from: number;
  readonly marketTime: (now: Millis) => Millis;
  readonly newTally: () => Counts;
}

/** Returns a strategy's days in order. As in the report, what changed between two checked days counts to the later one. */
export function measuredDays<Counts>(
  rows: readonly StrategyDay[],
  { from, marketTime, newTally }: DaySpan<Counts>,
): MeasuredDay<Counts>[] {
  const sorted = [...rows].sort((a, b) => a.day - b.day);
  return sorted.flatMap((row, index): MeasuredDay<Counts>[] => {
    if (row.day < from) return [];
    const before = sorted[index - 1];
    // As in the report, what changed before the first check of the span does not count, unless it was on the day before.
    const previous = before && before.day >= Math.min(from, row.day - 1) ? before : undefined;
    const { opened } = row;
    // A strategy that began on this day has all its fills in it.
    const hasBegun = opened.total === 0n && opened.fees === 0n && row.from > row.day * DAY;
    const since = previous ? marketTime(previous.to) : hasBegun ? 0 : marketTime(row.from);
    const start = previous && previous.day >= from ? previous.latest : opened;
    return [{ row, before: start, since, until: marketTime(row.to), tally: newTally() }];
  });
}

/** Fills of one side, of one level of a side, or of one hour of the day in UTC. */
interface FillGroup {
  readonly side: Side | null;
  readonly level: number | null;
  readonly hour: number | null;
  readonly tally: Tally;
}

/** The measured fills of a strategy. */
export interface MeasuredStrategy {
  readonly days: readonly MeasuredDay[];
  /** Null if they were not requested; they take most of the time. */
  readonly groups: Map<string, FillGroup> | null;
}

/** Returns a function that adds fills, newest first, if they are on one of the days and changed the ledger. */
export function dayCounter<Counts, One extends SpreadFill>(
  days: readonly MeasuredDay<Counts>[],
  add: (tally: Counts, fill: One) => void,
): (fill: One) => void {
  let index = days.length - 1;
  return (fill) => {
    while (index > 0 && fill.at < (days[index] as MeasuredDay<Counts>).since) index--;
    const { since, until, tally } = days[index] as MeasuredDay<Counts>;
    if (!fill.superseded && fill.at >= since && fill.at < until) add(tally, fill);
  };
}

/** Does so for a strategy and its groups. */
export const fillCounter = ({ days, groups }: MeasuredStrategy): ((fill: MeasuredFill) => void) =>
  dayCounter(days, (tally, fill) =>
    addToTallies(groups ? [tally, ...talliesOf(groups, fill)] : [tally], fill),
  );

function talliesOf(groups: Map<string, FillGroup>, { side, clientId, at }: MeasuredFill): Tally[] {
  const level = parseClientOrderId(clientId)?.slot ?? null;
  const hour = Math.floor(at / HOUR) % 24;
  const keys: Omit<FillGroup, "tally">[] = [
    { side, level: null, hour: null },
    { side: null, level: null, hour },
    ...(level === null ? [] : [{ side, level, hour: null }]),
  ];
  return keys.map((key) => {
    const name = JSON.stringify(key);
    const group = groups.get(name) ?? { ...key, tally: newTally() };
    groups.set(name, group);
    return group.tally;
  });
}
