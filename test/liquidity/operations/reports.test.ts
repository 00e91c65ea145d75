import { describe, expect, it } from "vitest";
import { DAY, MINUTE } from "../../../src/kernel/time.ts";
import type { LiquidityReport } from "../../../src/liquidity/agreement-page.tsx";
import {
  createAgreementStore,
  createLiquidityStore,
  type LiquidityDeps,
} from "../../../src/liquidity/store/store.ts";
import { MINUTES_PER_DAY } from "../../../src/model/samples/sample.ts";
import { createOperations } from "../../../src/operations.ts";
import { d } from "../../support/grid.ts";
import { liquidityMinute, soleMarket } from "../../support/liquidity-minute.ts";
import { askingOf, EXCHANGES, START, testSandbox } from "../../support/sandbox.ts";

const PAIR = { exchange: "kraken", symbol: "BTC/USDT" } as const;
const FIRST = START / DAY;
const minuteAt = (minute: number, day = 0): number => (FIRST + day) * MINUTES_PER_DAY + minute;

/**
 * One finished day of kraken with samples of the minutes 5, 6 and 7: 1 % and 3 % apart, then only bids; at 8 the exchange
 * did not answer. The second day has a single sample.
 */
async function reportBox(pairs: readonly object[] = [PAIR]) {
  const box = await testSandbox();
  const [store, agreements] = [createLiquidityStore(box.context), createAgreementStore(box.context)];
  await store.keep(PAIR, liquidityMinute({ minute: minuteAt(5) }));
  await store.keep(PAIR, liquidityMinute({ minute: minuteAt(6), spread: d("0.03"), ownSpread: d("0.03") }));
  await store.keep(
    PAIR,
    liquidityMinute({
      minute: minuteAt(7),
      ownSpread: null,
      ownOrders: { bids: 2, asks: 0 },
      absence: "funds",
      ownDepth: { bids: [0n, 0n, d("500")], asks: [0n, 0n, 0n] },
      depth: { bids: [d("1"), d("2"), d("3")], asks: [d("4"), d("5"), d("6")] },
    }),
  );
  await store.keepMiss(PAIR, { minute: minuteAt(8), cause: "exchange" });
  await store.keep(PAIR, liquidityMinute({ minute: minuteAt(30, 1) }));
  box.time.pass(DAY + 90 * MINUTE);
  const slept: number[] = [];
  const sleep = async (millis: number) => void slept.push(millis);
  const local = { ...box.deps.local, sleep };
  const deps = { ...box.deps, local, liquidity: { store, pairs, agreements } } as unknown as LiquidityDeps;
  const { ask, preview } = askingOf(deps);
  const today = { from: "2026-01-01", to: "2026-01-01", cost: false };
  const report = (over: object = {}) =>
    ask<LiquidityReport>("get_liquidity_report", { ...PAIR, ...today, ...over }).then(soleMarket);
  /** The same with what belongs to its agreement, as an operation returns it. */
  const whole = (over: object = {}) =>
    ask<LiquidityReport>("get_liquidity_report", { ...PAIR, ...today, ...over });
  return { ...box, deps, ask, preview, report, whole, slept, agreements };
}
const named = (name: string) => createOperations(EXCHANGES).find((one) => one.name === name);
const TERMS = { preset: "agreement", spreadPercent: 2, depth: 600, levels: 2, band: "2", uptime: 90 };

