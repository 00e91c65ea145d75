import { describe, expect, it } from "vitest";
import { parseConfig } from "../../../src/compose/config.ts";
import { DAY, dayOf, MINUTE } from "../../../src/kernel/time.ts";
import type { LiquidityReport } from "../../../src/liquidity/agreement-page.tsx";
import { nearlyMissed, promiseAlarms } from "../../../src/liquidity/operations/promised.ts";
import { sampleLiquidity } from "../../../src/liquidity/operations/sample.ts";
import { upRuleOf } from "../../../src/liquidity/page-tables.tsx";
import { createLiquidityStore, type LiquidityDeps } from "../../../src/liquidity/store/store.ts";
import type { LiquidityPromise } from "../../../src/model/samples/promise.ts";
import type { LiquidityMinute } from "../../../src/model/samples/sample.ts";
import { checkAlarms } from "../../../src/report/operations/alarm-checks.ts";
import { d } from "../../support/grid.ts";
import { liquidityMinute, soleMarket, spanOf } from "../../support/liquidity-minute.ts";
import { runOperation, testSandbox } from "../../support/sandbox.ts";

const row = (minute: number, over: Partial<LiquidityMinute> = {}): LiquidityMinute =>
  liquidityMinute({
    minute,
    ownOrders: { bids: 1, asks: 1 },
    ownDepth: { bids: [0n, 0n, d("600")], asks: [0n, 0n, d("600")] },
    ...over,
  });
const today = (count: number, away: number, over: Partial<LiquidityMinute> = { ownSpread: null }) => ({
  from: 0,
  to: 1440,
  rows: Array.from({ length: count }, (_, minute) => row(minute, minute < away ? over : {})),
});

const nearlyMissedOf = (promise: LiquidityPromise, minutes: ReturnType<typeof today>) =>
  nearlyMissed(promise, spanOf(minutes, { rule: upRuleOf(promise) }));

