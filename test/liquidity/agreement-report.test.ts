import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { DAY } from "../../src/kernel/time.ts";
import { agreementPage, type LiquidityReport } from "../../src/liquidity/agreement-page.tsx";
import { daysBefore } from "../../src/liquidity/operations/agreement-report.ts";
import { totalFindings } from "../../src/liquidity/report.ts";
import {
  createAgreementStore,
  createLiquidityStore,
  type LiquidityDeps,
} from "../../src/liquidity/store/store.ts";
import { MINUTES_PER_DAY } from "../../src/model/samples/sample.ts";
import { appOver } from "../support/app.ts";
import { findChromium, openPage, startBrowser } from "../support/browser.ts";
import { d } from "../support/grid.ts";
import { liquidityMinute, spanOf } from "../support/liquidity-minute.ts";
import { runOperation, START, testSandbox } from "../support/sandbox.ts";
import { tempFolder } from "../support/temp.ts";

const FIRST = START / DAY;
const dayNamed = (place: number) => new Date((FIRST + place) * DAY).toISOString().slice(0, 10);
const SYMBOL = "BTC/USDT" as const;

/** Two finished days: kraken keeps everything; mexc quotes too wide for a fifth of a day; gateio has no sample. */
async function reported(request: object = {}) {
  const box = await testSandbox({ speed: 1 });
  const [store, agreements] = [createLiquidityStore(box.context), createAgreementStore(box.context)];
  const deps: LiquidityDeps = { ...box.deps, liquidity: { store, pairs: [], agreements } };
  const wide = MINUTES_PER_DAY / 5;
  for (let place = 0; place < 2 * MINUTES_PER_DAY; place++) {
    const minute = FIRST * MINUTES_PER_DAY + place;
    await store.keep({ exchange: "kraken", symbol: SYMBOL }, liquidityMinute({ minute }));
    const ownSpread = place < wide ? d("0.05") : d("0.01");
    await store.keep({ exchange: "mexc", symbol: SYMBOL }, liquidityMinute({ minute, ownSpread }));
  }
  box.time.pass(2 * DAY);
  await runOperation(deps, "create_agreement", {
    agreement: "snek",
    counterparty: "<i>Foundation",
    from: dayNamed(0),
    markets: "kraken:BTC/USDT uptime=95, mexc:BTC/USDT uptime=95, gateio:BTC/USDT depth=100",
    total: "uptime=60 depth=3000",
  });
  const report = await runOperation<LiquidityReport>(deps, "get_liquidity_report", {
    agreement: "snek",
    from: dayNamed(0),
    to: dayNamed(1),
    maker: "Desk",
    ...request,
  });
  return { report, deps };
}

const short = ({ rules }: LiquidityReport) =>
  rules.map(({ exchange, rule, state, value }) => [exchange, rule.split(",")[0], state, value]);