describe("a liquidity report", () => {
  it("has the figures of its known minutes, and the causes of the others", async () => {
    const { report } = await reportBox();
    const { days, hours, costToTrade, hash, ...output } = await report({ ...TERMS, maker: "Desk" });
    expect(output).toEqual({
      ...PAIR,
      maker: "Desk",
      madeAt: START + DAY + 90 * MINUTE,
      from: "2026-01-01",
      to: "2026-01-01",
      minutes: 1440,
      known: 3,
      samples: 3,
      cutShort: 0,
      timed: 0,
      uncertainPercent: 0,
      sources: 0,
      unknownSources: 0,
      deviationPercent: null,
      preset: "agreement",
      verdict: "unknown",
      terms: [
        expect.stringContaining("90 %"),
        expect.stringContaining("2 %"),
        expect.stringContaining("600 USDT"),
      ],
      own: {
        spreadPercent: 2,
        twoSidedPercent: expect.closeTo(66.666667, 5),
        depth: {
          bids: { "0.5": "0", "1": "0", "2": "833.333333333333333333" },
          asks: { "0.5": "0", "1": "0", "2": "666.666666666666666666" },
        },
      },
      market: {
        spreadPercent: expect.closeTo(1.666667, 5),
        twoSidedPercent: 100,
        depth: { bids: { "0.5": "1", "1": "2", "2": "3" }, asks: { "0.5": "4", "1": "5", "2": "6" } },
      },
      findings: [
        {
          rule: expect.stringMatching(/at most 2 % apart, 2 or more per side$/),
          state: "unknown",
          unit: "percent",
          value: expect.closeTo(33.333333, 5),
          limit: 90,
          reason: "1,437 of 1,440 minutes have no sample, and could change the result",
        },
        ...[
          ["bids", 833.333333],
          ["asks", 666.666667],
        ].map(([side, value]) => ({
          rule: `mean depth of own ${side}`,
          state: "unknown",
          unit: "quote",
          limit: 600,
          value: expect.closeTo(value as number, 5),
          reason: "1,437 of 1,440 minutes have no sample, and could change the result",
        })),
      ],
      gaps: [
        [0, 5, "unseen", "unknown"],
        [7, 8, "absent", "funds"],
        [8, 9, "unseen", "exchange"],
        [9, 1440, "unseen", "ours"],
      ].map(([from = 0, to = 0, what, cause]) => ({
        from: START + Number(from) * MINUTE,
        to: START + Number(to) * MINUTE,
        minutes: Number(to) - Number(from),
        what,
        cause,
      })),
      moreGaps: 0,
    });
    expect(days).toEqual([
      {
        day: "2026-01-01",
        known: 3,
        upPercent: expect.closeTo(33.333333, 5),
        ownSpreadPercent: 2,
        ownTwoSidedPercent: expect.closeTo(66.666667, 5),
        spreadPercent: expect.closeTo(1.666667, 5),
        ownBidsWithin2: "833.333333333333333333",
        ownAsksWithin2: "666.666666666666666666",
        twoSidedPercent: 100,
        bidsWithin2: "3",
        asksWithin2: "6",
        signedHash: null,
      },
    ]);
    expect(hours?.ownTwoSidedPercent).toEqual([66.67, ...Array(23).fill(null)]);
    expect(hours?.ownBidsWithin2[0]).toBe("833.333");
    expect([costToTrade.length > 0, hash]).toEqual([true, expect.stringMatching(/^[0-9a-f]{64}$/)]);
  });

  it("uses each requested value, and the values of the settings only for their own preset", async () => {
    const request = { spread: d("0.03"), depth: d("7"), band: 1, levels: 2, uptime: d("0.5") };
    const { report } = await reportBox([{ ...PAIR, promise: { preset: "agreement", request } }]);
    const terms = async (over: object = {}) => (await report(over)).terms.join("; ");
    const settings = await terms();
    for (const part of ["50 %", "3 %", "2 own orders", "7 USDT", "within 1 %"])
      expect(settings).toContain(part);
    expect((await report()).days[0]?.upPercent).toBeCloseTo(66.666667, 5);
    expect(await terms({ uptime: 60 })).toBe(settings.replace("50 %", "60 %"));
    expect(await terms({ depth: 8, band: "0.5" })).toBe(
      settings.replace("7 USDT", "8 USDT").replace("1 % of", "0.5 % of"),
    );
    expect(await terms({ spreadPercent: 1, levels: 4 })).toBe(
      settings.replace("3 %", "1 %").replace("2 own", "4 own"),
    );
    expect(await terms({ preset: "gate-score" })).toContain(
      "below 2 %, and the smaller side has more than 1,000",
    );
  });

  it("covers up to 366 days that have begun, and today as far as it is over", async () => {
    const { report } = await reportBox();
    const spanOf = async (over: object) => {
      const { from, to, minutes, known } = await report(over);
      return [from, to, minutes, known];
    };
    expect(await spanOf({ from: undefined, to: undefined })).toEqual([
      "2025-12-04",
      "2026-01-02",
      29 * 1440 + 90,
      4,
    ]);
    expect(await spanOf({ from: "2025-01-02", to: "2026-01-02" })).toEqual([
      "2025-01-02",
      "2026-01-02",
      365 * 1440 + 90,
      4,
    ]);
    for (const over of [
      { from: "2025-01-01", to: "2026-01-02" },
      { from: "2026-01-02", to: "2026-01-01" },
      { from: "2026-01-03", to: "2026-01-03" },
    ])
      await expect(report(over)).rejects.toThrow(/from must be a past day or today/);
  });

  it("has the same hash for the same minutes, whatever empty days are around them", async () => {
    const { report } = await reportBox();
    const { hash } = await report();
    expect((await report({ from: "2025-12-20" })).hash).toBe(hash);
    expect((await report({ to: "2026-01-02" })).hash).not.toBe(hash);
  });

  it("is unknown in the first minute of a day", async () => {
    const { report, time } = await reportBox();
    time.pass(DAY - 90 * MINUTE);
    const { minutes, known, findings, days, verdict } = await report({
      ...TERMS,
      from: "2026-01-03",
      to: "2026-01-03",
    });
    expect([minutes, known, verdict, days.length]).toEqual([0, 0, "unknown", 0]);
    expect(findings.map(({ state, value }) => [state, value])).toEqual(Array(3).fill(["unknown", null]));
  });

  it("lets other requests run between its parts of a day", async () => {
    const { report, slept } = await reportBox();
    await report();
    // One page, and four quarters of the day.
    expect(slept).toEqual(Array(5).fill(0));
    slept.length = 0;
    await report();
    expect(slept).toEqual([0]);
    slept.length = 0;
    await report(TERMS);
    expect(slept).toEqual([0, 0]);
  });

  it("is a table of its days, and for people a few lines and tables whose columns are all named", async () => {
    const { whole } = await reportBox();
    const operation = named("get_liquidity_report");
    const answered = await whole(TERMS);
    const answer = soleMarket(answered);
    expect(operation?.csv?.(answered).split("\r\n")[1]).toMatch(/^2026-01-01,3,2,66\.6/);
    const shown = operation?.cli?.view?.(answered) as Record<string, unknown>;
    expect(shown).toMatchObject({
      exchange: "kraken",
      known: 3,
      preset: "agreement",
      verdict: "unknown",
      own: "both sides 66.6667 % of the known time, 2 % apart on average",
      market: "both sides 100 % of the known time, 1.6667 % apart on average",
      terms: answer.terms.join("; "),
      depths: [
        { whose: "own", depthOf: "bids", within05: 0, within1: 0, within2: 833.3333 },
        { whose: "own", depthOf: "asks", within05: 0, within1: 0, within2: 666.6667 },
        { whose: "market", depthOf: "bids", within05: 1, within1: 2, within2: 3 },
        { whose: "market", depthOf: "asks", within05: 4, within1: 5, within2: 6 },
      ],
      days: answer.days.map(({ signedHash: _hash, ...day }) => ({
        ...day,
        ownBidsWithin2: Number(day.ownBidsWithin2),
        ownAsksWithin2: Number(day.ownAsksWithin2),
        bidsWithin2: Number(day.bidsWithin2),
        asksWithin2: Number(day.asksWithin2),
      })),
      gaps: answer.gaps,
    });
    for (const name of ["maker", "madeAt", "hours", "samples", "cost"])
      expect(shown).not.toHaveProperty(name);
    expect(operation?.cli?.view?.({ ...answered, markets: [{ ...answer, cost: null }] })).toMatchObject({
      cost: "unknown: no strategy has a daily figure",
    });
    const empty = await whole({ from: "2025-12-31", to: "2025-12-31" });
    const nothing = operation?.cli?.view?.(empty) as Record<string, unknown>;
    expect(nothing).toMatchObject({ own: "unknown: no minute of the period has a sample", days: [] });
    expect(["depths", "preset", "terms", "findings"].filter((name) => name in nothing)).toEqual([]);
  });
});

