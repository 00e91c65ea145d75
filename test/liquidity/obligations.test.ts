import { describe, expect, it } from "vitest";
import { type Decimal, text } from "../../src/kernel/decimal.ts";
import { bitgetSt, type LiquidityDay, mexcSt } from "../../src/liquidity/exchange-rules.ts";
import { agreementRule, gateRule, gateScore, quotingAgreement } from "../../src/liquidity/obligations.ts";
import type { LiquidityMinute } from "../../src/model/samples/sample.ts";
import { d } from "../support/grid.ts";
import { liquidityMinute, spanOf } from "../support/liquidity-minute.ts";

const UNKNOWN = { known: 0, broken: 0, spread: null, deviation: null };
const day = (spread: string | null, deviation = "0.01") =>
  spread === null ? UNKNOWN : { known: 1440, broken: 0, spread: d(spread), deviation: d(deviation) };
const days = (...each: readonly Omit<LiquidityDay, "day">[]): LiquidityDay[] =>
  each.map((one, index) => ({ ...one, day: index }));
const times = <T>(count: number, one: T): T[] => Array.from({ length: count }, () => one);
const WIDE = day("0.020000000000000001");
const shown = (value: Decimal | null | undefined) => (value == null ? null : text(value));

describe("mexc-st", () => {
  it.each([
    ["15 days above 2 %", times(15, WIDE), "missed"],
    ["14 days above it", times(14, WIDE), "kept"],
    ["15 days of exactly 2 %", times(15, day("0.02")), "kept"],
    ["14 days, one good one, and another", [...times(14, WIDE), day("0.01"), WIDE], "kept"],
    ["14 days and one that is missing", [...times(14, WIDE), day(null)], "unknown"],
    ["a day missing in the middle", [...times(7, WIDE), day(null), ...times(7, WIDE)], "unknown"],
    ["a day missing, and 15 after it", [day(null), ...times(15, WIDE)], "missed"],
    ["a missing day that could not matter", [...times(5, WIDE), day(null), day("0.01")], "kept"],
    ["15 days with two sides now and then", times(15, { ...UNKNOWN, known: 1440, broken: 1439 }), "unknown"],
    ["15 days without two sides", times(15, { ...UNKNOWN, known: 1440, broken: 1440 }), "missed"],
  ])("%s: %s", (_name, each, state) => {
    expect(mexcSt(days(...each))[0]?.state).toBe(state);
  });

  it.each([
    ["exactly 15 % over 15 days", times(15, day("0.01", "0.15")), "missed"],
    ["a little less", [...times(14, day("0.01", "0.15")), day("0.01", "0.1499")], "kept"],
    ["14 days of it", times(14, day("0.01", "0.2")), "unknown"],
    ["a day missing", [...times(14, day("0.01", "0.2")), day(null)], "unknown"],
  ])("price deviation from other exchanges: %s", (_name, each, state) => {
    expect(mexcSt(days(...each))[1]?.state).toBe(state);
  });

  it("shows the volume without judging by it", () => {
    const volume = (...volumes: (Decimal | null)[]) => mexcSt([], volumes)[2];
    expect(volume(...times(30, d("1000")))).toMatchObject({ state: "shown", value: d("1000") });
    expect(volume(...times(29, d("1000")))?.value).toBeNull();
    expect(volume(...times(29, d("1000")), null)?.value).toBeNull();
  });
});

describe("bitget-st", () => {
  it("shows a week's means and judges only by the user's own limits", () => {
    const week = days(day("9"), ...times(6, day("0.01")), day("0.08"));
    expect(bitgetSt(week).map(({ state, value }) => [state, shown(value)])).toEqual([
      ["shown", "0.02"],
      ["shown", "0.01"],
    ]);
    expect(bitgetSt(week, { spread: d("0.02") })[0]?.state).toBe("kept");
    expect(bitgetSt(week, { spread: d("0.0199") })[0]?.state).toBe("missed");
    expect(bitgetSt(days(...times(6, day("0.01"))), { spread: d("1") })[0]?.state).toBe("unknown");
    expect(bitgetSt([...week.slice(1, 7), ...days(day(null))], { spread: d("1") })[0]?.state).toBe("unknown");
  });
});

/** Of minutes one after the other, of which the last ones are unknown. */
const minutes = (rows: readonly LiquidityMinute[], to = rows.length) => ({
  from: 0,
  to,
  rows: rows.map((row, minute) => ({ ...row, minute })),
});

describe("gate-score", () => {
  const request = { spread: d("0.02"), size: d("500"), band: 2, share: d("0.5") } as const;
  const thin = { bids: [0n, 0n, d("500")], asks: [0n, 0n, d("9000")] } as const;

  it.each([
    ["a good minute", {}, "1"],
    ["a spread exactly so wide", { ownSpread: d("0.02") }, "0"],
    ["a side exactly so large", { ownDepth: thin }, "0"],
    ["another side exactly so large", { ownDepth: { bids: thin.asks, asks: thin.bids } }, "0"],
    ["one side alone", { ownSpread: null }, "0"],
    ["a depth that nobody knows", { ownDepth: null }, "0"],
  ])("%s scores %s", (_name, over, share) => {
    const span = spanOf(minutes([liquidityMinute(over)]), { rule: gateRule(request) });
    expect(shown(gateScore(span, request)[0]?.value)).toBe(share);
  });
});

describe("an agreement", () => {
  const request = { spread: d("0.01"), depth: d("600"), band: 2, levels: 2, uptime: d("0.9") } as const;
  const findings = (rows: LiquidityMinute[], whole = rows.length) =>
    quotingAgreement(spanOf(minutes(rows, whole), { rule: agreementRule(request) }), request);
  const states = (rows: LiquidityMinute[], whole = rows.length) =>
    findings(rows, whole).map(({ state }) => state);

  it("counts a minute at exactly the spread, and none with too few levels", () => {
    expect(states(times(10, liquidityMinute()))).toEqual(["kept", "kept", "kept"]);
    expect(states([...times(9, liquidityMinute()), liquidityMinute({ ownSpread: null })])[0]).toBe("kept");
    expect(
      states([
        ...times(8, liquidityMinute()),
        ...times(2, liquidityMinute({ ownSpread: d("0.0100001") })),
      ])[0],
    ).toBe("missed");
    expect(states(times(10, liquidityMinute({ ownOrders: { bids: 2, asks: 1 } })))[0]).toBe("missed");
  });

  it("is certain only where no unknown minute could change the result", () => {
    expect(states(times(9, liquidityMinute()), 10)[0]).toBe("kept");
    expect(states(times(8, liquidityMinute()), 10)[0]).toBe("unknown");
    expect(
      states([...times(7, liquidityMinute()), ...times(2, liquidityMinute({ ownSpread: null }))], 10)[0],
    ).toBe("missed");
    expect(states([], 10)).toEqual(["unknown", "unknown", "unknown"]);
  });

  it("weights depth by time: half of the time at zero halves it", () => {
    const none = liquidityMinute({ ownDepth: { bids: [0n, 0n, 0n], asks: [0n, 0n, d("600")] } });
    const [, bids, asks] = findings([liquidityMinute(), none]);
    expect([bids?.state, shown(bids?.value)]).toEqual(["missed", "500"]);
    expect([asks?.state, shown(asks?.value)]).toEqual(["kept", "800"]);
    // Six of ten minutes at 1,000 are enough whatever the others were; five are not known to be.
    expect(states(times(6, liquidityMinute()), 10)[1]).toBe("kept");
    expect(states(times(5, liquidityMinute()), 10)[1]).toBe("unknown");
  });
});
