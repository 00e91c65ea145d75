import { describe, expect, it } from "vitest";
import type { Decimal } from "../../src/kernel/decimal.ts";
import {
  bitgetSt,
  dayAverages,
  isKnown,
  type LiquidityDay,
  mexcSt,
  volumeFinding,
} from "../../src/liquidity/exchange-rules.ts";
import {
  agreementRule,
  countUp,
  gateRule,
  joinDays,
  joinParts,
  overallState,
  quotingAgreement,
  spanDays,
  upShare,
} from "../../src/liquidity/obligations.ts";
import {
  costToTradeShown,
  findingsOf,
  slippageText,
  tradeCostsOut,
} from "../../src/liquidity/page-tables.tsx";
import { daysOut, findingOut, hoursOut } from "../../src/liquidity/report.ts";
import { totalCosts } from "../../src/liquidity/schema.ts";
import type { LiquidityMinute } from "../../src/model/samples/sample.ts";
import { NO_SUMS } from "../../src/model/samples/sums.ts";
import { d } from "../support/grid.ts";
import { findingsOver, liquidityMinute, spanOf } from "../support/liquidity-minute.ts";

const A_DAY = 1440;
const minutes = (count: number, over: Partial<LiquidityMinute> = {}, from = 0) =>
  Array.from({ length: count }, (_, minute) => liquidityMinute({ minute: from + minute, ...over }));
const day = (day: number, spread: string | null, over: Partial<LiquidityDay> = {}): LiquidityDay => ({
  day,
  known: A_DAY,
  broken: 0,
  spread: spread === null ? null : d(spread),
  deviation: d("0.01"),
  ...over,
});

describe("a day's means", () => {
  it("are known from half of its minutes on", () => {
    const of = (count: number, over: Partial<LiquidityMinute> = {}) =>
      dayAverages({ day: 1, sums: spanOf({ from: 0, to: A_DAY, rows: minutes(count, over) }).sums } as never);
    expect(of(720, { deviation: d("0.02") })).toEqual({
      day: 1,
      known: 720,
      broken: 0,
      spread: d("0.01"),
      deviation: d("0.02"),
    });
    expect(of(719, { deviation: d("0.02") })).toMatchObject({ known: 719, spread: null, deviation: null });
    expect(of(720, { spread: null })).toMatchObject({ broken: 720, spread: null });
    // A few minutes with a value are not the day's mean.
    const few = [...minutes(719, { deviation: d("0.02") }), ...minutes(721, { spread: null }, 719)];
    const { sums } = spanOf({ from: 0, to: A_DAY, rows: few });
    expect(dayAverages({ day: 1, sums } as never)).toEqual({
      day: 1,
      known: A_DAY,
      broken: 721,
      spread: null,
      deviation: null,
    });
    expect([719, 720].map((known) => isKnown({ known } as LiquidityDay))).toEqual([false, true]);
  });
});

