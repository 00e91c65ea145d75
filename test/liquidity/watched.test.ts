import { describe, expect, it } from "vitest";
import { candlesOf } from "../../src/candles/candles.ts";
import { parseConfig } from "../../src/compose/config.ts";
import { runRound } from "../../src/engine/pass/round.ts";
import { encode } from "../../src/kernel/codec.ts";
import { VenueError } from "../../src/kernel/errors.ts";
import { DAY, HOUR, MINUTE } from "../../src/kernel/time.ts";
import type { LiquidityReport } from "../../src/liquidity/agreement-page.tsx";
import { sampleLiquidity } from "../../src/liquidity/operations/sample.ts";
import { liquidityPage } from "../../src/liquidity/page.tsx";
import type { LiquidityAnswer } from "../../src/liquidity/schema.ts";
import {
  createLiquidityStore,
  firstMinuteQuery,
  type LiquidityDeps,
  missesQuery,
  READ_MINUTES,
  sumsQuery,
} from "../../src/liquidity/store/store.ts";
import type { WatchedPair } from "../../src/model/samples/promise.ts";
import type { RefusalReason } from "../../src/model/strategy.ts";
import type { StrategyView } from "../../src/ports/stores/store.ts";
import type { Venue } from "../../src/ports/venue.ts";
import { statement } from "../../src/storage/client/context.ts";
import { appOver } from "../support/app.ts";
import { d } from "../support/grid.ts";
import { soleMarket } from "../support/liquidity-minute.ts";
import { runOperation, START, type TestSandbox, testSandbox } from "../support/sandbox.ts";

const PAIR: WatchedPair = { exchange: "kraken", symbol: "BTC/USDT" };
const GRID = {
  ...PAIR,
  lowerPrice: d("59000"),
  upperPrice: d("61000"),
  gridLevels: 40,
  orderSize: d("50"),
  useOwnBase: true,
};
interface Reported {
  readonly known: number;
  readonly minutes: number;
  readonly own: { readonly spreadPercent: number | null; readonly twoSidedPercent: number | null };
  readonly market: { readonly spreadPercent: number | null };
  readonly gaps: readonly {
    readonly from: number;
    readonly minutes: number;
    readonly what: string;
    readonly cause: string;
  }[];
  readonly findings: readonly {
    readonly rule: string;
    readonly state: string;
    readonly value: number | null;
  }[];
  readonly days: readonly { readonly known: number }[];
  readonly hash: string;
}

/** A world whose book is looked at each minute of its clock. */
async function watched(options: TestSandbox = {}) {
  const box = await testSandbox({ speed: 1, ...options });
  const store = createLiquidityStore(box.context);
  const deps: LiquidityDeps = { ...box.deps, liquidity: { store, pairs: [PAIR] } };
  const { liquidity: _sampled, ...unsampled } = deps;
  // Where the sampler is told something else than the passes, only the samples count.
  const pass = async (minutes: number, over: Partial<LiquidityDeps> = {}) => {
    for (let at = 0; at < minutes; at++) {
      await runRound(Object.keys(over).length > 0 ? unsampled : deps);
      await sampleLiquidity({ ...deps, ...over });
      box.time.pass(MINUTE);
    }
  };
  const report = (request: object = {}) =>
    runOperation<LiquidityReport>(deps, "get_liquidity_report", { ...PAIR, ...request }).then(soleMarket);
  return { ...box, deps, pass, report, minutes: store.minutes };
}

