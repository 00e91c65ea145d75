import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { MINUTE } from "../../src/kernel/time.ts";
import { agreementRule, overallState } from "../../src/liquidity/obligations.ts";
import { liquidityPage } from "../../src/liquidity/page.tsx";
import {
  describeTerms,
  findingRow,
  findingsOf,
  quote,
  tradeCostsOut,
} from "../../src/liquidity/page-tables.tsx";
import { daysOut, liquidityReport, reportOut } from "../../src/liquidity/report.ts";
import type { LiquidityAnswer } from "../../src/liquidity/schema.ts";
import { foldSamples, MINUTES_PER_DAY, sampleBook } from "../../src/model/samples/sample.ts";
import { findChromium, openPage, startBrowser } from "../support/browser.ts";
import { d } from "../support/grid.ts";
import { spanOf } from "../support/liquidity-minute.ts";
import { tempFolder } from "../support/temp.ts";

const level = (price: string, amount: string) => ({ price: d(price), amount: d(amount) });
const BOOK = {
  bids: [level("99.5", "2"), level("99", "5")],
  asks: [level("100.5", "2"), level("101", "5")],
};
const OWN = [
  { side: "buy" as const, price: d("99"), amount: d("3") },
  { side: "sell" as const, price: d("101"), amount: d("3") },
];

/** Three days, of which the exchange gave no book for an hour of the second, and funds were short on the third. */
function answerOf(over: Partial<LiquidityAnswer> = {}): LiquidityAnswer {
  const [from, to] = [20_000 * MINUTES_PER_DAY, 20_003 * MINUTES_PER_DAY];
  const misses = Array.from({ length: 60 }, (_, place) => ({
    minute: from + MINUTES_PER_DAY + 600 + place,
    cause: "exchange" as const,
  }));
  const missed = new Set(misses.map(({ minute }) => minute));
  const samples = Array.from({ length: to - from }, (_, place) => from + place)
    .filter((minute) => !missed.has(minute))
    .map((minute) => {
      const isShort = minute - from > 2 * MINUTES_PER_DAY + 900;
      const observed = { at: minute * MINUTE, bid: undefined, ask: undefined, book: BOOK, limit: 2 };
      const sample = sampleBook(
        { ...observed, reference: d("100.3"), sources: 2 },
        isShort ? OWN.slice(0, 1) : OWN,
      );
      return { ...sample, absence: isShort ? ("funds" as const) : null };
    });
  const rule = agreementRule({ spread: d("0.02"), levels: 1 });
  const span = spanOf({ from, to, rows: foldSamples(samples) }, { rule, misses });
  const promise = { preset: "agreement", request: { spread: d("0.02"), depth: d("250") } } as const;
  const findings = findingsOf(promise, span);
  return {
    exchange: "mexc",
    symbol: '<b onclick="alert(1)">SNEK/USDT',
    maker: "Snek Treasury Ltd",
    madeAt: Date.UTC(2024, 9, 7, 8, 30),
    from: "2024-10-04",
    to: "2024-10-06",
    preset: "agreement",
    terms: describeTerms(promise, "USDT"),
    verdict: overallState(findings),
    ...reportOut(liquidityReport(span, findings, from)),
    days: daysOut(span, (day) => new Date(day * 86_400_000).toISOString().slice(0, 10), rule),
    costToTrade: tradeCostsOut(span, (day) => new Date(day * 86_400_000).toISOString().slice(0, 10), true),
    hash: "0123456789abcdef".repeat(4),
    ...over,
  } as LiquidityAnswer;
}

