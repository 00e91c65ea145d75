import { expect, it } from "vitest";
import { DAY, HOUR, type Millis } from "../../src/kernel/time.ts";
import type { StrategyDay } from "../../src/model/news.ts";
import { dayCounter, measuredDays } from "../../src/quality/measure.ts";
import { reportOver } from "../../src/report/figures.ts";
import { d } from "../support/grid.ts";

const totals = (total: string) => ({
  symbol: "BTC/USDT" as const,
  total: d(total),
  realized: 0n,
  fees: d("1"),
  cycles: 0,
  filledOrders: 0,
});

/** A row of a day that was checked from one hour to another. */
const row = (day: number, opened: string, latest: string, [from, to]: [number, number]): StrategyDay => ({
  strategy: "s",
  account: "sandbox:kraken:",
  day,
  opened: totals(opened),
  latest: totals(latest),
  from: day * DAY + from * HOUR,
  to: day * DAY + to * HOUR,
  upMillis: 0,
  inRangeMillis: 0,
  incidents: 0,
  isFinal: false,
});

const at = (day: number, hour: number): Millis => day * DAY + hour * HOUR;

/** Returns the P&L of each day, and the fills that it counts, from day 10 on. */
function measured(rows: readonly StrategyDay[], fills: readonly Millis[]) {
  const newTally = () => [] as Millis[];
  const days = measuredDays(rows, { from: 10, marketTime: (now) => now, newTally });
  const count = dayCounter(days, (tally, fill: { readonly at: Millis }) => tally.push(fill.at));
  for (const one of fills.toReversed()) count({ at: one, superseded: false } as never);
  const sums = days.map(({ row: { day, latest }, before, tally }) => [
    day,
    latest.total - before.total,
    tally.toReversed(),
  ]);
  const inSpan = rows.filter(({ day }) => day >= 10);
  const report = reportOver(inSpan, { from: 10, to: 12, now: 13 * DAY, named: new Map() });
  return { sums, total: report.totals[0]?.totalProfit };
}

/** A fill in each part of the days 9 to 11. */
const FILLS = [at(9, 20), at(9, 23), at(10, 5), at(11, 5), at(11, 8)];

it("a day's P&L and fills begin with the last check of the day before", () => {
  const rows = [row(9, "0", "5", [0, 22]), row(10, "5", "9", [0, 24]), row(11, "9", "10", [0, 24])];
  expect(measured(rows, FILLS)).toEqual({
    sums: [
      [10, d("4"), [at(9, 23), at(10, 5)]],
      [11, d("1"), [at(11, 5), at(11, 8)]],
    ],
    total: "5",
  });
});

it("what changed between two checked days counts to the later one", () => {
  const rows = [row(10, "5", "6", [0, 4]), row(12, "8", "9", [6, 24])];
  expect(measured(rows, FILLS)).toEqual({
    sums: [
      [10, d("1"), []],
      [12, d("3"), [at(10, 5), at(11, 5), at(11, 8)]],
    ],
    total: "4",
  });
});

it("a span that begins without a check counts neither the P&L nor the fills before its first one", () => {
  const rows = [row(9, "0", "5", [0, 22]), row(11, "7", "9", [6, 24])];
  expect(measured(rows, FILLS)).toEqual({ sums: [[11, d("2"), [at(11, 8)]]], total: "2" });
});