describe("a watched pair", () => {
  it("has one row per minute with one's own orders separate, and unsampled minutes are unknown", async () => {
    const { pass, report, deps, time } = await watched();
    await pass(3);
    const before = await report();
    expect(before).toMatchObject({ known: 3, own: { spreadPercent: null, twoSidedPercent: 0 } });
    expect(before.market.spreadPercent).toBeGreaterThan(0);
    await runOperation(deps, "start_grid", GRID);
    await pass(4);
    time.pass(2 * MINUTE);
    await pass(1);
    const after = await report();
    expect(after.known).toBe(8);
    expect(after.own.twoSidedPercent).toBe(62.5);
    expect(after.own.spreadPercent).toBeGreaterThan(after.market.spreadPercent ?? 0);
    // From midnight 29 days back until the first look, and between.
    expect(after.gaps.map(({ minutes, what, cause }) => [minutes, what, cause])).toEqual([
      [29 * 1440, "unseen", "unknown"],
      [3, "absent", "not_started"],
      [2, "unseen", "ours"],
    ]);
    expect(after.minutes).toBe(29 * 1440 + 10);
    expect(after.days.map(({ known }) => known)).toEqual([...Array(29).fill(0), 8]);
    expect(after.hash).not.toBe(before.hash);
    expect((await report()).hash).toBe(after.hash);
  });

  it("counts one's own orders as part of the whole book, as the exchange shows it", async () => {
    const { deps, minutes, venue, pass, time } = await watched();
    const bare = await venue("kraken").book(PAIR.symbol, 200);
    await runOperation(deps, "start_grid", GRID);
    await runRound(deps);
    const { bids, asks } = await venue("kraken").book(PAIR.symbol, 200);
    const own = await venue("kraken").openOrders(PAIR.symbol);
    expect(own.length).toBeGreaterThan(10);
    for (const { side, price, amount } of own) {
      const of = (levels: typeof bids) => levels.find((level) => level.price === price)?.amount ?? 0n;
      const [now, before] = side === "buy" ? [of(bids), of(bare.bids)] : [of(asks), of(bare.asks)];
      expect([side, price, now - before]).toEqual([side, price, amount]);
    }
    time.pass(MINUTE);
    await pass(1);
    const [row] = await minutes(PAIR, 0, 1e9);
    for (const side of ["bids", "asks"] as const)
      for (const band of [0, 1, 2] as const)
        expect(row?.depth?.[side][band] ?? 0n).toBeGreaterThanOrEqual(row?.ownDepth?.[side][band] ?? 1n);
  });

  it("is sampled once a minute, however many processes sample", async () => {
    const { deps, minutes, time } = await watched();
    let requestCount = 0;
    const venue: LiquidityDeps["venue"] = (exchange) => {
      requestCount++;
      return deps.venue(exchange);
    };
    for (let look = 0; look < 5; look++) await sampleLiquidity({ ...deps, venue });
    time.pass(MINUTE);
    await sampleLiquidity({ ...deps, venue });
    expect(requestCount).toBe(2);
    expect((await minutes(PAIR, 0, 1e9)).map(({ samples }) => samples)).toEqual([1, 1]);
  });

  it("reports its deviation from other exchanges' prices, and the number of sources", async () => {
    const { pass, report, minutes } = await watched();
    await pass(1);
    const [row] = await minutes(PAIR, 0, 1e9);
    // Three other exchanges list the pair; the chain does not.
    expect(row?.sources).toBe(3);
    expect(row?.deviation).toBeGreaterThan(0n);
    expect(row?.deviation).toBeLessThan(d("0.01"));
    const only = async (price: string) => ({
      prices: [{ source: "x", price: d(price) }],
      maxConfidence: null,
      listed: true,
    });
    await pass(1, { reference: async () => only("1000000") });
    const [, off] = await minutes(PAIR, 0, 1e9);
    expect([off?.sources, off?.deviation]).toEqual([1, expect.any(BigInt)]);
    expect(off?.deviation).toBeGreaterThan(d("0.9"));
    await pass(1, { reference: () => Promise.reject(new Error("gone")) });
    const [, , alone] = await minutes(PAIR, 0, 1e9);
    expect([alone?.sources, alone?.deviation]).toEqual([null, null]);
    expect(alone?.spread).toBeGreaterThan(0n);
    expect(await report()).toMatchObject({
      sources: (3 + 1) / 2,
      unknownSources: 1,
      deviationPercent: expect.any(Number),
    });
  });

  it("distinguishes silent or skipped price sources from none at all", async () => {
    const { pass, report, minutes } = await watched();
    const none = { prices: [], maxConfidence: null };
    await pass(1, { reference: async () => ({ ...none, listed: false }) });
    await pass(1, { reference: async () => ({ ...none, listed: true }) });
    // No call of a pass is spent on it.
    await pass(1, { requests: () => 10 });
    expect((await minutes(PAIR, 0, 1e9)).map(({ sources }) => sources)).toEqual([0, null, null]);
    expect(await report()).toMatchObject({ known: 3, sources: 0, unknownSources: 2, deviationPercent: null });
    const page = liquidityPage((await report()) as unknown as LiquidityAnswer);
    expect(page).toContain("no other price to compare with; unknown in 2 minutes");
  });

  it("reports why a minute is missing, and why no own order was open", async () => {
    const { deps, pass, report, minutes, time } = await watched();
    const { id } = await runOperation<{ id: string }>(deps, "start_grid", GRID);
    const absence = async () => (await minutes(PAIR, 0, 1e9)).at(-1)?.absence;
    await pass(2);
    expect(await absence()).toBeNull();
    await pass(2, { inTime: () => Promise.reject(new VenueError("unavailable", "maintenance")) });
    // Where orders are gone, by what their strategies say.
    const { store } = deps;
    const bare = { ...store, unsettledOrders: async () => [] };
    const like = (change: (view: StrategyView) => StrategyView): Partial<LiquidityDeps> => ({
      store: { ...bare, strategies: async (filter) => (await store.strategies(filter)).map(change) },
    });
    const refused = (reason: RefusalReason) =>
      like(({ strategy, ...view }) => ({
        ...view,
        strategy: { ...strategy, state: { ...strategy.state, refused: [{ slot: 0, reason }] } },
      }));
    for (const [over, result] of [
      [refused("no_quote"), "funds"],
      [refused("max_position"), "funds"],
      [refused("min_position"), "funds"],
      [refused("killed"), "pause"],
      [refused("rejected"), "ours"],
      [like((view) => ({ ...view, accountError: "it is down" })), "exchange"],
    ] as const) {
      await pass(1, over);
      expect([result, await absence()]).toEqual([result, result]);
    }
    await runOperation(deps, "pause_strategy", { id });
    await pass(1, { store: bare });
    expect(await absence()).toBe("pause");
    time.pass(MINUTE);
    await pass(1);
    const output = await report({ from: "2026-01-01", to: "2026-01-01" });
    expect(output.gaps.map(({ minutes: count, what, cause }) => [count, what, cause])).toEqual([
      [2, "unseen", "exchange"],
      [3, "absent", "funds"],
      [1, "absent", "pause"],
      [1, "absent", "ours"],
      [1, "absent", "exchange"],
      [1, "absent", "pause"],
      [1, "unseen", "ours"],
    ]);
  });

  it("has no row for an unreadable book, and nothing is thrown", async () => {
    const { pass, deps, minutes } = await watched();
    await pass(2, { inTime: () => Promise.reject(new Error("gone")) });
    expect(await minutes(PAIR, 0, 1e9)).toEqual([]);
    await sampleLiquidity(deps);
    expect(await minutes(PAIR, 0, 1e9)).toHaveLength(1);
  });

  it("does not count an own order above the best bid that the book lacks", async () => {
    const { deps, minutes, store } = await watched();
    await runOperation(deps, "start_grid", GRID);
    // As if nobody had noticed yet that the market has gone through them.
    const unsettledOrders = async () =>
      (await store.unsettledOrders()).map((one) =>
        one.side === "buy" ? { ...one, price: d("60500") } : one,
      );
    await sampleLiquidity({ ...deps, store: { ...store, unsettledOrders } });
    const [row] = await minutes(PAIR, 0, 1e9);
    expect(row).toMatchObject({ ownOrders: { bids: 0 }, ownSpread: null });
    expect(row?.ownOrders.asks).toBeGreaterThan(10);
  });

  it("does not count orders of paper trading as one's own", async () => {
    const { deps, pass, report } = await watched();
    await runOperation(deps, "start_grid", {
      ...GRID,
      dryRun: true,
      dryBalance: { USDT: d("2000"), BTC: d("1") },
    });
    await pass(4);
    expect(await report()).toMatchObject({ known: 4, timed: 0, own: { twoSidedPercent: 0 } });
  });

  it("uses no request that a pass needs", async () => {
    const { deps, minutes } = await watched();
    await sampleLiquidity({ ...deps, requests: () => 7 });
    expect(await minutes(PAIR, 0, 1e9)).toEqual([]);
  });

  it("is stored for thirteen months, and its minutes are read by key", async () => {
    const { deps, minutes, time, context } = await watched();
    await sampleLiquidity(deps);
    time.pass(396 * 24 * 60 * MINUTE);
    await sampleLiquidity(deps);
    expect(await minutes(PAIR, 0, 1e9)).toHaveLength(2);
    time.pass(MINUTE);
    await sampleLiquidity(deps);
    expect(await minutes(PAIR, 0, 1e9)).toHaveLength(2);
    const { sql, args } = READ_MINUTES.with({ ...PAIR, from: 1, to: 2 });
    const plan = await context.client.execute({ sql: `explain query plan ${sql}`, args });
    expect(plan.rows.map(({ detail }) => String(detail)).join("\n")).toMatch(
      /SEARCH liquidity_minutes USING INDEX sqlite_autoindex_liquidity_minutes_1 \(exchange=\? AND symbol=\? AND minute>\? AND minute<\?\)$/m,
    );
    for (const query of [
      missesQuery(context, PAIR, { from: 1, to: 2 }),
      firstMinuteQuery(context, PAIR),
      sumsQuery(context, PAIR, { from: 1, to: 2 }),
    ]) {
      const request = statement(query);
      const found = await context.client.execute({
        sql: `explain query plan ${request.sql}`,
        args: request.args,
      });
      expect(found.rows.map(({ detail }) => String(detail)).join()).toMatch(
        /^SEARCH liquidity_\w+ USING (COVERING )?INDEX sqlite_autoindex_\w+ \(exchange=\? AND symbol=\?( AND (minute|day)>\? AND (minute|day)<\?)?\)$/,
      );
    }
  });

  it("drops the causes of missing books after thirteen months", async () => {
    const { deps, time } = await watched();
    const gone = { inTime: () => Promise.reject(new VenueError("unavailable", "maintenance")) };
    const kept = async () => (await deps.liquidity?.store.misses(PAIR, 0, 1e9))?.length;
    await sampleLiquidity({ ...deps, ...gone });
    time.pass(396 * 24 * 60 * MINUTE);
    await sampleLiquidity({ ...deps, ...gone });
    expect(await kept()).toBe(2);
    time.pass(MINUTE);
    await sampleLiquidity({ ...deps, ...gone });
    expect(await kept()).toBe(2);
  });

  it("reads minutes of an earlier version that stored depths as documents", async () => {
    const { context, pass, minutes } = await watched();
    await pass(1);
    const [row] = await minutes(PAIR, 0, 1e9);
    await context.client.execute({
      sql: "update liquidity_minutes set depth = ?",
      args: [encode(row?.depth)],
    });
    expect((await minutes(PAIR, 0, 1e9))[0]?.depth).toEqual(row?.depth);
  });

  it("uses less than 400 bytes a minute", async () => {
    const { context, pass, minutes } = await watched();
    await pass(1);
    const [row] = await minutes(PAIR, 0, 1e9);
    const size = async () => {
      const pages = await context.client.execute(
        "select page_count * page_size from pragma_page_count, pragma_page_size",
      );
      return Number(pages.rows[0]?.[0]);
    };
    const before = await size();
    const rows = 1500;
    const liquidity = createLiquidityStore(context);
    for (let more = 1; more <= rows && row; more++)
      await liquidity.keep(PAIR, {
        ...row,
        ownSpread: row.spread,
        ownDepth: row.depth,
        minute: row.minute + more,
      });
    expect(((await size()) - before) / rows).toBeLessThan(400);
  });
});

