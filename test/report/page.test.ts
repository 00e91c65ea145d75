import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { reportPage } from "../../src/report/page.tsx";
import type { Report } from "../../src/report/schema.ts";
import { testApp } from "../support/app.ts";
import { findChromium, openPage, startBrowser } from "../support/browser.ts";
import { edgemaker } from "../support/command.ts";
import { tempFolder } from "../support/temp.ts";

const FIGURES = {
  totalProfit: "-12.345",
  realizedProfit: "3.2",
  fees: "0.4",
  cycles: 7,
  filledOrders: 20,
  incidents: 1,
};
const REPORT: Report = {
  from: Date.UTC(2026, 0, 1),
  to: Date.UTC(2026, 0, 31),
  totals: [{ quote: "USDT", mode: "real", ...FIGURES }],
  strategies: [
    {
      ...FIGURES,
      id: "grid-kraken-BTC-USDT-1",
      name: null,
      kind: "grid",
      days: [],
      exchange: "kraken",
      mode: "real",
      inRangePercent: 88.5,
      uptimePercent: 99,
      symbol: '<img src="https://evil.test/x" onerror="alert(1)">',
    },
  ],
  days: [],
  count: 1,
};

describe("a report page", () => {
  it.skipIf(!findChromium()).each([360, 1100])(
    "renders in Chromium at %d px: it loads nothing, runs nothing and overflows nowhere",
    async (width) => {
      const file = join(tempFolder(), "report.html");
      writeFileSync(file, reportPage(REPORT));
      const browser = await startBrowser();
      try {
        const { page, errors, strangers } = await openPage(browser, "null", {
          viewport: { width, height: 800 },
        });
        const url = pathToFileURL(file).href;
        await page.goto(url);
        expect(await page.getByRole("heading").innerText()).toBe(
          "edgemaker report, 2026-01-01 to 2026-01-31",
        );
        expect(await page.locator("dd").innerText()).toContain("-12.35");
        expect(await page.locator("tbody tr").innerText()).toContain("<img src=");
        expect(await page.locator("img, script").count()).toBe(0);
        expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
        expect([errors, strangers.filter((one) => one !== url)]).toEqual([[], []]);
      } finally {
        await browser.close();
      }
    },
  );

  it("marks a share that is not known yet", () => {
    const strategies = REPORT.strategies.map((row) => ({
      ...row,
      inRangePercent: null,
      uptimePercent: null,
    }));
    const page = reportPage({ ...REPORT, strategies });
    expect(page).not.toContain("null");
    expect(page.match(/<td>not known yet<\/td>/g)).toHaveLength(2);
    expect(reportPage(REPORT)).toContain("<td>88.5 %</td><td>99 %</td>");
  });

  it("is printed by the command line, even if nothing ran", async () => {
    const { code, stdout } = await edgemaker(tempFolder(), ["report", "--sandbox", "--format", "html"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^<!doctype html>.*No strategy was running\..*<\/html>\n$/s);
    const json = await edgemaker(tempFolder(), ["report", "--sandbox", "--format", "json"]);
    expect(JSON.parse(json.stdout)).toMatchObject({ strategies: [] });
    const wrong = await edgemaker(tempFolder(), ["report", "--sandbox", "--format", "pdf"]);
    expect([wrong.code, wrong.stderr]).toEqual([
      2,
      expect.stringContaining("--format must be html or csv or json"),
    ]);
  });

  it("is served over HTTP under a policy that blocks all scripts", async () => {
    const { ask, tokens } = await testApp();
    const headers = { authorization: `Bearer ${tokens.read}` };
    const page = await ask("/api/v1/report?format=html", { headers });
    expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(await page.text()).toContain("No strategy was running.");
    expect((await ask("/api/v1/report?format=pdf", { headers })).status).toBe(400);
  });
});
