import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { violationsOf } from "../support/axe.ts";
import { findChromium } from "../support/browser.ts";
import { root } from "../support/bundle.ts";
import { gridRequest } from "../support/requests.ts";
import { servedPage } from "../support/served.ts";
import { startOf } from "../support/starts.ts";
import { makeFolder } from "../support/temp.ts";

const own = makeFolder();
mkdirSync(own.path, { recursive: true });
cpSync(join(root, "examples", "two-sided.ts"), join(own.path, "two-sided.ts"));

const MARKET = { exchange: "kraken", symbol: "BTC/USDT", spreadPercent: 2, size: 100 };
const BUDGET = { quoteBudget: 300, baseBudget: 0.01 };
/** No pass comes by itself. */
const STILL = ["--tick-interval", "3600000"];

interface Listed {
  readonly strategies: readonly { id: string; phase: string; mode: string; lastStepAt: number }[];
}

const needs = (page: Page) => page.getByRole("region", { name: /^Needs you/ });

/** Clicks a button, then the one that confirms it. */
async function confirm(page: Page, button: string, yes: string, result: RegExp): Promise<void> {
  await needs(page).getByRole("button", { name: button }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: yes }).click();
  await page.getByRole("status").getByText(result).waitFor();
  await dialog.waitFor({ state: "detached" });
}