describe("an agreement over minutes", () => {
  it("is checked against the minutes, and is unknown while missing ones could change the result", async () => {
    const { deps, pass, report, time } = await watched();
    await runOperation(deps, "start_grid", GRID);
    await pass(10);
    const today = { from: "2026-01-01", to: "2026-01-01", preset: "agreement", depth: d("1") };
    const [uptime] = (await report({ ...today, spreadPercent: d("2") })).findings;
    expect(uptime).toMatchObject({
      rule: expect.stringMatching(/^time with own orders on both sides/),
      state: "kept",
      value: 100,
      limit: 90,
    });
    // As wide as a step of the grid, which is more than a hundredth of a percent.
    expect((await report({ ...today, spreadPercent: d("0.01") })).findings[0]).toMatchObject({
      state: "missed",
      value: 0,
    });
    time.pass(9 * MINUTE);
    expect((await report({ ...today, spreadPercent: d("2") })).findings[0]).toMatchObject({
      state: "unknown",
    });
  });
});

describe("the volume of MEXC's rule", () => {
  it("is the exchange's figure for thirty whole days: shown, not judged, and unknown if missing", async () => {
    const hours = Array.from({ length: 33 * 24 }, (_, hour) => ({
      at: START + hour * HOUR,
      open: "60000",
      high: "60000",
      low: "60000",
      close: "60000",
      volume: 0.02,
    }));
    const candles = new Map([[PAIR.symbol, candlesOf({ pair: PAIR.symbol, spanMillis: HOUR }, hours)]]);
    const { pass, report, deps, time } = await watched({ candles, origin: START });
    await pass(1);
    time.pass(30 * DAY);
    await pass(1);
    const volume = (result: Reported) => result.findings.find(({ rule }) => rule.includes("volume"));
    const request = { preset: "mexc-st", from: "2026-01-01", to: "2026-01-31" };
    const output = volume(await report(request));
    expect(output).toMatchObject({ state: "shown", limit: 50_000, unit: "quote" });
    // 24 hours of 0.02 at 60,000: far below what the rule asks, and nothing is made for it.
    expect(output?.value).toBeCloseTo(28_800, -2);
    // Another preset shows the same figure, among Binance's six flags.
    const { findings } = await report({ ...request, preset: "binance-flags" });
    expect([findings.length, findings[3]]).toMatchObject([6, { value: output?.value, limit: null }]);
    const telling = (candles: Venue["candles"]) => (exchange: string) => ({
      ...deps.venue(exchange),
      candles,
    });
    const volumeBy = async (candles: Venue["candles"]) => {
      const over = { ...deps, venue: telling(candles) };
      return volume(
        await runOperation<LiquidityReport>(over, "get_liquidity_report", { ...PAIR, ...request }).then(
          soleMarket,
        ),
      );
    };
    const whole = deps.venue(PAIR.exchange).candles;
    // A day that the exchange does not tell is unknown, not empty.
    const lacking = await volumeBy(async (...range) => (await whole(...range)).slice(1));
    expect(lacking).toMatchObject({ state: "shown", value: null });
    const silent = await volumeBy(() => Promise.reject(new VenueError("unavailable", "maintenance")));
    expect(silent).toMatchObject({ state: "shown", value: null });
  });
});

