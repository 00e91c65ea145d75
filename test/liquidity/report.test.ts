import { describe, expect, it } from "vitest";
import { csv } from "../../src/kernel/csv.ts";
import { type Decimal, text } from "../../src/kernel/decimal.ts";
import { gapsIn, liquidityReport, MINUTE_COLUMNS, minuteRow } from "../../src/liquidity/report.ts";
import type { LiquidityMinute } from "../../src/model/samples/sample.ts";
import { d } from "../support/grid.ts";
import { spanOf } from "../support/liquidity-minute.ts";

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
  sources: 0,
  absence: null,
  offer: null,
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
  const report = liquidityReport(spanOf({ from: 10, to: 20, rows }), [], undefined);

  it("counts known minutes, and how many of them had a truncated order book", () => {
    expect(report).toMatchObject({ minutes: 10, known: 4, samples: 8, cutShort: 1 });
  });

  it("shows own and market figures separately, as means of known minutes", () => {
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
    const nothing = liquidityReport(spanOf({ from: 0, to: 5, rows: [] }), [], undefined);
    expect(nothing.own).toEqual({ spread: null, twoSided: null, depth: null });
    expect(nothing.gaps).toEqual([{ from: 0, to: 5, what: "unseen", cause: "unknown" }]);
  });

  it("starts a new gap where its cause changes", () => {
    const misses = [15, 16, 17].map((minute) => ({ minute, cause: "exchange" as const }));
    const away = (minute: number, absence: "funds" | "pause") =>
      row(minute, { ownOrders: { bids: 2, asks: 0 }, ownSpread: null, absence });
    const span = {
      from: 8,
      to: 24,
      rows: [...rows, away(21, "funds"), away(22, "funds"), away(23, "pause")],
    };
    expect([...gapsIn(spanOf(span, { misses }), 10)]).toEqual([
      { from: 8, to: 10, what: "unseen", cause: "unknown" },
      { from: 12, to: 13, what: "unseen", cause: "ours" },
      { from: 15, to: 18, what: "unseen", cause: "exchange" },
      { from: 18, to: 21, what: "unseen", cause: "ours" },
      { from: 21, to: 23, what: "absent", cause: "funds" },
      { from: 23, to: 24, what: "absent", cause: "pause" },
    ]);
    // Before the first strategy of the pair, nobody can have paused one.
    const early = spanOf({
      from: 20,
      to: 24,
      rows: [row(20), away(21, "pause"), away(22, "pause"), away(23, "pause")],
    });
    expect([...gapsIn(early, 10, 22)]).toEqual([
      { from: 21, to: 22, what: "absent", cause: "not_started" },
      { from: 22, to: 24, what: "absent", cause: "pause" },
    ]);
    // Where nothing of one's own ever rested, that it does not is no gap.
    const nothing = row(8, { ownOrders: { bids: 0, asks: 0 }, absence: "pause" });
    const bare = spanOf({ from: 8, to: 9, rows: [nothing] });
    expect([...gapsIn(bare, undefined)]).toEqual([]);
    expect([...gapsIn(bare, undefined, Number.POSITIVE_INFINITY)]).toEqual([]);
    // Unless a strategy of the pair was started.
    expect([...gapsIn(bare, undefined, 3)]).toEqual([{ from: 8, to: 9, what: "absent", cause: "pause" }]);
  });

  it("lists the longest of many gaps, and how many more there are", () => {
    const every = Array.from({ length: 150 }, (_, place) => row(place * 3));
    const many = liquidityReport(spanOf({ from: 0, to: 460, rows: every }), [], 0);
    expect([many.gaps.length, many.moreGaps]).toEqual([100, 50]);
    // After the last row there are twelve minutes, not two.
    expect(many.gaps.at(-1)).toMatchObject({ from: 448, to: 460, cause: "ours" });
  });

  it("finds the longest of thousands of gaps, wherever they are", () => {
    // Each is as long as its number modulo 50, so a hundred of the longest are in every part of the span.
    const lengths = Array.from({ length: 6000 }, (_, place) => 1 + (place % 50));
    const rows: LiquidityMinute[] = [row(0)];
    for (const length of lengths) rows.push(row((rows.at(-1)?.minute ?? 0) + 1 + length));
    const to = (rows.at(-1)?.minute ?? 0) + 1;
    const { gaps, moreGaps } = liquidityReport(spanOf({ from: 0, to, rows }), [], 0);
    expect([gaps.length, moreGaps]).toEqual([100, 5900]);
    expect(new Set(gaps.map((gap) => gap.to - gap.from))).toEqual(new Set([50]));
    expect(gaps.map(({ from }) => from)).toEqual(
      rows.flatMap(({ minute }, place) => (place % 50 === 49 ? [minute + 1] : [])).slice(0, 100),
    );
  });

  it("is a table with a cell for each column, empty for unknown values", () => {
    const table = csv(MINUTE_COLUMNS, rows.map(minuteRow)).trim().split("\r\n");
    expect(table.every((line) => line.split(",").length === MINUTE_COLUMNS.length)).toBe(true);
    expect(table[1]).toBe("600000,2,0.01,0.02,3,3,1,2,3,4,5,6,,,,,,,0,,0,");
    expect(table[4]).toBe("840000,2,,0.02,3,3,,,,,,,,,,,,,0,,0,");
  });
});
