import { describe, expect, it } from "vitest";
import type { QualityAnswer } from "../../src/quality/tally.ts";
import { findChromium } from "../support/browser.ts";
import { servedPage } from "../support/served.ts";
import { startOf } from "../support/starts.ts";

const markouts = (...percents: readonly (number | null)[]) =>
  [1000, 10_000, 60_000, 300_000, 3_600_000].map((after, index) => {
    const percent = percents[index] ?? null;
    return {
      after,
      percent,
      impactPercent: null,
      known: percent === null ? 0 : 4,
      unknown: percent === null ? 4 : 0,
    };
  });
const figures = (percent: number) => ({
  fills: 4,
  notional: "400",
  halfSpreadPercent: 0.05,
  withoutMid: 1,
  toxicPercent: 25,
  unmeasured: 2,
  markouts: markouts(null, percent, percent),
});
const day = (date: string, spread: number, inventory: number) => ({
  day: date,
  quote: "USDT",
  dryRun: false,
  totalProfit: String(spread + inventory - 0.5),
  spread: String(spread),
  inventory: String(inventory),
  fees: "0.5",
  fills: 4,
  withoutMid: 1,
});
const ANSWER: QualityAnswer = {
  from: 0,
  to: 1,
  count: 1,
  strategies: [],
  days: [day("2026-01-01", 2, -3), day("2026-01-02", 1, 4)],
  sides: [
    { side: "buy", ...figures(0.01) },
    { side: "sell", ...figures(-0.02) },
  ],
  levels: [
    { side: "buy", level: 0, ...figures(0.01) },
    { side: "buy", level: 1000, ...figures(0.01) },
  ],
  hours: [{ hour: 7, ...figures(0.01) }],
};

describe.skipIf(!findChromium())("execution quality on the page (skipped without Chromium)", () => {
  const served = servedPage();

  it("is requested when it is opened, and drawn by cause, side and level", async () => {
    const { id } = await served.call<{ id: string }>(
      "POST",
      ...startOf("quote", {
        exchange: "kraken",
        symbol: "BTC/USDT",
        spreadPercent: 2,
        size: 100,
        levels: 1,
      }),
    );
    const { page, context, errors, strangers } = await served.signIn();
    const requests: string[] = [];
    await page.route("**/strategy/quality?**", (route) => {
      requests.push(new URL(route.request().url()).search);
      return route.fulfill({ json: ANSWER });
    });
    await page
      .getByRole("table", { name: "Active strategies" })
      .getByRole("link", { name: "BTC/USDT" })
      .click();
    const part = page.getByRole("region", { name: "Execution quality" });
    await page.getByRole("region", { name: "Price and levels" }).waitFor();
    expect(requests).toEqual([]);
    await page.getByRole("link", { name: "Quality" }).click();
    const bars = part.getByRole("img", {
      name: "P&L by cause and day from 2026-01-01 to 2026-01-02: +3.00 USDT in all",
    });
    await bars.waitFor();
    expect(requests).toEqual([`?id=${id}`]);
    expect(await bars.locator("title").allTextContents()).toEqual([
      "2026-01-01, spread: +2.00 USDT",
      "2026-01-01, inventory: −3.00 USDT",
      "2026-01-01, fees: −0.50 USDT",
      "2026-01-02, spread: +1.00 USDT",
      "2026-01-02, inventory: +4.00 USDT",
      "2026-01-02, fees: −0.50 USDT",
    ]);
    const curve = part.getByRole("img", { name: /^Markout curve: buy from .* to .*; sell from .* to/ });
    // The mid after 1 s is unknown, so each line has three points.
    const lines = await curve
      .locator("polyline")
      .evaluateAll((all) =>
        all.map((one) => [one.getAttribute("class"), one.getAttribute("points")?.split(" ").length]),
      );
    expect(lines).toEqual([
      ["buy level", 3],
      ["buy level", 3],
      ["buy", 3],
      ["sell", 3],
    ]);
    const sides = part.getByRole("table", { name: "Execution by side" });
    expect(await sides.innerText()).toMatch(
      /Sells\s+4\s+\+0\.0500\s%, 1 unknown\s+−0\.0200\s%\s+Unknown\s+25\.0\s%, 2 unknown/,
    );
    const levels = part.getByRole("table", { name: "Execution by level" });
    expect(await levels.innerText()).toMatch(/Level 0, buys\s[\s\S]*Initial buy\s/);
    const days = part.getByRole("table", { name: "P&L by cause and day" });
    expect(await days.innerText()).toContain("P&L, USDT");
    expect(errors).toEqual([]);
    expect(strangers).toEqual([]);
    await context.close();
  });
});