describe("a liquidity commitment", () => {
  // Of 1,440 minutes 144 may be away.
  const agreement: LiquidityPromise = {
    preset: "agreement",
    request: { spread: d("0.02"), depth: d("500"), uptime: d("0.9") },
  };

  it.each([
    [71, []],
    [72, ["missing or too wide for 72 minutes of today, of 144 allowed"]],
    [144, ["missing or too wide for 144 minutes of today, of 144 allowed"]],
    [145, ["missing or too wide for 145 minutes of today, more than the 144 allowed; the rule is missed"]],
  ])("after %d minutes without quotes today", (away, lines) => {
    expect(nearlyMissedOf(agreement, today(719, away))).toEqual(lines);
  });

  it("counts whole minutes of a share that is exact", () => {
    expect(nearlyMissedOf(agreement, today(800, 80))).toEqual([
      "missing or too wide for 80 minutes of today, of 144 allowed",
    ]);
  });

  it("is reported at risk after an hour of thin depth, or after a day of wide spread", () => {
    const thin = { ownDepth: { bids: [0n, 0n, d("100")], asks: [0n, 0n, d("600")] } } as const;
    expect(nearlyMissedOf(agreement, today(60, 60, thin))).toEqual([
      "mean depth of own bids today is 100; the agreement requires 500",
    ]);
    expect(nearlyMissedOf(agreement, today(59, 59, thin))).toEqual([]);
    const mexc: LiquidityPromise = { preset: "mexc-st", request: {} };
    expect(nearlyMissedOf(mexc, today(60, 60, { spread: d("0.03") }))).toEqual([
      "the mean spread of today is 3 %, above 2 %",
    ]);
    expect(nearlyMissedOf(mexc, today(60, 60, { spread: d("0.02") }))).toEqual([]);
    expect(nearlyMissedOf(mexc, today(60, 60, { spread: null }))).toEqual([
      "a side of the order book was empty in all minutes of today",
    ]);
    expect(nearlyMissedOf(mexc, today(59, 59, { spread: null }))).toEqual([]);
    expect(nearlyMissedOf({ preset: "bitget-st", request: {} }, today(60, 60, { spread: d("0.3") }))).toEqual(
      [],
    );
  });

  it("raises an alarm once, ends it with the day, and is checked by a report", async () => {
    const box = await testSandbox({ speed: 1 });
    const store = createLiquidityStore(box.context);
    const [pair] = parseConfig({
      EDGEMAKER_LIQUIDITY: "kraken:BTC/USDT agreement spread=2 depth=500 levels=3 uptime=99.5",
    }).watched;
    if (!pair) throw new Error("nothing is watched");
    const deps: LiquidityDeps = { ...box.deps, liquidity: { store, pairs: [pair] } };
    const readOutput = async () => {
      const { rows } = await box.context.client.execute(
        "select kind, message from events where message like '%agreement%' order by id",
      );
      return rows.map(({ kind, message }) => [kind, message]);
    };
    const minute = async () => {
      await sampleLiquidity(deps);
      box.time.pass(MINUTE);
      await checkAlarms(deps, (now) => promiseAlarms(deps, now));
    };
    for (let at = 0; at < 3; at++) await minute();
    expect(await readOutput()).toEqual([]);
    for (let at = 0; at < 3; at++) await minute();
    const alarm = [
      "alarm",
      expect.stringContaining(
        "the agreement for BTC/USDT on kraken is at risk: missing or too wide for 4 minutes of today, of 7 allowed",
      ),
    ];
    expect(await readOutput()).toEqual([alarm]);
    const { exchange, symbol } = pair;
    const bare = { exchange: "mexc", symbol: "SNEK/USDT" } as const;
    const both: LiquidityDeps = { ...box.deps, liquidity: { store, pairs: [pair, bare] } };
    expect(await runOperation(both, "list_watched_pairs", {})).toEqual({
      day: "2026-01-01",
      pairs: [
        { exchange, symbol, preset: "agreement", agreement: null },
        { ...bare, preset: null, agreement: null },
      ],
      count: 2,
    });
    const report = await runOperation<LiquidityReport>(deps, "get_liquidity_report", {
      exchange,
      symbol,
      from: "2026-01-01",
      to: "2026-01-01",
    }).then(soleMarket);
    expect(report).toMatchObject({
      preset: "agreement",
      findings: [{ limit: 99.5 }, { limit: 500 }, { limit: 500 }],
    });
    box.time.pass(DAY);
    await checkAlarms(deps, (now) => promiseAlarms(deps, now));
    expect(await readOutput()).toEqual([
      alarm,
      ["recovered", "the agreement for kraken:BTC/USDT is met again, or a new day has begun"],
    ]);
  });

  it("has an alarm for each agreement on a market", async () => {
    const box = await testSandbox({ speed: 1 });
    const store = createLiquidityStore(box.context);
    const pair = { exchange: "kraken", symbol: "BTC/USDT", promise: agreement } as const;
    const now = await box.deps.store.now();
    for (let at = 0; at < 100; at++) await store.keep(pair, row(now / MINUTE + at, { ownSpread: null }));
    const pairs = [pair, { ...pair, agreement: "one" }, { ...pair, agreement: "two" }];
    const alarms = await promiseAlarms({ liquidity: { store, pairs } }, now);
    expect(alarms.map(({ key }) => key)).toEqual([
      "promise kraken:BTC/USDT",
      "promise kraken:BTC/USDT one",
      "promise kraken:BTC/USDT two",
    ]);
  });

  it.each([
    ["yesterday", -1, 0],
    ["today", 0, 1],
    ["tomorrow", 1, 1],
  ])("that ends %s is watched through its last day", async (_, days, count) => {
    const box = await testSandbox({ speed: 1 });
    const store = createLiquidityStore(box.context);
    const now = await box.deps.store.now();
    const pair = { exchange: "kraken", symbol: "BTC/USDT", promise: agreement, agreement: "one" } as const;
    for (let at = 0; at < 100; at++) await store.keep(pair, row(now / MINUTE + at, { ownSpread: null }));
    const pairs = [{ ...pair, until: dayOf(now) + days }];
    // At the end of the day too.
    for (const at of [now, now + DAY - 1])
      expect(await promiseAlarms({ liquidity: { store, pairs } }, at)).toHaveLength(count);
  });

  it("is set after the pair; a wrong one is rejected with the expected format", () => {
    const parsed = (text: string) => parseConfig({ EDGEMAKER_LIQUIDITY: text }).watched;
    expect(parsed("mexc:SNEK/USDT gate-score spread=1.5 band=0.5, kraken:BTC/USDT mexc-st")).toEqual([
      {
        exchange: "mexc",
        symbol: "SNEK/USDT",
        promise: { preset: "gate-score", request: { spread: d("0.015"), band: 0 } },
      },
      { exchange: "kraken", symbol: "BTC/USDT", promise: { preset: "mexc-st", request: {} } },
    ]);
    for (const wrong of [
      "best",
      "agreement spread",
      "agreement spread=200",
      "agreement band=3",
      "agreement levels=0",
      "agreement colour=1",
    ])
      expect(() => parsed(`mexc:SNEK/USDT ${wrong}`)).toThrow(/by an agreement such as agreement spread=2/);
  });
});
