import { describe, expect, it } from "vitest";
import { csv } from "../../src/kernel/csv.ts";
import { type Decimal, text } from "../../src/kernel/decimal.ts";
import { MINUTE } from "../../src/kernel/time.ts";
import { gapsIn, liquidityReport, MINUTE_COLUMNS, minuteRow } from "../../src/liquidity/report.ts";
import type { LiquidityMinute } from "../../src/model/liquidity-minute.ts";
import { d } from "../support/grid.ts";

const row = (minute: number, over: Partial<LiquidityMinute> = {}): LiquidityMinute => ({
  minute,
  samples: 2,
  spread: d("0.01"),
  ownSpread: d("0.02"),
  ownOrders: { bids: 3, asks: 3 },
  ownDepth: { bids: [d("1"), d("2"), d("3")], asks: [d("4"), d("5"), d("6")] },
  depth: null,
  isCutShort: false,
  deviation: null,
  ...over,
});
const shown = (value: Decimal | null) => (value === null ? null : text(value));

describe("a liquidity report", () => {
  const rows = [
    row(10),
    row(11, { ownSpread: null, ownDepth: { bids: [0n, 0n, d("1")], asks: [0n, 0n, 0n] }, isCutShort: true }),
    row(13, { spread: d("0.03"), depth: { bids: [d("7"), d("8"), d("9")], asks: [0n, 0n, 0n] } }),
    row(14, { spread: null, ownDepth: null }),
  ];
  const report = liquidityReport({ from: 10, to: 20, rows }, { findings: [], incidents: [] });

  it("counts what is known, and how much of it is the visible book alone", () => {
    expect(report).toMatchObject({ minutes: 10, known: 4, samples: 8, cutShort: 1 });
  });

  it("tells one's own and the market apart, means of what is known", () => {
    const { own, market } = report;
    expect([own.spread, own.twoSided].map(shown)).toEqual(["0.02", "0.75"]);
    expect(own.depth?.bids.map(text)).toEqual([
      "0.666666666666666666",
      "1.333333333333333333",
      "2.333333333333333333",
    ]);
    expect(shown(market.spread)).toBe("0.016666666666666666");
    expect(shown(market.twoSided)).toBe("0.75");
    expect(market.depth?.bids.map(text)).toEqual(["7", "8", "9"]);
    const nothing = liquidityReport({ from: 0, to: 5, rows: [] }, { findings: [], incidents: [] });
    expect(nothing.own).toEqual({ spread: null, twoSided: null, depth: null });
    expect(nothing.gaps).toEqual([{ from: 0, to: 5, cause: "unknown" }]);
  });

  it("names each gap's cause by what most of it is explained by", () => {
    const at = (from: number, to: number, cause: "exchange" | "pause") => ({
      from: from * MINUTE,
      to: to * MINUTE,
      cause,
    });
    const incidents = [at(15, 16, "exchange"), at(15.5, 19, "pause"), at(12.5, 12.6, "exchange")];
    expect(gapsIn({ from: 9, to: 20, rows }, incidents)).toEqual([
      { from: 9, to: 10, cause: "unknown" },
      { from: 12, to: 13, cause: "exchange" },
      { from: 15, to: 20, cause: "pause" },
    ]);
  });

  it("is a table with a cell for each column, empty where nothing is known", () => {
    const table = csv(MINUTE_COLUMNS, rows.map(minuteRow)).trim().split("\r\n");
    expect(table.every((line) => line.split(",").length === MINUTE_COLUMNS.length)).toBe(true);
    expect(table[1]).toBe("600000,2,0.01,0.02,3,3,1,2,3,4,5,6,,,,,,,0,");
    expect(table[4]).toBe("840000,2,,0.02,3,3,,,,,,,,,,,,,0,");
  });
});
