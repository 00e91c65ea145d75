import { type Decimal, plainNumber, text, ZERO } from "../kernel/decimal.ts";
import { pluralize } from "../kernel/plain-text.ts";
import { DAY, dayOf, type Millis } from "../kernel/time.ts";
import { type Mode, modeOf, parseAccountKey } from "../model/account.ts";
import { dateOf } from "../model/limits.ts";
import type { DayTotals, StrategyDay } from "../model/news.ts";
import { CHECK_GAP_MS } from "./day.ts";
import type { Report, ReportDay, ReportRow, ReportTotal } from "./schema.ts";

interface ReportSpan {
  /** First and last day. */
  readonly from: number;
  readonly to: number;
  readonly now: Millis;
  /** Names and kinds of strategies by id. */
  readonly named: ReadonlyMap<string, Pick<ReportRow, "name" | "kind">>;
}

/** Returns the report of the days `from` to `to`, inclusive. */
export function reportOver(days: readonly StrategyDay[], { from, to, now, named }: ReportSpan): Report {
  const byStrategy = new Map<string, StrategyDay[]>();
  for (const day of days) {
    const known = byStrategy.get(day.strategy);
    if (known) known.push(day);
    else byStrategy.set(day.strategy, [day]);
  }
  const ids = [...byStrategy.keys()].sort();
  const end = Math.min(now, (to + 1) * DAY);
  const ends = { now, end, today: Math.min(dayOf(now), to) };
  const changes = ids.map((id) => changeOf(byStrategy.get(id) ?? [], ends));
  return {
    from: from * DAY,
    to: end,
    totals: reportTotals(changes),
    strategies: changes.map((change) => reportRow(change, named.get(change.last.strategy))),
    days: reportDays([...byStrategy.values()]),
    count: ids.length,
  };
}

interface StrategyChange {
  readonly last: StrategyDay;
  /** P&L of each day, from its first one to the last of the period; null after its last check while it runs. */
  readonly days: readonly (Decimal | null)[];
  readonly gained: Pick<DayTotals, "total" | "realized" | "fees" | "cycles" | "filledOrders">;
  readonly expected: Millis;
  readonly up: Millis;
  readonly inRange: Millis;
  readonly incidents: number;
}

interface ReportEnd {
  readonly now: Millis;
  readonly end: Millis;
  /** The last day that has begun. */
  readonly today: number;
}

function changeOf(rows: readonly StrategyDay[], ends: ReportEnd): StrategyChange {
  const sorted = [...rows].sort((a, b) => a.day - b.day);
  const [first, last] = [sorted[0] as StrategyDay, sorted.at(-1) as StrategyDay];
  const sum = (value: (row: StrategyDay) => number) => sorted.reduce((all, row) => all + value(row), 0);
  const gained = (name: "total" | "realized" | "fees") => last.latest[name] - first.opened[name];
  return {
    last,
    days: daysOfStrategy(sorted, ends.today),
    gained: {
      total: gained("total"),
      realized: gained("realized"),
      fees: gained("fees"),
      cycles: last.latest.cycles - first.opened.cycles,
      filledOrders: last.latest.filledOrders - first.opened.filledOrders,
    },
    expected: sorted.reduce(
      (all, row, index) => all + expectedUntil(row, sorted[index + 1], ends) - row.from,
      0,
    ),
    up: sum(({ upMillis }) => upMillis),
    inRange: sum(({ inRangeMillis }) => inRangeMillis),
    incidents: sum(({ incidents }) => incidents),
  };
}

/** Returns the P&L of each day; what changed between two checked days counts to the later one. */
function daysOfStrategy(sorted: readonly StrategyDay[], last: number): readonly (Decimal | null)[] {
  const first = sorted[0]?.day ?? last;
  const { day: checked = last, isFinal = false } = sorted.at(-1) ?? {};
  const days: (Decimal | null)[] = Array.from({ length: last - first + 1 }, (_one, index) =>
    first + index <= checked || isFinal ? ZERO : null,
  );
  for (const [index, { day, latest, opened }] of sorted.entries())
    days[day - first] = latest.total - (sorted[index - 1]?.latest ?? opened).total;
  return days;
}

/** Returns until when the strategy was to run. Time without a check counts, with whole days, unless the strategy has stopped. */
function expectedUntil({ isFinal, to }: StrategyDay, next: StrategyDay | undefined, { now, end }: ReportEnd) {
  if (isFinal) return to;
  return next?.from ?? (now - to <= CHECK_GAP_MS ? to : end);
}