describe("the rules of exchanges", () => {
  const days = (count: number, ...more: LiquidityDay[]) => [
    ...Array.from({ length: count }, (_, place) => day(place, "0.03")),
    ...more,
  ];
  const UNKNOWN = day(99, null, { known: 3, deviation: null });

  it("name what is missing for a result, and nothing else", () => {
    const [spread, deviation, volume] = mexcSt(days(14, UNKNOWN));
    expect(spread).toMatchObject({
      state: "unknown",
      value: d("0.03"),
      limit: d("0.02"),
      reason: "1 of 15 whole days have a spread in less than half of their minutes",
    });
    expect(deviation).toMatchObject({
      state: "unknown",
      value: null,
      limit: d("0.15"),
      reason: "1 of 15 whole days have too few samples, or no price of another exchange",
    });
    expect(volume).toMatchObject({
      value: null,
      limit: d("50000"),
      reason: expect.stringContaining("candle"),
    });
    expect(mexcSt(days(14))[1]).toMatchObject({
      state: "unknown",
      reason: "the rule needs 15 whole days, and the report has 14",
    });
    const [kept, near] = mexcSt(days(15).map((one) => ({ ...one, spread: d("0.01") })));
    expect([kept, near]).toMatchObject([
      { state: "kept", reason: undefined },
      { state: "kept", value: d("0.01"), reason: undefined },
    ]);
    expect(mexcSt(days(15))[0]).toMatchObject({ state: "missed", reason: undefined });
  });

  it("of the price use every window of fifteen days, and show the last one", () => {
    const far = (place: number) => day(place, "0.01", { deviation: d("0.3") });
    const near = (place: number) => day(place, "0.01", { deviation: d("0.1") });
    const early = [
      ...Array.from({ length: 8 }, (_, i) => far(i)),
      ...Array.from({ length: 15 }, (_, i) => near(i)),
    ];
    // Eight days of 0.3 and seven of 0.1 are 0.20666… on average.
    expect(mexcSt(early)[1]).toMatchObject({ state: "missed", value: d("0.1"), reason: undefined });
    expect(mexcSt([UNKNOWN, ...early])[1]).toMatchObject({ state: "missed" });
    expect(mexcSt([UNKNOWN, ...early.slice(8)])[1]).toMatchObject({ state: "unknown", value: d("0.1") });
  });

  it("of Bitget use the last seven days, with the user's own limits", () => {
    const week = Array.from({ length: 8 }, (_, place) => day(place, place === 0 ? "0.9" : "0.03"));
    const found = (all: readonly LiquidityDay[], limits: object = {}) =>
      bitgetSt(all, limits).map(({ state, value, limit, reason }) => [state, value, limit, reason]);
    expect(found(week)).toEqual([
      ["shown", d("0.03"), null, undefined],
      ["shown", d("0.01"), null, undefined],
    ]);
    expect(found(week, { spread: d("0.03"), deviation: d("0.009") })).toEqual([
      ["kept", d("0.03"), d("0.03"), undefined],
      ["missed", d("0.01"), d("0.009"), undefined],
    ]);
    const few = "the policy needs seven whole days with samples";
    expect(found(week.slice(2), { spread: d("1") })).toEqual([
      ["unknown", null, d("1"), few],
      ["shown", null, null, few],
    ]);
    const over = { preset: "bitget-st", request: { spread: d("0.03") } } as const;
    expect(findingsOver(over, { from: 0, to: A_DAY, rows: [] }).map(({ limit }) => limit)).toEqual([
      d("0.03"),
      null,
    ]);
  });

  it("of a volume need thirty days, and use the last ones", () => {
    const volumes = (count: number, first: Decimal | null = d("10")) => [
      first,
      ...Array(count - 1).fill(d("10")),
    ];
    expect(volumeFinding("v", volumes(30), null)).toEqual({
      rule: "v",
      state: "shown",
      unit: "quote",
      value: d("10"),
      limit: null,
      reason: undefined,
    });
    expect(volumeFinding("v", volumes(31, null), null).value).toBe(d("10"));
    expect(volumeFinding("v", volumes(30, null), null)).toMatchObject({
      value: null,
      reason: "a daily candle of the exchange is missing",
    });
    expect(volumeFinding("v", volumes(29), null).value).toBeNull();
  });

  it("count whole days alone", () => {
    const rows = minutes(A_DAY + 100, { spread: d("0.03") });
    const span = spanOf({ from: 0, to: A_DAY + 100, rows });
    expect(findingsOf({ preset: "mexc-st", request: {} }, span)[0]?.value).toBe(d("0.03"));
    const [wide] = findingsOf(
      { preset: "mexc-st", request: {} },
      spanOf({ from: 0, to: 100, rows: rows.slice(0, 100) }),
    );
    expect(wide?.value).toBeNull();
  });
});

