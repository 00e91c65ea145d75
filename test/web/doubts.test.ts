import type { Request } from "playwright-core";
import { describe, expect, it } from "vitest";
import { findChromium, holdRequests } from "../support/browser.ts";
import { gridRequest } from "../support/requests.ts";
import { servedPage } from "../support/served.ts";
import { commandIn } from "../support/signed-in.ts";

const GRID = gridRequest({ lowerPrice: 50_000, upperPrice: 70_000, gridLevels: 4, orderSize: 100 });

function signal() {
  let send = () => {};
  const came = new Promise<void>((resolve) => {
    send = resolve;
  });
  return { came, send };
}

describe.skipIf(!findChromium())("doubts on the page in Chromium (skipped without Chromium)", () => {
  const served = servedPage(["--tick-interval", "3600000"]);

  it("show the kill switch as unknown when it cannot be read, and still turn it on", async () => {
    const { page, context } = await served.signIn();
    await page.route("**/api/v1/kill", (route) =>
      route.request().method() === "GET"
        ? route.fulfill({ status: 503, json: { error: "Not ready", message: "the database is away" } })
        : route.fallback(),
    );
    await page.reload();
    const kill = page.getByRole("button", { name: "Kill switch: unknown" });
    await kill.click();
    await page.getByRole("button", { name: "Turn it on" }).click();
    await page.getByRole("status").getByText("the kill switch is on").waitFor();
    expect(await served.call("GET", "/kill")).toMatchObject({ on: true });
    await served.call("POST", "/kill", { on: false });
    await page.unrouteAll();
    await context.close();
  });

  it("do not come from a link that is opened in a tab of the page, or from its code later", async () => {
    const { page, context } = await served.signIn();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("API token").waitFor();
    const link = (await commandIn(served.folder, "page", "--sandbox")).trim();
    await page.goto(link);
    await page.getByRole("heading", { name: "Strategies" }).waitFor();
    expect(page.url()).not.toContain("code=");
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("API token").waitFor();
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
    expect(await page.getByRole("alert").count()).toBe(0);
    await context.close();
  });

  it("do not fill a form with numbers of the pair before", async () => {
    const { page, context } = await served.signIn();
    const release = await holdRequests(page, "**/strategy/grid/guide", 3);
    const asked = page.waitForRequest("**/strategy/grid/guide");
    await page.goto(`${served.url}/#/start`);
    const guide = await asked;
    const usual = page.getByRole("button", { name: /^Usual/ });
    expect(await usual.isDisabled()).toBe(true);
    await page.getByLabel("Pair").fill("ADA/USDT");
    await page.getByLabel("Pair").blur();
    release();
    await (await guide.response())?.finished();
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
    const lower = page.getByLabel("Lower price, USDT");
    expect(await lower.inputValue()).toBe("");
    await usual.click();
    // ADA costs less than a dollar, BTC some 60,000.
    expect(Number(await lower.inputValue())).toBeLessThan(10);
    await context.close();
  });

  it("count an amount that is not loaded yet as unknown, not as zero", async () => {
    const { page, context } = await served.signIn();
    const release = await holdRequests(page, "**/balance*withdrawable*");
    await page.goto(`${served.url}/#/start?exchange=kraken&symbol=BTC/USDT`);
    const asked = page.waitForRequest("**/balance*withdrawable*");
    await asked;
    const budget = page.getByLabel("Budget, USDT");
    expect(await budget.inputValue()).toBe("");
    expect(await page.getByText(/USDT free$/).count()).toBe(0);
    release();
    await page.getByText(/USDT free$/).waitFor();
    await expect.poll(() => budget.inputValue()).toBe("1000");
    await context.close();
  });

  it("do not keep the prices of the pair before", async () => {
    const { page, context } = await served.signIn();
    await page.goto(
      `${served.url}/#/start?exchange=kraken&symbol=BTC/USDT&lowerPrice=57000&upperPrice=63000&orderSize=100&stopLossPrice=50000`,
    );
    const pair = page.getByLabel("Pair");
    const textIn = (label: string) => page.getByLabel(label).inputValue();
    await pair.focus();
    await pair.blur();
    expect(await textIn("Lower price, USDT")).toBe("57000");
    await pair.fill("ETH/USDT");
    await pair.blur();
    expect(await textIn("Lower price, USDT")).toBe("");
    expect(await textIn("Upper price, USDT")).toBe("");
    expect(await textIn("Stop loss, USDT")).toBe("");
    expect(await textIn("Per order, USDT")).toBe("100");
    await pair.fill("ETH/BTC");
    await pair.blur();
    expect(await textIn("Per order, BTC")).toBe("");
    await pair.fill("BTC/USDT");
    await pair.blur();
    expect(await textIn("Per order, USDT")).toBe("100");
    await context.close();
  });

  it.each([
    ["start/quote", { "Depth per side": "500", "Quote budget": "900", "Loss limit": "50" }],
    ["start/centered", { "Per order": "80" }],
  ])("do not keep amounts in another quote asset on %s", async (route, amounts) => {
    const { page, context } = await served.signIn();
    await page.goto(`${served.url}/#/${route}`);
    const pair = page.getByLabel("Pair");
    const texts = async (quote: string) => {
      const labels = Object.keys(amounts).map((label) => page.getByLabel(`${label}, ${quote}`));
      return Promise.all(labels.map((field) => field.inputValue()));
    };
    for (const [label, text] of Object.entries(amounts)) await page.getByLabel(`${label}, USDT`).fill(text);
    for (const [symbol, quote, shown] of [
      ["ETH/BTC", "BTC", Object.keys(amounts).map(() => "")],
      ["ETH/USDT", "USDT", Object.values(amounts)],
    ] as const) {
      await pair.fill(symbol);
      await pair.blur();
      expect(await texts(quote)).toEqual(shown);
    }
    await context.close();
  });

  it.each([
    ["start", { "Lower price": "20000", "Upper price": "30000", "Per order": "100" }, "Per order"],
    ["start/quote", { "Depth per side": "500" }, "Depth per side"],
    ["start/centered", {}, "Per order"],
  ] as const)("do not start the form before while the next plan loads on %s", async (route, texts, name) => {
    const { page, context } = await served.signIn();
    await page.goto(`${served.url}/#/${route}`);
    const button = page.getByRole("button", { name: /^Start: / });
    for (const [label, text] of Object.entries(texts)) await page.getByLabel(`${label}, USDT`).fill(text);
    await expect.poll(() => button.isEnabled()).toBe(true);
    const release = await holdRequests(page, "**/strategies/preview", 1);
    const asked = page.waitForRequest("**/strategies/preview");
    await page.getByLabel(`${name}, USDT`).fill("130");
    await asked;
    expect(await button.isDisabled()).toBe(true);
    release();
    await expect.poll(() => button.isEnabled()).toBe(true);
    await context.close();
  });

  it("do not show the plan of an older form that arrives last", async () => {
    const { page, context } = await served.signIn();
    await page.goto(`${served.url}/#/start`);
    const perOrder = page.getByLabel("Per order, USDT");
    await page.getByLabel("Lower price, USDT").fill("20000");
    await page.getByLabel("Upper price, USDT").fill("30000");
    const previewOf = (size: number) => (request: Request) =>
      request.url().endsWith("/strategies/preview") && request.postDataJSON().config.orderSize === size;
    const release = await holdRequests(page, "**/strategies/preview", 1);
    const older = page.waitForRequest(previewOf(130));
    await perOrder.fill("130");
    const held = await older;
    const newer = page.waitForResponse((response) => previewOf(140)(response.request()));
    await perOrder.fill("140");
    const { planHash } = (await (await newer).json()) as { planHash: string };
    const shown = page.getByText(/^Plan /).locator("code");
    await expect.poll(() => shown.textContent()).toBe(planHash);
    release();
    // Null if the page no longer waits for it.
    await (await held.response())?.finished();
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
    expect([await shown.textContent(), await perOrder.inputValue()]).toEqual([planHash, "140"]);
    await context.close();
  });

  it("do not keep the fixed price and the base of the pair before for quotes", async () => {
    const { page, context } = await served.signIn();
    await page.goto(`${served.url}/#/start/quote`);
    const textIn = (label: string) => page.getByLabel(label).inputValue();
    await page.getByLabel("Fixed price, USDT").fill("60000");
    await page.getByLabel("Base budget, BTC").fill("2");
    await page.getByLabel("Spread between bid and ask, %").fill("3");
    await page.getByLabel("Pair").fill("ETH/USDT");
    await page.getByLabel("Pair").blur();
    expect(await textIn("Fixed price, USDT")).toBe("");
    expect(await textIn("Base budget, ETH")).toBe("");
    expect(await textIn("Spread between bid and ask, %")).toBe("3");
    await context.close();
  });

  it("do not run a suggested grid on another pair", async () => {
    const { page, context } = await served.signIn();
    await page.goto(`${served.url}/#/backtest`);
    const found = page.waitForResponse("**/suggest");
    await page.getByRole("button", { name: "Find settings" }).click();
    const { symbol } = (await (await found).json()) as { symbol: string };
    const other = symbol === "ADA/USDT" ? "BTC/USDT" : "ADA/USDT";
    await page.getByLabel("Pair").fill(other);
    await page.getByLabel("Pair").blur();
    const run = page.waitForRequest("**/api/v1/backtest");
    await page.getByRole("button", { name: "Backtest it" }).first().click();
    expect((await run).postDataJSON()).toMatchObject({ symbol });
    await context.close();
  });

  it("add no paper trading to real P&L", async () => {
    const { page, context } = await served.signIn();
    await served.call("POST", "/strategy/grid", GRID);
    await served.call("POST", "/strategy/grid", { ...GRID, dryRun: true });
    await page.reload();
    const { totals } = await served.call<{ totals: { mode: string; capital: string }[] }>(
      "GET",
      "/strategies",
    );
    const capitals = totals.map(({ mode, capital }) => [mode, Number(capital).toLocaleString("en-US")]);
    expect(capitals).toEqual([
      ["simulated", expect.anything()],
      ["paper", expect.anything()],
    ]);
    const shown = page.getByRole("region", { name: /^P&L in/ });
    for (const [mode, capital] of capitals) {
      const name = mode === "paper" ? "USDT (paper trading)" : "USDT";
      await page
        .getByRole("group", { name: "Quote asset" })
        .first()
        .getByRole("button", { name, exact: true })
        .click();
      await shown.getByText(`${capital}.00 USDT`).waitFor();
      expect(await page.getByLabel("Totals in USDT").count()).toBe(1);
    }
    await context.close();
  });

  it.each([100, 101, 250])("leave none of %i events out of the pages of the audit log", async (count) => {
    const { page, context } = await served.signIn();
    const event = { kind: "notice", actor: null, strategy: null, account: "", at: 1_767_225_600_000 };
    await page.route("**/api/v1/events*", (route) =>
      route.request().headers().accept?.includes("event-stream")
        ? route.fallback()
        : route.fulfill({ json: { events: [], last: count, steppedAt: null } }),
    );
    await page.route("**/api/v1/audit?*", (route) => {
      const query = new URL(route.request().url()).searchParams;
      const [after, limit] = [Number(query.get("after")), Number(query.get("limit"))];
      const ids = Array.from({ length: count }, (_, index) => index + 1).slice(after, after + limit);
      return route.fulfill({ json: { events: ids.map((id) => ({ ...event, id, message: `no. ${id}` })) } });
    });
    await page.goto(`${served.url}/#/audit`);
    const table = page.getByRole("table", { name: "Events, newest first" });
    const older = page.getByRole("button", { name: "Older" });
    for (let newest = count; newest > 100; newest -= 100) {
      await table.getByText(`no. ${newest}`, { exact: true }).waitFor();
      await older.click();
    }
    await table.getByText("no. 1", { exact: true }).waitFor();
    expect(await older.count()).toBe(0);
    await page.unrouteAll();
    await context.close();
  });

  it("load a list again for what happened while it was loading", async () => {
    const { page, context } = await served.signIn();
    await page.clock.install({ time: "2026-01-01T00:00:00Z" });
    await page.reload();
    await page.getByRole("heading", { name: "Active (" }).waitFor();
    await page.clock.pauseAt("2026-01-01T01:00:00Z");
    const [read, released] = [signal(), signal()];
    let isFirst = true;
    // Stays, because Chromium can lose a request when its last route is taken away.
    await page.route("**/api/v1/strategies", async (route) => {
      if (!isFirst) return route.fallback();
      isFirst = false;
      const response = await route.fetch();
      read.send();
      await released.came;
      await route.fulfill({ response });
    });
    await served.call("POST", "/strategy/grid", { ...GRID, name: "first" });
    await read.came;
    // The kill switch of the page hears of the same event.
    const isHeard = page.waitForRequest("**/api/v1/kill");
    await served.call("POST", "/strategy/grid", { ...GRID, name: "second" });
    await isHeard;
    released.send();
    const second = page.getByRole("link", { name: "second" });
    // Less than the minute after which each list is loaded again.
    for (let at = 0; at < 1500 && (await second.count()) === 0; at++) {
      await page.evaluate("fetch('/static/page/icon.svg').then((a) => a.text())");
      await page.clock.runFor(20);
    }
    expect(await second.count()).toBe(1);
    await context.close();
  });
});
