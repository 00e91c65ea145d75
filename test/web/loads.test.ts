import type { Browser, Page, Request } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findChromium, startBrowser } from "../support/browser.ts";
import { PLACES } from "../support/places.ts";
import { gridRequest } from "../support/requests.ts";
import { eventually, type Spawned, spawnServer } from "../support/server.ts";
import { signedIn } from "../support/signed-in.ts";
import { makeFolder } from "../support/temp.ts";

const GRID = gridRequest({ lowerPrice: 50_000, upperPrice: 70_000, gridLevels: 10, orderSize: 100 });

/** What the frame of every page needs. */
const FRAME = /\/api\/v1\/(session$|kill$)/;
const AWAY = { error: "Exchange error", message: "the exchange is away for repairs" };

describe.skipIf(!findChromium())("the result of a page load in Chromium (skipped without Chromium)", () => {
  const made = makeFolder();
  let server: Spawned;
  let browser: Browser;
  let url: string;

  beforeAll(async () => {
    // No pass comes by itself.
    server = spawnServer(made.path, ["--sandbox", "--seed", "7", "--tick-interval", "3600000"]);
    browser = await startBrowser();
    url = (await server.listens) ?? "";
  });
  afterAll(async () => {
    await browser?.close();
    await server?.kill("SIGTERM");
    made.remove();
  });

  const loading = (page: Page) => page.getByRole("status", { name: "Loading" });

  it("is the next step if there is no data yet", async () => {
    const { page, context, errors } = await signedIn(browser, url, server.token);
    const results: readonly (readonly [string, string])[] = [
      ["", "No strategy runs."],
      ["start", "Still missing: Lower price, USDT"],
      ["backtest", "No backtests yet"],
      ["report", "A running server records each day"],
      ["account/kraken", "No open orders"],
      ["agents", "A plan of an agent appears here for five minutes"],
      ["limits", "No order has used a limit yet"],
    ];
    for (const [path, text] of results) {
      await page.goto(`${url}/#/${path}`);
      await page.getByText(text).first().waitFor();
      await loading(page).first().waitFor({ state: "detached" });
    }
    // What is chosen is told as chosen, to whoever does not see it too.
    await page.goto(`${url}/#/report`);
    await page.getByRole("button", { name: "7 days", pressed: true }).waitFor();
    await page.getByRole("button", { name: "30 days", pressed: false }).click();
    await page.getByRole("button", { name: "30 days", pressed: true }).waitFor();
    expect(errors).toEqual([]);
    await context.close();
  });

  it("is an error with a retry on every page, and then the data", async () => {
    const started = await server.ask("/api/v1/strategy/grid", {
      method: "POST",
      body: JSON.stringify(GRID),
    });
    const { id } = (await started.json()) as { id: string };
    const { page, context } = await signedIn(browser, url, server.token);
    for (const [path, text] of PLACES) {
      let isAway = true;
      await page.route("**/api/v1/**", (route) =>
        isAway && !FRAME.test(route.request().url())
          ? route.fulfill({ status: 503, json: AWAY })
          : route.fallback(),
      );
      await page.goto("about:blank");
      await page.goto(`${url}/#/${path.replace("ID", id)}`);
      const failed = page.getByRole("alert").filter({ hasText: AWAY.message });
      const again = failed.getByRole("button", { name: "Try again" });
      await again.first().waitFor();
      await loading(page).first().waitFor({ state: "detached" });
      const withoutRetry = failed.filter({ hasNot: page.getByRole("button", { name: "Try again" }) });
      expect(await withoutRetry.count(), path).toBe(0);
      isAway = false;
      // One may bring others in sight; each goes when it has its answer.
      const tryAgain = async () => {
        const left = await again.count();
        // The page may ask again by itself before it is told to.
        if (left > 0)
          await again
            .first()
            .click({ timeout: 5000 })
            .catch(() => undefined);
        return left;
      };
      await eventually(tryAgain, (left) => left === 0);
      await page.getByText(text).first().waitFor({ state: "attached" });
      await page.unrouteAll();
    }
    await context.close();
  });

  it("shows how long a grid has had no tick, and refreshes its status", async () => {
    const { page, context } = await signedIn(browser, url, server.token);
    await page.clock.install();
    await page.reload();
    await page.getByRole("link", { name: "BTC/USDT" }).first().waitFor();
    const requests: string[] = [];
    page.on("request", (request) => requests.push(new URL(request.url()).pathname));
    await page.clock.fastForward("03:00");
    await page.getByText(/^pass [3-9] min .*ago$/).waitFor();
    await expect.poll(() => requests).toContain("/api/v1/strategies");
    await context.close();
  });

  it("is requested at the same moments by all pages, so that they share a response for a market", async () => {
    const { page, context } = await signedIn(browser, url, server.token);
    await page.clock.install({ time: "2026-01-01T00:00:00Z" });
    await page.goto(`${url}/#/markets`);
    await page.getByText("VWAP").waitFor();
    await page.getByRole("table", { name: "Order book" }).waitFor();
    const [requests, ended]: [string[], string[]] = [[], []];
    const noteIn = (list: string[]) => (request: Request) => {
      const path = new URL(request.url()).pathname;
      if (/ticker|orderbook|trades/.test(path)) list.push(path);
    };
    page.on("request", noteIn(requests));
    page.on("requestfinished", noteIn(ended));
    await page.clock.pauseAt("2026-01-01T01:00:07Z");
    // What the leap itself has set off is over first.
    await page.evaluate("fetch('/static/page/icon.svg').then((answer) => answer.text())");
    await expect.poll(() => ended.length >= 3 && ended.length === requests.length).toBe(true);
    requests.splice(0);
    await page.clock.runFor(2900);
    expect(requests).toEqual([]);
    await page.clock.runFor(200);
    await expect
      .poll(() => requests.toSorted())
      .toEqual(["/api/v1/orderbook", "/api/v1/ticker", "/api/v1/trades"]);
    await context.close();
  });

  it("does not change a pair that someone types meanwhile", async () => {
    const { page, context } = await signedIn(browser, url, server.token);
    let answer = () => {};
    const focused = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route("**/api/v1/balance*", (route) => focused.then(() => route.fallback()));
    await page.goto(`${url}/#/start`);
    const pair = page.getByLabel("Pair");
    await pair.focus();
    answer();
    // The default pair has arrived: its quote is in the label of the budget.
    await page.getByLabel("Budget, USDT").waitFor();
    await expect
      .poll(async () => [await pair.inputValue(), await pair.getAttribute("placeholder")])
      .toEqual(["", "BTC/USDT"]);
    await page.keyboard.type("eth/usdt");
    await expect.poll(() => pair.inputValue()).toBe("ETH/USDT");
    // An empty field gets the pair before back.
    await pair.fill("");
    await pair.blur();
    await expect.poll(() => pair.inputValue()).toBe("BTC/USDT");
    await page.getByRole("button", { name: /^Usual/ }).click();
    await page.getByText("Smallest profitable spacing").waitFor();
    await context.close();
  });

  it("is retried automatically after the server was unavailable", async () => {
    const { page, context } = await signedIn(browser, url, server.token);
    await page.route("**/api/v1/report*", (route) => route.abort());
    await page.goto(`${url}/#/report`);
    await page.getByRole("alert").getByText("the server does not respond").waitFor();
    await page.unrouteAll();
    await server.ask("/api/v1/kill", { method: "POST", body: JSON.stringify({ on: true }) });
    await page.getByRole("heading", { name: "By strategy" }).waitFor();
    await server.ask("/api/v1/kill", { method: "POST", body: JSON.stringify({ on: false }) });
    await context.close();
  });
});