/** Every field of every table is a column, and every column is a field of a table. */
function expectColumns(shown: readonly unknown[]): void {
  const tables = shown
    .flatMap((view) => Object.values(view as object))
    .filter((part) => Array.isArray(part) && typeof part[0] === "object");
  const fields = new Set(tables.flat().flatMap((row: object) => Object.keys(row)));
  const columns = new Set(named("get_liquidity_report")?.cli?.columns);
  const left = ["day", "moreGaps", "to", "twoSidedPercent", "markets"];
  expect([...fields].filter((field) => !columns.has(field) && !left.includes(field))).toEqual([]);
  expect([...columns].filter((column) => !fields.has(column))).toEqual([]);
}

describe("an agreement", () => {
  const NEW = {
    agreement: "snek",
    counterparty: "Foundation",
    from: "2026-01-01",
    total: "uptime=60 depth=300",
    markets: "kraken:BTC/USDT spread=2 depth=100",
  };

  it("is previewed, created, edited and ended with the fields that are given", async () => {
    const { ask, preview, agreements } = await reportBox();
    const changes =
      "markets is kraken:BTC/USDT spread=2 depth=100; counterparty is Foundation; from is 2026-01-01; total is uptime=60 depth=300";
    expect(await preview("create_agreement", NEW)).toEqual({
      what: `agreement snek: ${changes}`,
      cost: "nothing is sold or bought",
      limits: [],
      worstCase: "orders stay as they are; reports and alerts use the new terms",
    });
    expect(await agreements.versions("snek")).toEqual([]);
    const created = await ask<object>("create_agreement", NEW);
    expect(created).toMatchObject({ version: 1, state: "active", from: "2026-01-01", until: null, changes });
    expect(await preview("create_agreement", NEW)).toMatchObject({
      what: "change nothing of the agreement snek",
    });
    const edited = async (over: object) => {
      const { changes: made } = await ask<{ changes: string }>("edit_agreement", {
        agreement: "snek",
        ...over,
      });
      return made;
    };
    expect(await edited({ until: "2026-06-30", counterparty: "none" })).toBe(
      "counterparty is none, was Foundation; until is 2026-06-30, was none",
    );
    expect(
      await edited({ from: "2025-12-31", until: "none", total: "none", markets: "kraken:BTC/USDT" }),
    ).toBe(
      "markets is kraken:BTC/USDT, was kraken:BTC/USDT spread=2 depth=100; from is 2025-12-31, was 2026-01-01; until is none, was 2026-06-30; total is none, was uptime=60 depth=300",
    );
    expect(await edited({})).toBe("");
    expect(await ask("edit_agreement", { agreement: "snek", until: "today" })).toMatchObject({
      until: "2026-01-02",
      version: 4,
    });
    expect(await ask("edit_agreement", { agreement: "snek", until: "2025-12-31" })).toMatchObject({
      state: "ended",
      until: "2025-12-31",
      version: 5,
    });
    // Ended before today, it stays ended.
    expect(await ask("edit_agreement", { agreement: "snek", until: "today" })).toMatchObject({
      until: "2025-12-31",
      changes: "",
    });
    const { agreements: shown } = await ask<{
      agreements: { history: { actor: string; version: number }[] }[];
    }>("list_agreements", { agreement: "snek" });
    expect(shown[0]?.history.map(({ version, actor }) => [version, actor])).toEqual(
      [1, 2, 3, 4, 5].map((one) => [one, "test"]),
    );
  });

  it("begins today by default, and is refused with wrong days, names or a change at the same time", async () => {
    const { ask, agreements, deps } = await reportBox();
    const { from: _, ...bare } = NEW;
    expect(await ask("create_agreement", bare)).toMatchObject({ from: "2026-01-02" });
    // The same again is the first one, whenever it is sent.
    expect(await ask("create_agreement", bare)).toMatchObject({
      from: "2026-01-02",
      changes: "",
      version: 1,
    });
    await expect(ask("create_agreement", { ...bare, total: "uptime=61" })).rejects.toThrow(/exists already/);
    await expect(ask("edit_agreement", { agreement: "snek", until: "2026-01-01" })).rejects.toThrow(
      "until must not be before from",
    );
    for (const name of ["list_agreements", "edit_agreement", "get_liquidity_report"])
      await expect(ask(name, { agreement: "none" }), name).rejects.toThrow(/there is no agreement none/);
    await expect(ask("list_agreements", { agreement: "settings" })).rejects.toThrow(/no agreement settings/);
    const overtaken = { ...agreements, add: async () => false };
    const over = { liquidity: { ...deps.liquidity, agreements: overtaken } as never };
    await expect(ask("edit_agreement", { agreement: "snek", total: "none" }, over)).rejects.toThrow(
      "snek was changed at the same time; check it, then change it again",
    );
    await expect(ask("list_agreements", {}, { liquidity: undefined as never })).resolves.toMatchObject({
      count: 0,
    });
    await expect(ask("create_agreement", bare, { liquidity: undefined as never })).rejects.toThrow(
      "agreements are not available here",
    );
  });

  it("has a report of its rules, in total and against the period before, as text and as tables", async () => {
    const { ask, whole } = await reportBox();
    await ask("create_agreement", { ...NEW, markets: `${NEW.markets}, mexc:BTC/USDT mexc-st` });
    const report = await ask<LiquidityReport>("get_liquidity_report", {
      agreement: "snek",
      from: "2026-01-02",
      to: "2026-01-02",
    });
    expect(report).toMatchObject({
      agreement: "snek",
      counterparty: "Foundation",
      maker: null,
      version: 1,
      unknownMarkets: [],
      changedAt: START + DAY + 90 * MINUTE,
      from: "2026-01-02",
      to: "2026-01-02",
      before: { from: "2026-01-01", to: "2026-01-01" },
      verdict: "unknown",
      counts: { kept: 1, missed: 0, unknown: 7 },
      costs: [],
      total: [expect.stringContaining("60 %"), expect.stringContaining("300 in quote")],
    });
    expect(report.rules.slice(0, 3).map(({ value, before }) => [value, before?.value])).toEqual([
      [100, expect.closeTo(33.333333, 5)],
      [1000, expect.closeTo(833.333333, 5)],
      [1000, expect.closeTo(666.666667, 5)],
    ]);
    const operation = named("get_liquidity_report");
    const shown = operation?.cli?.view?.(report) as Record<string, readonly object[]>;
    expect(shown.rules?.[0]).toMatchObject({ exchange: "kraken", value: 100, before: "unknown 33.3333" });
    expect(shown.rules?.at(-1)).toMatchObject({ exchange: "all" });
    expect(shown).toMatchObject({ comparedWith: "2026-01-01 to 2026-01-01", total: report.total.join("; ") });
    expect(shown.markets?.[0]).toEqual({
      exchange: "kraken",
      symbol: "BTC/USDT",
      known: 1,
      minutes: 90,
      bothSides: 100,
      ownSpreadPercent: 1,
      ownBidsWithin2: 1000,
      ownAsksWithin2: 1000,
    });
    expect(shown).not.toHaveProperty("unknownMarkets");
    const lines = operation?.csv?.(report).split("\r\n") ?? [];
    expect(lines[0]).toBe("exchange,symbol,rule,state,unit,value,limit,reason,stateBefore,valueBefore");
    expect(lines[2]).toMatch(
      /^kraken,BTC\/USDT,mean depth of own bids,unknown,quote,1000,100,.*,unknown,833\.33/,
    );
    expect(lines).toHaveLength(report.rules.length + 2);
    const cost = { totalProfit: 1, spread: 1, inventory: 0, fees: 0, fills: 1, withoutMid: 0, quote: "USDT" };
    const withCosts = { ...report, costs: [{ ...cost, markets: 1, unknownMarkets: 1 }] };
    const market = await whole(TERMS);
    const withCost = { ...market, markets: [{ ...soleMarket(market), cost }] };
    expectColumns([withCosts, withCost].map((answer) => operation?.cli?.view?.(answer)));
    const alone = await ask<LiquidityReport>("get_liquidity_report", {
      agreement: "snek",
      to: "2026-01-01",
      cost: false,
    });
    await ask("create_agreement", {
      agreement: "new",
      markets: `${NEW.markets}, kraken:ETH/USDT`,
      from: "2026-01-02",
    });
    const young = await ask<LiquidityReport>("get_liquidity_report", { agreement: "new" });
    expect([young.from, young.before, young.total]).toEqual(["2026-01-02", null, []]);
    const unknown = { ...young, unknownMarkets: ["gateio:BTC/USDT", "x:A/B"] };
    const shownYoung = operation?.cli?.view?.(unknown) as Record<string, unknown>;
    expect(shownYoung.unknownMarkets).toBe("gateio:BTC/USDT, x:A/B");
    expect(["total", "comparedWith"].filter((name) => name in shownYoung)).toEqual([]);
    expect([alone.from, alone.before, alone.costs]).toEqual(["2026-01-01", null, undefined]);
  });
});