describe("a liquidity report as a page", () => {
  it("shows amounts below one with six decimals", () => {
    const finding = { rule: "depth", state: "missed", unit: "quote", reason: null } as const;
    expect(findingRow({ ...finding, value: 0.004, limit: 0.005 }, "BTC")).toEqual([
      "depth",
      "missed",
      "0.004000 BTC",
      "0.005000 BTC",
    ]);
    expect([0, 0.25, 1, -0.5, 1234.5].map((value) => quote(value))).toEqual([
      "0.00",
      "0.250000",
      "1.00",
      "-0.500000",
      "1,234.50",
    ]);
  });

  it("shows own and market figures separately, gaps with their cause, coverage and its hash", () => {
    const page = liquidityPage(answerOf());
    expect(page).toContain("<b>2.00 % spread</b>");
    expect(page).toContain("<b>1.00 % spread</b><br/>100.00 % of the time on both sides");
    expect(page).toContain("<b>4,260 of 4,320 minutes</b><br/>0.30 % from 2 other price sources on average");
    expect(page).toContain(
      "<td>2024-10-05 10:00</td><td>60</td><td>no sample</td><td>the exchange did not respond</td>",
    );
    expect(page).toMatch(
      /<td>539<\/td><td>own orders were not on both sides<\/td><td>the balance was too low/,
    );
    expect(page).toContain("In 4,260 minutes the exchange&#39;s book ended less than 2 %");
    expect(page).toContain(answerOf().hash);
    expect(page).toContain(
      "<td>mean depth of own bids</td><td>kept</td><td>297.00 USDT</td><td>250.00 USDT</td>",
    );
    expect(page).not.toMatch(/null|undefined|NaN|<b onclick/);
  });

  it("names the maker, the market, the period, the time of making and the terms", () => {
    const page = liquidityPage(answerOf());
    for (const text of [
      "Snek Treasury Ltd",
      "2024-10-04 to 2024-10-06, days in UTC",
      "2024-10-07 08:30 UTC, by edgemaker",
      "<li>Own orders on both sides for at least 90 % of the time.</li>",
      "<li>At most 2 % between the best own bid and ask, and at least 1 own order per side; other minutes do not count.</li>",
      "<li>A mean depth of at least 250 USDT per side within 2 % of the mid price.</li>",
    ])
      expect(page).toContain(text);
  });

  it("has one figure for the time that meets the agreement, and one line for all rules", () => {
    const page = liquidityPage(answerOf());
    const { findings } = answerOf();
    const share = `${findings[0]?.value?.toFixed(2)} %`;
    expect(page.split(share)).toHaveLength(2);
    expect(page).not.toContain(`${answerOf().own.twoSidedPercent?.toFixed(2)} % of the time`);
    expect(page).toContain("Missed: 1 of 3 rules is not met.");
  });

  it("says why a result is unknown", () => {
    const [first, ...rest] = answerOf().findings;
    const reason = "60 of 4,320 minutes have no sample, and could change the result";
    const findings = [{ ...first, state: "unknown", reason }, ...rest] as LiquidityAnswer["findings"];
    const page = liquidityPage(answerOf({ findings, verdict: "unknown" }));
    expect(page).toContain(`<td>${reason}</td>`);
    expect(page).toContain("Unknown: minutes without a sample could change 1 of 3 rules.");
  });

  it("lists days without a sample as one row", () => {
    const { days } = answerOf();
    const [first] = days as [LiquidityAnswer["days"][number]];
    const none = { ...first, known: 0, upPercent: null };
    const empty = ["2024-09-01", "2024-09-02", "2024-09-03"].map((day) => ({ ...none, day }));
    const page = liquidityPage(answerOf({ days: [...empty, ...days] }));
    expect(page).toContain("<td>2024-09-01 to 2024-09-03</td><td>no sample</td>");
    expect(page).not.toContain("<td>2024-09-02</td>");
  });

  it.skipIf(!findChromium())("is printed on A4 without a cut column", async () => {
    const file = join(tempFolder(), "liquidity.html");
    writeFileSync(file, liquidityPage(answerOf()));
    const browser = await startBrowser();
    try {
      // A4 without its margins, at 96 dots an inch.
      const viewport = { width: Math.floor(((210 - 28) / 25.4) * 96), height: 1000 };
      const { page } = await openPage(browser, "null", { viewport });
      await page.emulateMedia({ media: "print" });
      await page.goto(pathToFileURL(file).href);
      const cut = await page
        .locator("table")
        .evaluateAll(
          (tables) => tables.filter((one) => one.scrollWidth > (one.parentElement?.clientWidth ?? 0)).length,
        );
      expect(cut).toBe(0);
      expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
      const pdf = process.env.LIQUIDITY_SHOTS;
      if (pdf) await page.pdf({ path: join(pdf, "liquidity.pdf"), preferCSSPageSize: true });
    } finally {
      await browser.close();
    }
  });

  it.skipIf(!findChromium()).each([380, 1280])(
    "renders in Chromium at %d px: it loads nothing, runs nothing and overflows nowhere",
    async (width) => {
      const file = join(tempFolder(), "liquidity.html");
      writeFileSync(file, liquidityPage(answerOf()));
      const browser = await startBrowser();
      try {
        const viewport = { width, height: 800 };
        const { page, errors, strangers } = await openPage(browser, "null", { viewport });
        const url = pathToFileURL(file).href;
        await page.goto(url);
        const shots = process.env.LIQUIDITY_SHOTS;
        if (shots) await page.screenshot({ path: join(shots, `liquidity-${width}.png`), fullPage: true });
        expect(await page.getByRole("heading", { level: 1 }).innerText()).toContain("SNEK/USDT on mexc");
        expect(await page.locator("svg rect").count()).toBe(3);
        expect(await page.locator("script, img, link").count()).toBe(0);
        expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
        expect([errors, strangers.filter((one) => one !== url)]).toEqual([[], []]);
      } finally {
        await browser.close();
      }
    },
  );
});