describe("the time that keeps a rule", () => {
  const offer = {
    parts: [
      { spread: d("0.01"), levels: 2, millis: 20_000 },
      { spread: d("0.03"), levels: 2, millis: 10_000 },
      { spread: d("0.01"), levels: 1, millis: 5000 },
    ],
    uncertain: 500,
  };
  const rule = agreementRule({ spread: d("0.01"), levels: 2 });

  it("is that of the parts of a minute, or the whole minute by its sample", () => {
    expect(countUp([liquidityMinute({ offer })], rule)).toEqual({ "agreement 0.01 2": 20_000 });
    expect(countUp(minutes(2), rule)).toEqual({ "agreement 0.01 2": 120_000 });
    const other = agreementRule({ spread: d("0.03"), levels: 1 });
    expect(countUp([liquidityMinute({ offer })], other)).toEqual({ "agreement 0.03 1": 35_000 });
    expect(gateRule({ spread: d("0.02"), size: d("5"), band: 0 })).toMatchObject({
      key: "gate-score 0.02 5 0",
      usesDepth: true,
    });
    expect(rule.usesDepth).toBe(false);
  });

  it("is missed only if neither unknown minutes nor uncertain seconds could keep it", () => {
    const span = (up: number, known: number, uncertain: number) =>
      ({ from: 0, to: 10, up, sums: { ...NO_SUMS, known, uncertain } }) as never;
    const found = (...of: [number, number, number]) => {
      const { state, value, reason } = upShare([span(...of)], { rule: "r", required: d("0.5") });
      return [state, value, reason];
    };
    expect(found(300_000, 10, 0)).toEqual(["kept", d("0.5"), undefined]);
    expect(found(299_999, 10, 0)[0]).toBe("missed");
    expect(found(299_000, 10, 1001)).toEqual([
      "unknown",
      d("0.498333333333333333"),
      "2 seconds between reads of the orders are uncertain, and could change the result",
    ]);
    expect(found(299_000, 10, 999)[0]).toBe("missed");
    expect(found(240_000, 9, 0)).toEqual([
      "unknown",
      d("0.444444444444444444"),
      "1 of 10 minutes has no sample, and could change the result",
    ]);
    expect(found(0, 0, 0).slice(0, 2)).toEqual(["unknown", null]);
    expect(upShare([], { rule: "r", required: 0n })).toMatchObject({ state: "unknown", value: null });
  });

  it("has no reason where the result is certain", () => {
    const request = { spread: d("0.01"), depth: d("600"), band: 2, levels: 2, uptime: d("0.9") } as const;
    const found = quotingAgreement(
      spanOf({ from: 0, to: 3, rows: minutes(3) }, { rule: agreementRule(request) }),
      request,
    );
    expect(found.map(({ state, reason }) => [state, reason])).toEqual(Array(3).fill(["kept", undefined]));
  });

  it("is joined from days and parts of days, each under its rule", () => {
    const part = (count: number) => ({
      sums: NO_SUMS,
      runs: [],
      hours: [],
      up: { a: count, b: 1 },
      missed: count,
    });
    expect(joinParts(part(2), part(3))).toMatchObject({ up: { a: 5, b: 2 }, missed: 5 });
    const days = [1, 2].map((one) => ({ day: one, hash: null, ...part(one) }));
    expect(joinDays({ from: 0, to: 9 }, days, { key: "a" } as never).up).toBe(3);
    expect(joinDays({ from: 0, to: 9 }, days).up).toBe(0);
    expect(() => joinDays({ from: 0, to: 9 }, days, { key: "c" } as never)).toThrow(
      /day 1 is not counted by c/,
    );
    expect(spanDays({ from: 5, to: A_DAY + 1 })).toEqual([
      { day: 0, from: 5, to: A_DAY },
      { day: 1, from: A_DAY, to: A_DAY + 1 },
    ]);
    expect(spanDays({ from: 0, to: A_DAY })).toHaveLength(1);
    expect(spanDays({ from: 5, to: 5 })).toHaveLength(1);
  });
});

it("the worst result decides, and figures that are shown decide nothing", () => {
  const of = (...states: ("kept" | "missed" | "unknown" | "shown")[]) =>
    overallState(states.map((state) => ({ state })));
  expect([
    of(),
    of("shown"),
    of("kept", "shown"),
    of("kept", "unknown"),
    of("unknown", "missed", "kept"),
  ]).toEqual([null, null, "kept", "unknown", "missed"]);
});

