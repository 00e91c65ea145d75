import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { MINUTE } from "../../src/kernel/time.ts";
import { agreementRule } from "../../src/liquidity/obligations.ts";
import { liquidityPage } from "../../src/liquidity/page.tsx";
import { findingsOf } from "../../src/liquidity/presets.ts";
import { liquidityReport } from "../../src/liquidity/report.ts";
import { daysOut, reportOut } from "../../src/liquidity/report-answer.ts";
import type { LiquidityAnswer } from "../../src/liquidity/schema.ts";
import { foldSamples, MINUTES_A_DAY } from "../../src/model/samples/minute.ts";
import { sampleBook } from "../../src/model/samples/sample.ts";
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
function answerOf(): LiquidityAnswer {
  const [from, to] = [20_000 * MINUTES_A_DAY, 20_003 * MINUTES_A_DAY];
  const misses = Array.from({ length: 60 }, (_, place) => ({
    minute: from + MINUTES_A_DAY + 600 + place,
    cause: "exchange" as const,
  }));
  const missed = new Set(misses.map(({ minute }) => minute));
  const samples = Array.from({ length: to - from }, (_, place) => from + place)
    .filter((minute) => !missed.has(minute))
    .map((minute) => {
      const isShort = minute - from > 2 * MINUTES_A_DAY + 900;
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
    from: "2024-10-04",
    to: "2024-10-06",
    preset: "agreement",
    ...reportOut(liquidityReport(span, findings, from)),
    days: daysOut(span, (day) => new Date(day * 86_400_000).toISOString().slice(0, 10)),
    hash: "0123456789abcdef".repeat(4),
  } as LiquidityAnswer;
}

describe("a liquidity report as a page", () => {
  it("tells own and market apart, gaps with their cause, how much was seen, and its hash", () => {
    const page = liquidityPage(answerOf());
    expect(page).toContain("<b>87.3474 %</b> of the time on both sides<br/>2 % apart on average");
    expect(page).toContain("<b>100 %</b> of the time on both sides<br/>1 % apart on average");
    expect(page).toContain(
      "<b>4260</b> of 4320 minutes, 4260 samples<br/>0.2991 % off 2 other places on average",
    );
    expect(page).toContain("<td>2024-10-05 10:00</td><td>60</td><td>no sample</td><td>the exchange</td>");
    expect(page).toMatch(
      /<td>539<\/td><td>own orders were not on both sides<\/td><td>insufficient funds<\/td>/,
    );
    expect(page).toContain("Visible book only: in 4260 minutes");
    expect(page).toContain(answerOf().hash);
    expect(page).toContain("<td>mean depth of own bids</td><td>kept</td><td>297</td><td>250</td>");
    expect(page).not.toMatch(/null|undefined|NaN|<b onclick/);
  });

  it.skipIf(!findChromium()).each([380, 1280])(
    "is read in Chromium at %d px: it loads nothing, runs nothing and overflows nowhere",
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
        expect(await page.locator("svg rect").count()).toBe(6);
        expect(await page.locator("script, img, link").count()).toBe(0);
        expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
        expect([errors, strangers.filter((one) => one !== url)]).toEqual([[], []]);
      } finally {
        await browser.close();
      }
    },
  );
});