function reportRow(
  { last, days, gained, expected, up, inRange, incidents }: StrategyChange,
  { name, kind: ofStrategy }: Pick<ReportRow, "name" | "kind"> = { name: null, kind: null },
): ReportRow {
  const { exchange } = parseAccountKey(last.account);
  return {
    id: last.strategy,
    name,
    kind: ofStrategy,
    exchange,
    mode: modeOf(last.account),
    symbol: last.latest.symbol,
    totalProfit: text(gained.total),
    realizedProfit: text(gained.realized),
    fees: text(gained.fees),
    cycles: gained.cycles,
    filledOrders: gained.filledOrders,
    days: days.map((day) => (day === null ? null : text(day))),
    inRangePercent: percentOfWhole(inRange, up),
    uptimePercent: percentOfWhole(up, expected),
    incidents,
  };
}

/** Rounds a percentage to one decimal; null if the whole is zero. */
const percentOfWhole = (part: Millis, whole: Millis): number | null =>
  whole <= 0 ? null : Math.min(100, Math.round((1000 * part) / whole) / 10);

const quoteOf = ({ last }: StrategyChange): string => last.latest.symbol.split("/")[1] ?? "";

function reportTotals(changes: readonly StrategyChange[]): ReportTotal[] {
  const groups = new Map<string, StrategyChange[]>();
  for (const change of changes) {
    const key = `${modeOf(change.last.account)} ${quoteOf(change)}`;
    groups.set(key, [...(groups.get(key) ?? []), change]);
  }
  return [...groups.values()].map((group) => {
    const add = (name: "total" | "realized" | "fees"): Decimal =>
      group.reduce((sum, { gained }) => sum + gained[name], ZERO);
    const [strategyChange] = group as [StrategyChange];
    return {
      quote: quoteOf(strategyChange),
      mode: modeOf(strategyChange.last.account),
      totalProfit: text(add("total")),
      realizedProfit: text(add("realized")),
      fees: text(add("fees")),
      cycles: group.reduce((sum, { gained }) => sum + gained.cycles, 0),
      filledOrders: group.reduce((sum, { gained }) => sum + gained.filledOrders, 0),
      incidents: group.reduce((sum, { incidents }) => sum + incidents, 0),
    };
  });
}

/** Returns the sums of each day. What changed between two checked days counts to the later one. */
function reportDays(strategies: readonly (readonly StrategyDay[])[]): ReportDay[] {
  const sums = new Map<string, { at: StrategyDay; total: Decimal; realized: Decimal }>();
  for (const rows of strategies) {
    const sorted = [...rows].sort((a, b) => a.day - b.day);
    for (const [index, row] of sorted.entries()) {
      const before = sorted[index - 1]?.latest ?? row.opened;
      const key = `${row.day} ${modeOf(row.account)} ${row.latest.symbol.split("/")[1]}`;
      const sum = sums.get(key) ?? { at: row, total: ZERO, realized: ZERO };
      sums.set(key, {
        at: row,
        total: sum.total + row.latest.total - before.total,
        realized: sum.realized + row.latest.realized - before.realized,
      });
    }
  }
  return [...sums.values()]
    .sort((a, b) => a.at.day - b.at.day)
    .map(({ at, total, realized }) => ({
      day: dateOf(at.day),
      quote: at.latest.symbol.split("/")[1] ?? "",
      mode: modeOf(at.account),
      totalProfit: text(total),
      realizedProfit: text(realized),
    }));
}

/** Formats the report for an alert channel: the totals first. */
export function reportLines({ totals, strategies }: Report): readonly string[] {
  const of = ({ mode }: { readonly mode: Mode }) => (mode === "paper" ? " (paper trading)" : "");
  if (strategies.length === 0) return ["no strategy was running"];
  return [
    ...totals.map(
      (total) =>
        `total ${toSixDigits(total.totalProfit)} ${total.quote}${of(total)}: ${toSixDigits(total.realizedProfit)} realized, fees ${toSixDigits(total.fees)}, ${pluralize(total.cycles, "cycle")}, ${total.incidents} incidents`,
    ),
    ...strategies
      .slice(0, MAX_STRATEGIES_SHOWN)
      .map(
        (row) =>
          `${row.name ?? row.id}${of(row)}: ${toSixDigits(row.totalProfit)}, ${pluralize(row.cycles, "cycle")}, in range ${formatShare(row.inRangePercent)}, up ${formatShare(row.uptimePercent)}`,
      ),
    ...(strategies.length > MAX_STRATEGIES_SHOWN
      ? [`… and ${strategies.length - MAX_STRATEGIES_SHOWN} more`]
      : []),
  ];
}

const MAX_STRATEGIES_SHOWN = 20;

const toSixDigits = (value: string): string => plainNumber(Number(Number(value).toPrecision(6)));

/** Formats a share; it is unknown for a single moment. */
export const formatShare = (share: number | null): string =>
  share === null ? "not known yet" : `${share} %`;