describe.skipIf(!findChromium())("what needs you, on the first page (skipped without Chromium)", () => {
  const served = servedPage(STILL);
  const list = () => served.call<Listed>("GET", "/strategies");

  it("is absent while nothing does, and each entry has the button that mends it", async () => {
    const { id } = await served.call<{ id: string }>("POST", "/strategy/grid", gridRequest());
    const openOrders = async () =>
      (await served.call<{ count: number }>("GET", "/orders?exchange=kraken")).count;
    const before = await openOrders();
    const { page, context, errors } = await served.signIn();
    await page.getByRole("heading", { name: "Active (1)" }).waitFor();
    expect(await needs(page).count()).toBe(0);

    await served.call("POST", "/kill", { on: true });
    await needs(page).getByText("the kill switch is on").waitFor();
    await confirm(page, "Turn the kill switch off", "Turn it off", /the kill switch is off/);
    expect(await served.call("GET", "/kill")).toMatchObject({ on: false });
    await needs(page).waitFor({ state: "detached" });

    // Its orders are canceled, so the limit then keeps every slot without one. It is below the smallest part of a sell.
    await served.call("POST", `/strategies/${id}/pause`, { cancelOrders: true });
    await needs(page).getByText("it is paused").waitFor();
    await served.call("PUT", "/limits", { scope: "every", orderNotional: "USDT=1" });
    await confirm(page, "Resume", "Resume it", /is resumed/);
    expect((await list()).strategies[0]?.phase).not.toBe("paused");
    await served.call("POST", "/internal/tick", {});
    await needs(page).getByText("for a limit").waitFor();
    const left = await openOrders();
    expect(left).toBeLessThan(before);
    await needs(page).getByRole("link", { name: "Open limits" }).click();
    await page.getByRole("heading", { name: "Change a limit" }).waitFor();
    const change = page.getByRole("region", { name: "Change a limit" });
    await change.getByRole("combobox", { name: "Limit", exact: true }).selectOption("orderNotional");
    await page.getByLabel("Turn this limit off").click();
    await page.getByRole("button", { name: "Change", exact: true }).click();
    await page.getByRole("button", { name: "Change it" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.goto(`${served.url}/#/`);
    await served.call("POST", "/internal/tick", {});
    await needs(page).waitFor({ state: "detached" });
    expect(await openOrders()).toBeGreaterThan(left);
    expect(errors).toEqual([]);
    await context.close();
  });

  it("runs a pass over stalled accounts on request", async () => {
    const { page, context } = await served.signIn();
    await page.route("**/api/v1/strategies", async (route) => {
      const response = await route.fetch();
      const answer = (await response.json()) as { strategies: { notices: object[] }[] };
      answer.strategies[0]?.notices.push({ code: "stalled", message: "no pass over kraken since 12:00" });
      await route.fulfill({ json: answer });
    });
    await page.reload();
    await needs(page).getByText("no pass over kraken").waitFor();
    const before = (await list()).strategies[0]?.lastStepAt;
    await confirm(page, "Run a pass now", "Run it", /1 complete pass/);
    expect((await list()).strategies[0]?.lastStepAt).toBeGreaterThan(Number(before));
    await context.close();
  });
});

describe.skipIf(!findChromium())("the first steps on the first page (skipped without Chromium)", () => {
  const served = servedPage(STILL);

  it("are three buttons that work, and go when something runs", async () => {
    const { page, context, errors } = await served.signIn();
    const steps = page.getByRole("region", { name: "First steps" });
    await steps.getByRole("link", { name: "Start a grid" }).click();
    await page.getByRole("heading", { name: "Start a grid" }).waitFor();
    expect(await page.getByLabel("Paper trading").isChecked()).toBe(false);
    await page.goto(`${served.url}/#/`);
    await steps.getByRole("link", { name: "Enter keys" }).click();
    await page.getByRole("heading", { name: "Exchange keys" }).waitFor();
    await page.goto(`${served.url}/#/`);
    await steps.getByRole("link", { name: "Start paper trading" }).click();
    await page.getByRole("button", { name: /^Usual/ }).click();
    await page.getByRole("button", { name: /^Start: / }).click();
    await page.getByRole("button", { name: "Start it" }).click();
    // The page opens the strategy when it is started.
    await expect.poll(() => page.url(), { timeout: 240_000 }).toMatch(/#\/strategy\//);
    await page.getByText("PAPER No real money").waitFor();
    const { strategies } = await served.call<Listed>("GET", "/strategies");
    expect(strategies.map(({ mode }) => mode)).toEqual(["paper"]);
    await page.goto(`${served.url}/#/`);
    await page.getByRole("heading", { name: "P&L in USDT (paper trading)" }).waitFor();
    expect(await steps.count()).toBe(0);
    expect(errors).toEqual([]);
    await context.close();
  });
});

describe.skipIf(!findChromium())("the list on the first page (skipped without Chromium)", () => {
  const served = servedPage([...STILL, "--strategies", own.path]);
  const ids: Record<string, string> = {};
  beforeAll(async () => {
    const start = async (...request: ReturnType<typeof startOf>) =>
      (await served.call<{ id: string }>("POST", ...request)).id;
    ids.grid = await start(...startOf("grid", gridRequest()));
    ids.quote = await start(...startOf("quote", { ...MARKET, ...BUDGET, exchange: "mexc", name: "desk" }));
    ids.own = await start(...startOf("two-sided", { ...MARKET, ...BUDGET, stopLossPrice: 50_000 }));
  });
  const names = (page: Page) =>
    page
      .locator("tbody tr")
      .evaluateAll((rows) => rows.map((row) => row.querySelector("small")?.textContent));

  it("has every definition, sorted on request, with the price in its range", async () => {
    const { page, context, errors } = await served.signIn();
    await page.getByRole("heading", { name: "Active (3)" }).waitFor();
    expect(await names(page)).toEqual(["grid, kraken", "quote, BTC/USDT on mexc", "two-sided, kraken"]);
    await page.getByRole("img", { name: /^[\d,.]+ between 57,000 and 63,000$/ }).waitFor();
    await page.getByRole("cell", { name: /stop loss 50,000/ }).waitFor();
    await page.getByRole("button", { name: "Open orders" }).click();
    expect((await names(page))[0]).toBe("grid, kraken");
    await page.getByRole("button", { name: "Open orders" }).click();
    expect((await names(page)).at(-1)).toBe("grid, kraken");
    await page.getByRole("searchbox").fill("two kraken");
    expect(await names(page)).toEqual(["two-sided, kraken"]);
    expect(errors).toEqual([]);
    await context.close();
  });

  it("has the P&L of each day of one quote asset and mode, and a curve from two days on", async () => {
    const { page, context } = await served.signIn();
    const now = Date.now();
    const dayOf = (before: number) => new Date(now - before * 86_400_000).toISOString().slice(0, 10);
    await page.route("**/api/v1/report*", (route) => {
      const day = (before: number, totalProfit: string, mode = "simulated") => ({
        day: dayOf(before),
        quote: "USDT",
        mode,
        totalProfit,
        realizedProfit: "0",
      });
      const days = [day(20, "100"), day(1, "5"), day(1, "70", "paper"), day(0, "-2")];
      const strategies = [{ id: ids.grid, days: ["5", "-2"] }];
      return route.fulfill({ json: { from: 0, to: now, days, strategies, totals: [], count: 1 } });
    });
    await page.reload();
    await page.getByRole("img", { name: /^P&L by day from .*: \+3\.00 USDT in all$/ }).waitFor();
    const figure = (name: string) =>
      page
        .locator(".stat")
        .filter({ has: page.getByText(name, { exact: true }) })
        .locator("dd");
    expect(await figure("7 days").textContent()).toMatch(/\+3\.00/);
    await page.getByRole("button", { name: "30 days" }).first().click();
    await expect.poll(() => figure("30 days").textContent()).toMatch(/\+103\.00/);
    await page.getByRole("button", { name: "Today" }).first().click();
    await expect.poll(() => figure("Today").textContent()).toMatch(/−2\.00/);
    expect(await page.getByRole("img", { name: /^P&L by day/ }).count()).toBe(0);
    const grid = page.getByRole("row").filter({ hasText: "grid, kraken" });
    expect(await grid.innerText()).toMatch(/−2\.00/);
    await grid.getByRole("img", { name: "+3.00 in 30 days" }).waitFor();
    await context.close();
  });

  it.each([
    [390, "dark"],
    [768, "light"],
    [1024, "dark"],
    [1440, "light"],
  ] as const)("fits %i px without an accessibility violation: %s", async (width, colorScheme) => {
    const { page, context } = await served.signIn({ colorScheme, viewport: { width, height: 844 } });
    await served.call("POST", "/kill", { on: true });
    await needs(page).waitFor();
    await page.getByRole("heading", { name: "Active (3)" }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
    expect(await page.locator(".large:visible").count()).toBeLessThanOrEqual(4);
    await served.call("POST", "/kill", { on: false });
    await context.close();
  });

  it("says what happened since the last visit, and nothing while nothing did", async () => {
    const { page, context, errors } = await served.signIn();
    await page.getByRole("heading", { name: "Active (3)" }).waitFor();
    const stored = () => page.evaluate<string | null>("localStorage.getItem('edgemaker.visit')");
    await expect.poll(stored).not.toBeNull();
    const line = page.getByText(/^Since /);
    expect(await line.count()).toBe(0);
    await served.call("POST", "/kill", { on: true });
    await served.call("POST", "/kill", { on: false });
    // The visit was two hours ago, before both, and the grid has filled three orders and realized 5 USDT since then.
    await page.addInitScript(`(() => {
      const { latest } = JSON.parse(localStorage.getItem("edgemaker.visit"));
      const [filled, realized] = latest.rows["${ids.grid}"];
      latest.rows["${ids.grid}"] = [filled - 3, String(Number(realized) - 5)];
      const earlier = { ...latest, at: latest.at - 7_200_000, last: 0 };
      localStorage.setItem("edgemaker.visit", JSON.stringify({ latest: earlier }));
    })()`);
    await page.reload();
    await line.getByRole("link", { name: "3 filled orders" }).waitFor();
    await line.getByRole("link", { name: "+5.00 USDT realized" }).waitFor();
    await line.getByRole("link", { name: /^\d+ alerts$/ }).click();
    await page.getByRole("heading", { name: "Audit" }).waitFor();
    expect(errors).toEqual([]);
    await context.close();
  });

  it("counts nothing of a strategy that the last visit did not show, and shows the page if a visit is damaged", async () => {
    const { page, context, errors } = await served.signIn();
    await page.route(/\/api\/v1\/strategies(\?|$)/, async (route) => {
      const response = await route.fetch();
      const answer = (await response.json()) as { readonly strategies: readonly object[] };
      const strategies = answer.strategies.map((row) => ({ ...row, filledOrders: 7 }));
      await route.fulfill({ response, json: { ...answer, strategies } });
    });
    /** Opens the page anew as if the last visit had stored this text. */
    const reopen = async (text: string) => {
      await page.addInitScript(`localStorage.setItem("edgemaker.visit", ${JSON.stringify(text)})`);
      await page.reload();
      await page.getByRole("heading", { name: "Active (3)" }).waitFor();
    };
    const line = page.getByText(/^Since /);
    const before = { at: Date.now() - 1000, last: 0, rows: { [ids.grid as string]: [5, "0"] } };
    await reopen(JSON.stringify({ latest: { ...before, at: Date.now() }, before }));
    await line.getByRole("link", { name: "2 filled orders" }).waitFor();
    await reopen("{");
    await expect.poll(() => page.evaluate("localStorage.getItem('edgemaker.visit')")).not.toBe("{");
    expect(await line.count()).toBe(0);
    expect(errors).toEqual([]);
    await context.close();
  });

  it("shows stopped ones in the same table behind a filter", async () => {
    await served.call("POST", `/strategies/${ids.quote}/stop`, {});
    const { page, context, errors } = await served.signIn();
    await page.getByRole("heading", { name: "Active (2)" }).waitFor();
    await page.getByRole("button", { name: "Stopped" }).click();
    await page.getByRole("table", { name: "Stopped strategies" }).waitFor();
    expect(await names(page)).toEqual(["quote, BTC/USDT on mexc"]);
    await page.getByRole("button", { name: "All" }).last().click();
    await page.getByRole("table", { name: "All strategies" }).waitFor();
    expect((await names(page)).toSorted()).toEqual([
      "grid, kraken",
      "quote, BTC/USDT on mexc",
      "two-sided, kraken",
    ]);
    await page.getByRole("link", { name: "desk" }).click();
    await page.getByRole("heading", { name: /^desk .*stopped$/ }).waitFor();
    expect(errors).toEqual([]);
    await context.close();
  });
});