describe("figures in a response", () => {
  it("are percent for shares, and quote as it is", () => {
    const finding = { rule: "r", state: "kept", value: d("0.5"), limit: d("2") } as const;
    expect(findingOut({ ...finding, unit: "share", reason: "why" })).toEqual({
      rule: "r",
      state: "kept",
      unit: "percent",
      value: 50,
      limit: 200,
      reason: "why",
    });
    expect(findingOut({ ...finding, unit: "quote", value: null })).toMatchObject({
      unit: "quote",
      value: null,
      limit: 2,
      reason: null,
    });
  });

  it("by hour begin with the hour of the first minute, and end with that of the last", () => {
    const span = spanOf({ from: 70, to: 190, rows: minutes(5, { ownDepth: null }, 125) });
    expect(hoursOut(span)).toEqual({
      from: 3_600_000,
      ownTwoSidedPercent: [null, 100, null],
      ownSpreadPercent: [null, 1, null],
      ownBidsWithin2: [null, null, null],
      ownAsksWithin2: [null, null, null],
    });
    expect(hoursOut({ ...span, from: 60, to: 180 }).ownSpreadPercent).toHaveLength(2);
  });

  it("by day have the share of a rule only for days with samples", () => {
    const rule = agreementRule({ spread: d("0.01"), levels: 2 });
    const span = spanOf({ from: 0, to: 2 * A_DAY, rows: minutes(4) }, { rule });
    expect(daysOut(span, (one) => `day ${one}`, rule)).toMatchObject([
      { day: "day 0", known: 4, upPercent: 100, bidsWithin2: null },
      { day: "day 1", known: 0, upPercent: null, ownSpreadPercent: null, ownBidsWithin2: null },
    ]);
    expect(daysOut(span, String)[0]?.upPercent).toBeNull();
  });

  it("of slippage are rounded outward, and bounded only where the book is known", () => {
    const cost = {
      day: null,
      amount: "100",
      atLeastPercent: 0.123,
      atMostPercent: 0.561,
      bookEndsPercent: 0,
    };
    expect(slippageText(cost)).toBe("0.12 to 0.57\u00a0%");
    expect(slippageText({ ...cost, atLeastPercent: 0.12, atMostPercent: 0.56 })).toBe("0.12 to 0.56\u00a0%");
    expect(slippageText({ ...cost, atMostPercent: null })).toBe("at least 0.12\u00a0%");
    expect(slippageText({ ...cost, atLeastPercent: null })).toBe("not known");
    expect(costToTradeShown([cost, { ...cost, day: "2026-01-01" }])).toMatchObject([
      { day: "all days", "order of 100": "0.12 to 0.57\u00a0%" },
      { day: "2026-01-01" },
    ]);
  });

  it("of slippage are means over both sides of all samples, in percent of the amount", () => {
    const sizes = [
      { least: d("3"), most: d("5"), ended: 0 },
      { least: d("30"), most: d("50"), ended: 1 },
    ];
    const sums = { ...NO_SUMS, known: 2, slippage: { sides: 4, sizes } };
    const days = [
      { day: 1, sums },
      { day: 2, sums: NO_SUMS },
    ];
    const out = tradeCostsOut({ sums, days } as never, String, true);
    // 3 of 4 · 100, and 30 of 4 · 1,000.
    expect(out.slice(0, 2)).toEqual([
      { day: null, amount: "100", atLeastPercent: 0.75, atMostPercent: 1.25, bookEndsPercent: 0 },
      { day: null, amount: "1000", atLeastPercent: 0.75, atMostPercent: null, bookEndsPercent: 25 },
    ]);
    expect(new Set(out.map((cost) => cost.day))).toEqual(new Set([null, "1"]));
    expect(new Set(tradeCostsOut({ sums, days } as never, String, false).map((cost) => cost.day))).toEqual(
      new Set([null]),
    );
    expect(tradeCostsOut({ sums: NO_SUMS, days: [] } as never, String, false)[0]).toEqual({
      day: null,
      amount: "100",
      atLeastPercent: null,
      atMostPercent: null,
      bookEndsPercent: null,
    });
  });

  it("of costs are added up per quote asset, each market once, and unknown ones are counted", () => {
    const profit = {
      total: d("5"),
      spread: d("3"),
      inventory: d("4"),
      fees: d("2"),
      fills: 2,
      withoutMid: 1,
    };
    const cost = (symbol: string, known = true) =>
      ({ market: { exchange: "kraken", symbol }, profit: known ? profit : null }) as never;
    const totals = totalCosts([
      cost("BTC/USDT"),
      cost("BTC/USDT"),
      cost("ETH/USDT"),
      cost("ADA/USDT", false),
      cost("BTC/EUR", false),
    ]);
    expect(totals).toMatchObject([{ quote: "USDT", fills: 4, withoutMid: 2, markets: 3, unknownMarkets: 1 }]);
  });
});