describe("the report over HTTP", () => {
  it("rejects a pair that is not watched, with what to do, and a wrong day", async () => {
    const { deps, pass } = await watched();
    await pass(1);
    const app = await appOver(deps);
    const ask = async (query: string) => {
      const headers = { authorization: `Bearer ${app.tokens.read}` };
      const answer = await app.ask(`/api/v1/liquidity/report?${query}`, { headers });
      return { status: answer.status, body: await answer.text() };
    };
    const other = await ask("exchange=mexc&symbol=ETH/USDT");
    expect(other.status).toBe(404);
    expect(other.body).toContain("add it to EDGEMAKER_LIQUIDITY, as mexc:ETH/USDT");
    const good = "exchange=kraken&symbol=BTC/USDT";
    for (const wrong of [
      "from=2026-02-01",
      "from=2025-12-01&to=2025-11-01",
      "from=2024-12-31&to=2026-01-01",
      "from=2026-13-40",
    ])
      expect([wrong, (await ask(`${good}&${wrong}`)).status]).toEqual([wrong, 400]);
    const table = await ask(`${good}&format=csv`);
    expect(table.status).toBe(200);
    expect(table.body.split("\r\n")).toHaveLength(32);
    expect(table.body).toMatch(/^day,known,ownSpreadPercent,ownTwoSidedPercent/);
    // Percents, as a person has them.
    const request = await ask(`${good}&preset=agreement&spreadPercent=1.5&uptime=95`);
    expect(soleMarket(JSON.parse(request.body)).findings[0]).toMatchObject({ limit: 95, state: "unknown" });
    const name = /name an agreement, or exchange and symbol/;
    for (const [query, message] of [
      ["", name],
      ["exchange=kraken", name],
      ["symbol=BTC/USDT", name],
      [`agreement=snek&${good}`, /an agreement has its own markets and rules; remove exchange, symbol/],
      ["agreement=snek&uptime=95", /remove uptime/],
    ] as const) {
      const { status, body } = await ask(query);
      expect([query, status, body]).toEqual([query, 400, expect.stringMatching(message)]);
    }
  });
});

describe("EDGEMAKER_LIQUIDITY", () => {
  it("names pairs of configured exchanges", () => {
    expect(parseConfig({ EDGEMAKER_LIQUIDITY: "kraken:BTC/USDT, mexc:SNEK/USDT" }).watched).toEqual([
      PAIR,
      { exchange: "mexc", symbol: "SNEK/USDT" },
    ]);
    for (const wrong of ["kraken", "nowhere:BTC/USDT", "kraken:btc"])
      expect(() => parseConfig({ EDGEMAKER_LIQUIDITY: wrong })).toThrow(
        /EDGEMAKER_LIQUIDITY must be exchange:BASE\/QUOTE/,
      );
  });
});
