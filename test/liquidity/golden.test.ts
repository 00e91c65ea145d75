import { describe, expect, it } from "vitest";
import { decimal, roundToStep, text } from "../../src/kernel/decimal.ts";
import { DAY, MINUTE } from "../../src/kernel/time.ts";
import { dayAverages, mexcSt } from "../../src/liquidity/exchange-rules.ts";
import type { OrderTerms } from "../../src/model/order.ts";
import { foldSamples, MINUTES_PER_DAY, sampleBook } from "../../src/model/samples/sample.ts";
import { d } from "../support/grid.ts";
import { findingsOver, spanOf } from "../support/liquidity-minute.ts";

type Rows = readonly (readonly [price: string, amount: string])[];
const levels = (rows: Rows) => rows.map(([price, amount]) => ({ price: d(price), amount: d(amount) }));
const bookOf = (bids: Rows, asks: Rows) => ({ bids: levels(bids), asks: levels(asks) });
const observed = { at: 0, bid: undefined, ask: undefined, reference: null, limit: 1000 };

/** Best prices as exchanges have shown them; what lies behind is put together so that the quote within 2 % is theirs. */
const SHOWN = {
  // Kraken, 2021-04-17.
  "OCEAN/XBT": bookOf([["0.00002772", "1"]], [["0.00002781", "1"]]),
  "SC/EUR": bookOf(
    [
      ["0.04302", "20000"],
      ["0.0425", "3231905.774"],
      // Mid 0.043075: 2 % below it is 0.0422135.
      ["0.0422135", "1"],
      ["0.0422134", "9000000"],
    ],
    [
      ["0.04313", "10000"],
      ["0.0439", "2411732.767"],
      ["0.0439365", "1"],
      ["0.0439366", "9000000"],
    ],
  ),
  // Gate, 2021-04-22: of 100 levels a side hardly any lies within 2 %.
  FAST_USDT: bookOf(
    [
      ["10.28", "36.50154"],
      ["10.24", "70"],
    ],
    [
      ["10.63", "5"],
      ["10.64", "0.112"],
      ["10.72", "86.3"],
    ],
  ),
  // Bitget, 2022-04-07.
  STGUSDT: bookOf([["2.861", "10.542"]], [["2.917", "60.424"]]),
};

describe("a recorded order book", () => {
  const rounded = (value: bigint, digits: string) => text(roundToStep(value, d(digits), "half"));
  const of = (name: keyof typeof SHOWN) => sampleBook({ ...observed, book: SHOWN[name] }, []);

  it.each([
    ["OCEAN/XBT", "0.3241"],
    ["SC/EUR", "0.2554"],
    ["FAST_USDT", "3.3477"],
    ["STGUSDT", "1.9384"],
  ] as const)("%s has a spread of %s %%", (name, percent) => {
    expect(rounded((of(name).spread ?? 0n) * 100n, "0.0001")).toBe(percent);
  });

  it("measures depth within 2 % of the mid, including the edge and nothing beyond", () => {
    const { depth } = of("SC/EUR");
    expect([depth?.bids[2], depth?.asks[2]].map((side) => rounded(side ?? 0n, "1"))).toEqual([
      "138216",
      "106306",
    ]);
    const gate = of("FAST_USDT").depth;
    expect(rounded(gate?.bids[2] ?? 0n, "0.001")).toBe("375.236");
    expect(rounded(gate?.asks[2] ?? 0n, "0.0001")).toBe("54.3417");
  });
});

/** A market seen each minute of so many days, one of them perhaps not at all. */
function marketOver(
  days: number,
  book: ReturnType<typeof bookOf>,
  missing = -1,
  own: readonly OrderTerms[] = [],
) {
  const minutes = Array.from({ length: days * MINUTES_PER_DAY }, (_, minute) => minute);
  const samples = minutes
    .filter((minute) => Math.floor(minute / MINUTES_PER_DAY) !== missing)
    .map((minute) => sampleBook({ ...observed, at: minute * MINUTE, book }, own));
  const rows = foldSamples(samples);
  return { from: 0, to: (days * DAY) / MINUTE, rows };
}

describe("presets over samples", () => {
  // Mid 100: exactly 2 %, and the next round.
  const [EDGE, WIDE] = [bookOf([["99", "1"]], [["101", "1"]]), bookOf([["98.99", "1"]], [["101.01", "1"]])];

  it.each([
    ["15 days of exactly 2 %", 15, EDGE, -1, "kept"],
    ["14 days of 2.02 %", 14, WIDE, -1, "kept"],
    ["15 days of 2.02 %", 15, WIDE, -1, "missed"],
    ["15 days of 2.02 %, one of which nobody saw", 15, WIDE, 7, "unknown"],
    ["30 days of 2.02 %, the first of which nobody saw", 30, WIDE, 0, "missed"],
  ])("mexc-st: %s", (_name, days, book, missing, state) => {
    const span = spanOf(marketOver(days, book, missing));
    expect(mexcSt(span.days.map(dayAverages))[0]?.state).toBe(state);
  });

  it("bitget-st has a week's mean, and none for a week with a missing day", () => {
    const limits = { spread: decimal("0.02") };
    expect(findingsOver({ preset: "bitget-st", request: limits }, marketOver(7, EDGE))[0]).toMatchObject({
      state: "kept",
      value: d("0.02"),
    });
    expect(findingsOver({ preset: "bitget-st", request: limits }, marketOver(7, WIDE))[0]).toMatchObject({
      state: "missed",
    });
    expect(findingsOver({ preset: "bitget-st", request: limits }, marketOver(7, EDGE, 3))[0]).toMatchObject({
      state: "unknown",
      value: null,
    });
  });

  it("gate-score compares spread and depth strictly; an agreement is kept at equality too", () => {
    const own: OrderTerms[] = [
      { side: "buy", price: d("99"), amount: d("10") },
      { side: "sell", price: d("101"), amount: d("10") },
    ];
    const day = marketOver(1, EDGE, -1, own);
    const score = (spread: string, depth: string) =>
      findingsOver({ preset: "gate-score", request: { spread: d(spread), depth: d(depth) } }, day)[0]?.value;
    expect([score("0.02", "100"), score("0.0201", "990"), score("0.0201", "989")]).toEqual([0n, 0n, d("1")]);
    const states = (spread: string, depth: string) =>
      findingsOver({ preset: "agreement", request: { spread: d(spread), depth: d(depth) } }, day).map(
        ({ state }) => state,
      );
    expect(states("0.02", "990")).toEqual(["kept", "kept", "kept"]);
    expect(states("0.0199", "990.01")).toEqual(["missed", "missed", "kept"]);
  });

  it("a truncated order book is marked as such, and its shown levels are counted", () => {
    const short = bookOf(
      [
        ["99.5", "1"],
        ["99.4", "1"],
      ],
      [["100.5", "1"]],
    );
    const cut = sampleBook({ ...observed, limit: 2, book: short }, []);
    expect([cut.isCutShort, text(cut.depth?.bids[2] ?? 0n)]).toEqual([true, "198.9"]);
    // Once in a minute is enough.
    expect(foldSamples([cut, { ...cut, isCutShort: false }])[0]?.isCutShort).toBe(true);
    // As many levels as there are: nothing was cut.
    expect(sampleBook({ ...observed, limit: 3, book: short }, []).isCutShort).toBe(false);
  });
});
