import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findChromium, holdRequests, startBrowser } from "../support/browser.ts";
import { type Spawned, spawnServer } from "../support/server.ts";
import { MOVED, PLACED_NOW, rangeAround, startShown } from "../support/shown-plan.ts";
import { commandIn, newToken, signedIn } from "../support/signed-in.ts";
import { makeFolder } from "../support/temp.ts";

const HOSTILE = '<img src="/x" onerror="document.title=\'taken\'">';

interface Status {
  readonly strategies: readonly Record<string, unknown>[];
}

describe.skipIf(!findChromium())("a grid on the page in Chromium (skipped without Chromium)", () => {
  const made = makeFolder();
  let server: Spawned;
  let browser: Browser;
  let url: string;

  beforeAll(async () => {
    const args = ["--sandbox", "--seed", "7", "--tick-interval", "500"];
    server = spawnServer(made.path, args);
    browser = await startBrowser();
    url = (await server.listens) ?? "";
  });
  afterAll(async () => {
    await browser?.close();
    await server?.kill("SIGTERM");
    made.remove();
  });

  const status = async (): Promise<Status> =>
    (await (await server.ask("/api/v1/strategy/grid/status")).json()) as Status;

  it("starts as shown, shows its fills without a reload, pauses and stops", async () => {
    const { page, context, errors, strangers } = await signedIn(browser, url, server.token);
    await page.getByRole("link", { name: "Start", exact: true }).click();
    await page.getByRole("button", { name: /^Usual/ }).click();
    await page.getByText("Smallest profitable spacing").waitFor();
    await page.getByRole("img", { name: /^P&L by price: −.* USDT at .*, / }).waitFor();
    const exchange = await page.getByLabel("Exchange").inputValue();
    const ticker = await server.ask(`/api/v1/ticker?exchange=${exchange}&symbol=BTC/USDT`);
    await rangeAround(page, (await ticker.json()) as { last: number });
    // A plan that is not of what is typed starts nothing.
    const start = page.getByRole("button", { name: /^Start: / });
    const query = page.waitForRequest(
      (request) => request.url().endsWith("/preview") && request.postDataJSON().config.orderSize === 60,
    );
    await page.getByLabel("Per order, USDT").fill("60");
    expect((await query).postDataJSON().config).toMatchObject({ allowLoss: false, useOwnBase: false });
    await start.click();
    await page.getByRole("dialog").getByText(PLACED_NOW).waitFor();
    expect((await status()).strategies).toEqual([]);
    await page.getByRole("button", { name: "Go back" }).click();
    expect(await startShown(page)).toMatch(/^[0-9a-f]{32}/);
    await page.getByRole("img", { name: /Candles of BTC\/USDT .* open orders/ }).waitFor();
    await commandIn(made.path, "sandbox", "shock", "--symbol", "BTC/USDT", "--percent=-2");
    await page.getByRole("link", { name: "Orders and fills" }).click();
    await page.getByRole("region", { name: "Fills" }).getByRole("table").waitFor();
    await page.getByRole("link", { name: "Overview" }).click();
    await page.getByText("The chart as a table").click();
    await page
      .getByRole("table", { name: "Levels of the chart" })
      .getByText(/^open (buy|sell)/)
      .first()
      .waitFor();

    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByRole("dialog").getByText("stop and take-profit prices are not watched").waitFor();
    await page.getByRole("button", { name: "Pause it" }).click();
    await page.getByRole("status").getByText("is paused").first().waitFor();
    await page.getByRole("button", { name: "Resume" }).waitFor();

    await page.getByRole("button", { name: "Stop", exact: true }).click();
    await page.getByRole("dialog").getByText("open orders are canceled").waitFor();
    // The page knows that it has stopped before it is answered.
    await page.route("**/api/v1/strategy/grid", async (route) => {
      const response = await route.fetch();
      await page.locator("h1 b", { hasText: "stopped" }).waitFor();
      await route.fulfill({ response });
    });
    await page.getByRole("button", { name: "Stop it" }).click();
    await page
      .getByRole("status")
      .getByText(/stopped|is stopping/)
      .first()
      .waitFor();
    expect(errors.filter((error) => !MOVED.test(error))).toEqual([]);
    expect(strangers).toEqual([]);
    await context.close();
  });

  it("is filled in by the last request, whichever response is the last", async () => {
    const { page, context } = await signedIn(browser, url, server.token);
    const release = await holdRequests(page, "**/strategy/grid/guide", 3);
    const asked = page.waitForRequest("**/strategy/grid/guide");
    await page.goto(`${url}/#/start`);
    const first = await asked;
    const usual = page.getByRole("button", { name: /^Usual/ });
    const perOrder = page.getByLabel("Per order, USDT");
    await page.getByLabel("Budget, USDT").fill("400");
    await usual.click();
    const filled = await perOrder.inputValue();
    expect(Number(filled) * Number(await page.getByLabel("Levels, 2 to 100").inputValue())).toBeLessThan(401);
    release();
    // Null if the page no longer waits for it.
    await (await first.response())?.finished();
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
    await usual.click();
    expect(await perOrder.inputValue()).toBe(filled);
    await context.close();
  });

  it("shows text from an exchange or a person as plain text", async () => {
    const { page, context, errors } = await signedIn(browser, url, server.token);
    // The server takes no such pair: an answer is made as if another one did.
    await page.route(/\/api\/v1\/strategies(\?|$)/, (route) =>
      route.fulfill({
        json: { strategies: [hostileRow()], totals: [], count: 1, next: null, warnings: [HOSTILE] },
      }),
    );
    await page.route(/\/api\/v1\/strategies\/[^/]+$/, (route) => route.fulfill({ json: hostile() }));
    await page.reload();
    await page.getByText(HOSTILE).first().waitFor();
    await page.getByRole("link", { name: HOSTILE }).click();
    await page.getByRole("heading", { name: HOSTILE }).waitFor();
    expect(await page.locator("img").count()).toBe(0);
    await expect.poll(() => page.title()).toBe(`SIMULATED · ${HOSTILE} · edgemaker`);
    expect(errors.filter((error) => !/404|400/.test(error))).toEqual([]);
    await context.close();
  });

  it("can be planned but not started by a read-only user", async () => {
    const token = await newToken(made.path, "read");
    const { page, context } = await signedIn(browser, url, token);
    await page.goto(`${url}/#/start`);
    await page.getByRole("button", { name: /^Usual/ }).click();
    await page.getByText("You need a token with scope trade").waitFor();
    expect(await page.getByRole("button", { name: /^Start/ }).count()).toBe(0);
    const headers = { authorization: `Bearer ${token}` };
    const refused = await server.ask("/api/v1/strategy/grid", { method: "POST", body: "{}", headers });
    expect(refused.status).toBe(403);
    await context.close();
  });
});

