import { describe, expect, it } from "vitest";
import { findChromium } from "../../support/browser.ts";
import { gridRequest } from "../../support/requests.ts";
import { servedPage } from "../../support/served.ts";

describe.skipIf(!findChromium())("the settings of a start in Chromium (skipped without Chromium)", () => {
  const served = servedPage(["--tick-interval", "3600000"]);

  it("stay paper trading with their budgets from a start to a backtest and back", async () => {
    const { page, context, errors } = await served.signIn();
    await page.goto(`${served.url}/#/start/quote`);
    await page.getByLabel("Exchange").selectOption("kraken");
    await page.getByLabel("Pair").fill("BTC/USDT");
    await page.getByLabel("Depth per side, USDT").fill("100");
    await page.getByRole("button", { name: /^Start: .*, simulated$/ }).waitFor();
    // A backtest without typed budgets has what is free, as the start would.
    const tried = page.waitForRequest("**/api/v1/backtest");
    await page.getByRole("button", { name: "Backtest on the latest candles" }).click();
    const { quoteBudget } = (await tried).postDataJSON() as { readonly quoteBudget: number };
    expect(quoteBudget).toBeGreaterThan(0);

    await page.getByLabel("Quote budget, USDT").fill("321");
    await page.getByLabel("Paper trading").check();
    await page.getByRole("button", { name: /^Start: .*, paper trading$/ }).waitFor();
    await page.getByRole("link", { name: "Compare in a backtest" }).click();
    await page.getByRole("heading", { name: "Backtest", exact: true }).waitFor();
    expect(await page.getByLabel("Quote budget, USDT").inputValue()).toBe("321");
    await page.getByRole("button", { name: "Run it" }).click();
    await page.getByRole("link", { name: "Use these settings" }).click();
    await page.getByRole("heading", { name: "Start quotes" }).waitFor();
    expect(await page.getByLabel("Paper trading").isChecked()).toBe(true);
    expect(await page.getByLabel("Quote budget, USDT").inputValue()).toBe("321");
    await page.getByRole("button", { name: /^Start: .*, paper trading$/ }).click();
    await page.getByRole("dialog", { name: "Start quotes on BTC/USDT at kraken, paper trading?" }).waitFor();
    expect(errors).toEqual([]);
    await context.close();
  });

  it("have the defaults of each form when another form is opened before the balances are known", async () => {
    const { page, context } = await served.signIn();
    let answer = () => {};
    const isKnown = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route("**/api/v1/balance*", async (route) => {
      await isKnown;
      await route.continue();
    });
    await page.goto(`${served.url}/#/start`);
    await page.getByRole("link", { name: "Quotes", exact: true }).click();
    await page.getByRole("heading", { name: "Start quotes" }).waitFor();
    answer();
    await expect.poll(() => page.getByLabel("Pair").inputValue()).not.toBe("");
    expect(await page.getByLabel("Spread between bid and ask, %").inputValue()).toBe("2");
    await context.close();
  });

  it("say that they use real money on a server with real accounts", async () => {
    const { page, context } = await served.signIn();
    await page.route("**/api/v1/session", async (route) => {
      const response = await route.fetch();
      await route.fulfill({ json: { ...(await response.json()), mode: "real" } });
    });
    await page.reload();
    await page.goto(`${served.url}/#/start/centered`);
    await page.getByRole("button", { name: /^Start: .*, real money$/ }).click();
    await page.getByRole("dialog", { name: /, real money\?$/ }).waitFor();
    await context.close();
  });

  it("have no budget of another asset, and none while what is free is unknown", async () => {
    const { page, context } = await served.signIn();
    let isKnown = false;
    await page.route("**/api/v1/balance*withdrawable*", async (route) => {
      if (!isKnown) return route.fulfill({ status: 503, json: { error: "Unavailable", message: "later" } });
      const response = await route.fetch();
      const balances = [
        { asset: "BTC", canWithdraw: "0.5" },
        { asset: "USDT", canWithdraw: "5000" },
      ];
      return route.fulfill({ json: { ...(await response.json()), balances } });
    });
    await page.goto(`${served.url}/#/start`);
    await page.getByLabel("Exchange").selectOption("kraken");
    await page.getByLabel("Pair").fill("ETH/BTC");
    expect(await page.getByLabel("Budget, BTC").inputValue()).toBe("");
    isKnown = true;
    await page.reload();
    await page.getByLabel("Exchange").selectOption("kraken");
    await page.getByLabel("Pair").fill("ETH/BTC");
    await expect.poll(() => page.getByLabel("Budget, BTC").inputValue()).toBe("0.5");
    await page.getByLabel("Pair").fill("ETH/USDT");
    await expect.poll(() => page.getByLabel("Budget, USDT").inputValue()).toBe("1000");
    await page.getByLabel("Budget, USDT").fill("500");
    await page.getByLabel("Pair").fill("ETH/BTC");
    expect(await page.getByLabel("Budget, BTC").inputValue()).toBe("0.5");
    await page.goto(`${served.url}/#/backtest`);
    await page.getByLabel("Exchange").selectOption("kraken");
    await page.getByLabel("Pair").fill("ETH/USDT");
    await page.getByLabel("Budget, USDT").fill("500");
    await page.getByLabel("Pair").fill("ETH/BTC");
    expect(await page.getByLabel("Budget, BTC").inputValue()).toBe("0.5");
    await context.close();
  });

  it("require budgets beside another strategy, and say that the kill switch is on", async () => {
    const range = { lowerPrice: 50_000, upperPrice: 70_000, gridLevels: 4, orderSize: 100 };
    await served.call("POST", "/strategy/grid", gridRequest(range));
    const { page, context } = await served.signIn();
    await page.goto(`${served.url}/#/start/quote`);
    await page.getByLabel("Exchange").selectOption("kraken");
    await page.getByLabel("Pair").fill("BTC/USDT");
    await page.getByLabel("Depth per side, USDT").fill("100");
    await page.getByText("Still missing: Quote budget, USDT; Base budget, BTC.").waitFor();
    expect(await page.getByText("Empty: all that is free").count()).toBe(0);
    await page.getByLabel("Quote budget, USDT").fill("500");
    await page.getByLabel("Base budget, BTC").fill("0.01");
    await page.getByRole("button", { name: /^Start: / }).waitFor();
    await served.call("POST", "/kill", { on: true });
    await page.locator(".start").getByText("The kill switch is on: ").waitFor();
    await context.close();
  });
});
