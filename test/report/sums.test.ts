import { expect, it } from "vitest";
import { kindsOf } from "../../src/engine/accounts.ts";
import { gridKind } from "../../src/grid/kind.ts";
import { DAY, HOUR, MINUTE } from "../../src/kernel/time.ts";
import type { StrategyDay } from "../../src/model/news.ts";
import type { Kind } from "../../src/ports/kind.ts";
import { lateAfter, withLook } from "../../src/report/day.ts";
import { reportOver } from "../../src/report/figures.ts";
import { d, slot, state } from "../support/grid.ts";
import { ACCOUNT, strategy } from "../support/made.ts";

const totals = (total: string) => ({
  total: d(total),
  realized: d(total),
  fees: 0n,
  cycles: 0,
  filledOrders: 0,
  symbol: "BTC/USDT" as const,
});
const day = (
  number: number,
  opened: string,
  latest: string,
  over: Partial<StrategyDay> = {},
): StrategyDay => ({
  strategy: "g",
  day: number,
  account: ACCOUNT,
  opened: totals(opened),
  latest: totals(latest),
  from: number * DAY,
  to: (number + 1) * DAY,
  upMillis: DAY,
  inRangeMillis: DAY / 2,
  incidents: 1,
  isFinal: false,
  ...over,
});

it("a report counts from the start of its first day to the end of its last one", () => {
  const days = [day(10, "5", "8"), day(11, "8", "20", { upMillis: DAY / 2 })];
  const report = reportOver(days, { from: 10, to: 11, now: 12 * DAY + HOUR, named: new Map() });
  expect(report.strategies).toMatchObject([
    { totalProfit: "15", uptimePercent: 75, inRangePercent: 66.7, incidents: 2 },
  ]);
  expect(report.days.map(({ totalProfit }) => totalProfit)).toEqual(["3", "12"]);
});

it("a report has the P&L of each day of a strategy, from its first day to its last check", () => {
  const days = [
    day(11, "0", "3"),
    day(12, "3", "2"),
    day(14, "2", "9"),
    day(10, "0", "1", { strategy: "h" }),
  ];
  const report = reportOver(days, { from: 8, to: 15, now: 16 * DAY, named: new Map() });
  expect(report.strategies.map(({ id, days: each }) => [id, each])).toEqual([
    ["g", ["3", "-1", "0", "7", null]],
    ["h", ["1", null, null, null, null, null]],
  ]);
});

it("a report adds up a day of each quote asset, and paper profit apart from real profit", () => {
  const ofPair = (symbol: "ETH/BTC", total: string) => ({ ...totals(total), symbol });
  const days = [
    day(10, "0", "5"),
    day(10, "0", "3", { strategy: "h" }),
    day(10, "0", "900", { strategy: "paper", account: "dry:kraken:api.kraken.com" }),
    {
      ...day(10, "0", "0", { strategy: "b" }),
      opened: ofPair("ETH/BTC", "0"),
      latest: ofPair("ETH/BTC", "1"),
    },
  ];
  const report = reportOver(days, { from: 10, to: 10, now: 12 * DAY, named: new Map() });
  const sums = [
    ["USDT", "real", "8"],
    ["USDT", "paper", "900"],
    ["BTC", "real", "1"],
  ].sort();
  const rows = [report.days, report.totals].map((all) =>
    all.map(({ quote, mode, totalProfit }) => [quote, mode, totalProfit]).sort(),
  );
  expect(rows).toEqual([sums, sums]);
});

it("a report counts days without a server as downtime, until the strategy has stopped", () => {
  const noon = (number: number) => number * DAY + 12 * HOUR;
  const uptime = (...days: StrategyDay[]) =>
    reportOver(days, { from: 10, to: 13, now: 14 * DAY + HOUR, named: new Map() }).strategies[0]
      ?.uptimePercent;
  const first = day(10, "0", "0", { to: noon(10), upMillis: 12 * HOUR });
  const last = day(13, "0", "0", { from: noon(13), upMillis: 12 * HOUR });
  // 24 of 96 hours, 12 of 96, and 24 of 24.
  expect(uptime(first, last)).toBe(25);
  expect(uptime(first)).toBe(12.5);
  expect(uptime({ ...first, isFinal: true }, last)).toBe(100);
});

it("a report separates paper trading from real money, and one quote asset from another", () => {
  const paper = { strategy: "p", account: "dry:kraken:h" as typeof ACCOUNT };
  const euro = { strategy: "e", latest: { ...totals("9"), symbol: "BTC/EUR" as const } };
  const days = [day(10, "0", "1"), day(10, "0", "100", paper), day(10, "0", "9", euro)];
  const { totals: sums } = reportOver(days, { from: 10, to: 10, now: 11 * DAY, named: new Map() });
  expect(sums.map(({ quote, mode, totalProfit }) => [quote, mode, totalProfit]).sort()).toEqual([
    ["EUR", "real", "9"],
    ["USDT", "paper", "100"],
    ["USDT", "real", "1"],
  ]);
});

it("a day counts time in range only while passes are made", () => {
  const view = {
    strategy: strategy({ status: "running", state: state([slot()]) }),
    memory: { marks: { "BTC/USDT": { mid: d("105"), at: 1, observedAt: 1 } } },
    now: 5,
    openOrders: 1,
  } as never;
  const look = (isUp: boolean) =>
    withLook([day(10, "0", "0", { to: 10 * DAY + HOUR, upMillis: 0, inRangeMillis: 0 })], view, {
      now: 10 * DAY + HOUR + MINUTE,
      elapsed: MINUTE,
      dayBegan: 10 * DAY,
      isUp,
      incidents: 2,
      kinds: kindsOf([gridKind as unknown as Kind]),
    });
  expect(look(true)).toMatchObject({ upMillis: MINUTE, inRangeMillis: MINUTE, incidents: 3 });
  expect(look(false)).toMatchObject({ upMillis: 0, inRangeMillis: 0 });
});

it("an account is late after three intervals, and after a minute at least", () => {
  expect([lateAfter(5000), lateAfter(5 * MINUTE)]).toEqual([MINUTE, 15 * MINUTE]);
});