describe("the report of an agreement", () => {
  it("has the result of each rule by market and in total, and never counts an unknown minute as kept", async () => {
    const { report } = await reported();
    const uptime = "time with own orders on both sides";
    expect(short(report)).toEqual([
      ["kraken", uptime, "kept", 100],
      ["kraken", "mean depth of own bids", "kept", 1000],
      ["kraken", "mean depth of own asks", "kept", 1000],
      ["mexc", uptime, "missed", 90],
      ["mexc", "mean depth of own bids", "kept", 1000],
      ["mexc", "mean depth of own asks", "kept", 1000],
      ["gateio", uptime, "unknown", null],
      ["gateio", "mean depth of own bids", "unknown", null],
      ["gateio", "mean depth of own asks", "unknown", null],
      // 5,472 of 8,640 minutes count for certain: 63.3 %; of the known ones it is 95 %.
      [null, "time that counts", "kept", 95],
      [null, "mean depth of own bids", "unknown", null],
      [null, "mean depth of own asks", "unknown", null],
    ]);
    expect(report).toMatchObject({
      verdict: "missed",
      counts: { kept: 6, missed: 1, unknown: 5 },
      before: null,
    });
    expect(report.markets.map(({ exchange, known }) => [exchange, known])).toEqual([
      ["kraken", 2880],
      ["mexc", 2880],
      ["gateio", 0],
    ]);
  });

  it("compares with the period before, and covers only days of the agreement", async () => {
    const { report, deps } = await reported({ from: dayNamed(1) });
    expect(report.before).toEqual({ from: dayNamed(0), to: dayNamed(0) });
    expect(report.rules.map(({ before }) => before?.state)).toEqual([
      "kept",
      "kept",
      "kept",
      "missed",
      "kept",
      "kept",
      "unknown",
      "unknown",
      "unknown",
      "kept",
      "unknown",
      "unknown",
    ]);
    expect(report.rules[3]).toMatchObject({ state: "kept", value: 100, before: { value: 80 } });
    await runOperation(deps, "edit_agreement", { agreement: "snek", until: dayNamed(0) });
    const ask = (request: object) =>
      runOperation<LiquidityReport>(deps, "get_liquidity_report", { agreement: "snek", ...request });
    expect(await ask({})).toMatchObject({ from: dayNamed(0), to: dayNamed(0) });
    await expect(ask({ from: dayNamed(1), to: dayNamed(1) })).rejects.toThrow(
      "has no past day in this period",
    );
    await expect(ask({ agreement: "none" })).rejects.toThrow("there is no agreement none");
  });

  it("counts a market of an exchange that the settings do not list as unknown in the total", async () => {
    const { deps } = await reported();
    const markets = "kraken:BTC/USDT, mexc:BTC/USDT";
    await runOperation(deps, "create_agreement", {
      agreement: "two",
      from: dayNamed(0),
      markets,
      total: "uptime=60 depth=1500",
    });
    const exchanges = deps.exchanges.filter(({ id }) => id === "kraken");
    const ask = (over: object) =>
      runOperation<LiquidityReport>({ ...deps, exchanges }, "get_liquidity_report", {
        agreement: "two",
        from: dayNamed(0),
        to: dayNamed(1),
        ...over,
      });
    const report = await ask({});
    // Kraken is half of the time, and has 1000: mexc decides.
    expect(short(report).slice(3)).toEqual([
      [null, "time that counts", "unknown", 100],
      [null, "mean depth of own bids", "unknown", null],
      [null, "mean depth of own asks", "unknown", null],
    ]);
    expect(report).toMatchObject({ unknownMarkets: ["mexc:BTC/USDT"], verdict: "unknown" });
    await runOperation(deps, "edit_agreement", { agreement: "two", total: "none" });
    expect(agreementPage(await ask({}))).toContain("Unknown: not every market is measured.");
  });

  it("is served over HTTP without the stored form of its rules", async () => {
    const { deps } = await reported();
    const app = await appOver(deps);
    const headers = { authorization: `Bearer ${app.tokens.read}` };
    const response = await app.ask("/api/v1/liquidity/report?agreement=snek", { headers });
    const { markets } = (await response.json()) as LiquidityReport;
    expect([response.status, markets.length, "promise" in (markets[0] ?? {})]).toEqual([200, 3, false]);
  });

  it("is a page with the results first, then each market", async () => {
    const { report } = await reported();
    const page = agreementPage(report);
    expect(page).toContain("Missed: 1 of 12 rules is not met.");
    expect(page).toContain("&lt;i&gt;Foundation");
    expect(page.indexOf("BTC/USDT, all markets")).toBeLessThan(page.indexOf("What was offered"));
    expect(page.match(/class="market"/g)).toHaveLength(3);
    // The market without a sample.
    expect(page.match(/no spread|spread not known/g)).toEqual(Array(2).fill("spread not known"));
    expect(page).not.toMatch(/null|undefined|NaN|<i>/);
  });

  it.skipIf(!findChromium())("fits on paper and on a phone", async () => {
    const { report } = await reported({ from: dayNamed(1) });
    const file = join(tempFolder(), "agreement.html");
    writeFileSync(file, agreementPage(report));
    const shots = process.env.LIQUIDITY_SHOTS;
    const browser = await startBrowser();
    try {
      for (const [width, media, colorScheme] of [
        [687, "print", "light"],
        [390, "screen", "light"],
        [390, "screen", "dark"],
        [1440, "screen", "light"],
        [1440, "screen", "dark"],
      ] as const) {
        const { page, errors } = await openPage(browser, "null", { viewport: { width, height: 900 } });
        await page.emulateMedia({ media, colorScheme });
        await page.goto(pathToFileURL(file).href);
        expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
        const cut = await page
          .locator("table")
          .evaluateAll(
            (tables) =>
              tables.filter((one) => one.scrollWidth > (one.parentElement?.clientWidth ?? 0)).length,
          );
        if (media === "print") expect(cut).toBe(0);
        expect(errors).toEqual([]);
        const name = `agreement-${width}-${colorScheme}`;
        if (shots && media === "screen")
          await page.screenshot({ path: join(shots, `${name}.png`), fullPage: true });
        if (shots && media === "print")
          await page.pdf({ path: join(shots, `${name}.pdf`), preferCSSPageSize: true });
      }
    } finally {
      await browser.close();
    }
  });

  it("compares a part of a month with last month, and other days with as many before", () => {
    const day = (text: string) => Date.parse(text) / DAY;
    const earlier = (from: string, to: string) => daysBefore({ from: day(from), to: day(to) });
    expect(earlier("2026-03-01", "2026-03-15")).toEqual({ from: day("2026-02-01"), to: day("2026-02-28") });
    expect(earlier("2026-01-01", "2026-01-31")).toEqual({ from: day("2025-12-01"), to: day("2025-12-31") });
    expect(earlier("2026-03-02", "2026-03-08")).toEqual({ from: day("2026-02-23"), to: day("2026-03-01") });
    expect(earlier("2026-03-01", "2026-04-30")).toEqual({ from: day("2025-12-30"), to: day("2026-02-28") });
  });
});

describe("the total of several markets", () => {
  const known = (count: number, depth: string) =>
    spanOf({
      from: 0,
      to: 10,
      rows: Array.from({ length: count }, (_, minute) =>
        liquidityMinute({ minute, ownDepth: { bids: [0n, 0n, d(depth)], asks: [0n, 0n, d("900")] } }),
      ),
    });
  const bids = (spans: ReturnType<typeof known>[], depth: string) => {
    const [first] = totalFindings(spans, { depth: d(depth) });
    return [first?.state, first?.value];
  };

  it.each([
    ["the sum of the means", [10, 10], "300", ["kept", d("300")]],
    ["the sum of the means", [10, 10], "301", ["missed", d("300")]],
    ["what the known minutes prove", [10, 5], "200", ["kept", d("300")]],
    ["unknown minutes that could be missing", [10, 5], "201", ["unknown", d("300")]],
    ["a market without a sample", [10, 0], "101", ["unknown", null]],
  ] as const)("compares the depth with %s: %j minutes, %s required", (_what, [a, b], depth, expected) => {
    expect(bids([known(a, "100"), known(b, "200")], depth)).toEqual(expected);
  });

  it("states what the markets with samples have, if that alone keeps the rule", () => {
    const [first] = totalFindings([known(10, "100.125"), known(0, "200")], { depth: d("100") });
    expect(first).toMatchObject({
      state: "kept",
      value: null,
      reason: "the markets with samples alone have at least 100.12",
    });
  });
});