/** Its row in the list. */
const hostileRow = () => ({
  id: HOSTILE,
  name: HOSTILE,
  definition: "grid",
  exchange: HOSTILE,
  symbol: HOSTILE,
  mode: "real",
  status: "error",
  phase: HOSTILE,
  stalled: false,
  price: null,
  lowerBound: null,
  upperBound: null,
  totalProfit: 0,
  profit: 0,
  profitPercent: 0,
  capital: 20,
  holdingProfit: 0,
  position: "0",
  openOrders: 0,
  filledOrders: 0,
  waitingSlots: 0,
  notices: [{ code: HOSTILE, message: HOSTILE }],
  lastError: HOSTILE,
  lastStepAt: 1,
  startedAt: 1,
  runningTime: 1,
});

/** A grid whose every text is markup. */
const hostile = () => ({
  ...hostileRow(),
  waitingSlots: 1,
  startPrice: "1.5",
  unrealizedProfit: "0",
  feesPaid: "1",
  averageCost: null,
  breakEvenPrice: null,
  lowerBound: "1",
  upperBound: "2",
  endings: [HOSTILE],
  orders: [{ id: HOSTILE, side: "buy", price: "1", amount: "1" }],
  waiting: [{ id: "0", reason: HOSTILE, detail: HOSTILE }],
  stopPrices: [],
  stopReason: HOSTILE,
  stream: HOSTILE,
  startAgain: { config: { [HOSTILE]: HOSTILE } },
  details: {
    kind: "grid",
    centered: false,
    lowerPrice: "1",
    upperPrice: "2",
    cycles: 0,
    slots: [
      { slot: 0, lowerPrice: "1", upperPrice: "1.5", side: "buy", cycles: 0, position: "0", cost: "0" },
    ],
  },
});
