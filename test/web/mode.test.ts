import { describe, expect, it } from "vitest";
import { findChromium } from "../support/browser.ts";
import { servedPage } from "../support/served.ts";
import { startOf } from "../support/starts.ts";

const QUOTES = {
  exchange: "kraken",
  symbol: "BTC/USDT",
  spreadPercent: 2,
  size: 100,
  quoteBudget: 1000,
  baseBudget: 0.01,
};

describe.skipIf(!findChromium())("whose money the page shows (skipped without Chromium)", () => {
  const served = servedPage(["--tick-interval", "3600000"]);

  it("is said over each page and in its tab while all money is simulated", async () => {
    const { page, context } = await served.signIn();
    const bar = page.getByText("SIMULATED No real money: exchange, prices and orders are simulated");
    for (const [path, title] of [
      ["", "Strategies"],
      ["start", "Start"],
      ["markets", "Markets"],
      ["account", "Account"],
    ]) {
      await page.goto(`${served.url}/#/${path}`);
      await bar.waitFor();
      await expect.poll(() => page.title()).toMatch(new RegExp(`^SIMULATED · ${title}`));
    }
    expect(await page.getByText("real money", { exact: true }).count()).toBe(0);
    await context.close();
  });

  it("is real money on a real server, and paper trading only on the page of such a strategy", async () => {
    const { id } = await served.call<{ id: string }>("POST", ...startOf("quote", QUOTES));
    const { page, context } = await served.signIn();
    await page.route("**/api/v1/session", async (route) => {
      const response = await route.fetch();
      await route.fulfill({ json: { ...(await response.json()), mode: "real" } });
    });
    await page.route(`**/api/v1/strategies/${id}`, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ json: { ...(await response.json()), mode: "paper" } });
    });
    await page.reload();
    const real = page.getByText("real money", { exact: true });
    await real.waitFor();
    await expect.poll(() => page.title()).toBe("Strategies · edgemaker");
    await page.goto(`${served.url}/#/strategy/${id}`);
    await page.getByText("PAPER No real money: orders and fills are simulated").waitFor();
    await expect.poll(() => page.title()).toMatch(/^PAPER · /);
    expect(await real.count()).toBe(0);
    await page.goto(`${served.url}/#/account`);
    await real.waitFor();
    await expect.poll(() => page.title()).toBe("Account · edgemaker");
    await context.close();
  });
});
