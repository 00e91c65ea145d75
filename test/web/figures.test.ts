import { join } from "node:path";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { besideServer } from "../support/beside.ts";
import { findChromium, startBrowser } from "../support/browser.ts";
import { type Spawned, spawnServer } from "../support/server.ts";
import { signedIn } from "../support/signed-in.ts";
import { makeFolder } from "../support/temp.ts";

const where = { exchange: "mexc", symbol: "ADA/USDT" };
const ZONE = "America/New_York";
const LOGGED = 5000;

describe.skipIf(!findChromium())("figures and logs in Chromium (skipped without Chromium)", () => {
  const made = makeFolder();
  const database = `file:${join(made.path, "log.db")}`;
  let server: Spawned;
  let browser: Browser;
  let url: string;
  let id: string;

  beforeAll(async () => {
    // No pass comes by itself, and so nothing writes beside the test.
    const args = ["--sandbox", "--seed", "7", "--db", database, "--tick-interval", "3600000"];
    server = spawnServer(made.path, args);
    browser = await startBrowser();
    url = (await server.listens) ?? "";
    const body = { ...where, lowerPrice: 0.52, upperPrice: 0.6, gridLevels: 8, orderSize: 50 };
    const answer = await server.ask("/api/v1/strategy/grid", { method: "POST", body: JSON.stringify(body) });
    id = ((await answer.json()) as { id: string }).id;
  });
  afterAll(async () => {
    await browser?.close();
    await server?.kill("SIGTERM");
    made.remove();
  });

  /** How many decimals each of them is told with. */
  const decimalsOf = async (cells: Locator): Promise<number[]> => {
    const texts = await cells.allTextContents();
    return [...new Set(texts.map((text) => (/\d\.(\d+)/.exec(text)?.[1] ?? "").length))];
  };
  const column = (page: Page, table: string, name: string) =>
    page.getByRole("table", { name: table }).locator(`td[data-name="${name}"]`);

  const isEven = async (cells: Locator) => {
    await cells.first().waitFor();
    await expect.poll(async () => decimalsOf(cells)).toHaveLength(1);
  };

  it("show all prices of a market with its number of decimals", async () => {
    const { page, context } = await signedIn(browser, url, server.token);
    await page.goto(`${url}/#/markets/mexc/${encodeURIComponent(where.symbol)}`);
    await page.getByText("VWAP").waitFor();
    const digitsOf = async () => {
      const book = (await (
        await server.ask(`/api/v1/orderbook?${new URLSearchParams(where)}`)
      ).json()) as Book;
      return Math.max(...book.bids.map(({ price }) => String(price).split(".")[1]?.length ?? 0));
    };
    // Each table comes when it comes, and the market moves meanwhile.
    const [book, trades] = [column(page, "Order book", "Price"), column(page, "Trades", "Price")];
    await expect
      .poll(async () => {
        const [digits, results] = [await digitsOf(), [await decimalsOf(book), await decimalsOf(trades)]];
        return digits > 2 && results.every((one) => one.length === 1 && one[0] === digits);
      })
      .toBe(true);
    for (const table of ["Order book", "Trades"]) await isEven(column(page, table, "Amount"));
    await page.goto(`${url}/#/strategy/${id}/orders`);
    for (const name of ["Price", "Amount"]) await isEven(column(page, "Orders", name));
    await page.goto(`${url}/#/account/mexc`);
    await isEven(column(page, "Open orders on mexc", "Price"));
    await context.close();
  });

  it("show the P&L of each known day of a strategy as a bar, up to the last day of the report", async () => {
    const { page, context, errors } = await signedIn(browser, url, server.token);
    await page.route("**/api/v1/report?*", async (route) => {
      const response = await route.fetch();
      const report = (await response.json()) as { strategies: object[] };
      const days = ["1.5", "-0.5", null, "2"];
      const to = Date.parse("2026-03-02T10:00Z");
      await route.fulfill({
        json: {
          ...report,
          to,
          strategies: [
            { id: "other", days: ["9"] },
            { id, days },
          ],
        },
      });
    });
    await page.goto(`${url}/#/strategy/${id}`);
    const bars = page.getByRole("img", {
      name: "P&L by day from 2026-02-27 to 2026-03-02: +3.00 USDT in all",
    });
    await bars.waitFor();
    expect(await bars.locator("title").allTextContents()).toEqual([
      "2026-02-27: +1.50 USDT",
      "2026-02-28: −0.50 USDT",
      "2026-03-02: +2.00 USDT",
    ]);
    expect(errors).toEqual([]);
    await context.close();
  });

  it("start each page at its top, wherever the last page was scrolled to", async () => {
    const { page, context } = await signedIn(browser, url, server.token);
    await page.goto(`${url}/#/strategy/${id}/orders`);
    await page.getByRole("table", { name: "Orders" }).waitFor();
    // It is as high as it gets when all its parts have come.
    await expect.poll(() => page.evaluate("scrollTo(0, 200), scrollY")).toBe(200);
    await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Settings" }).click();
    await page.getByRole("link", { name: "Limits" }).click();
    await page.getByText("Change a limit").waitFor();
    await expect.poll(() => page.evaluate("scrollY")).toBe(0);
    await context.close();
  });

  it("show local times, and UTC on hover", async () => {
    const look = { timezoneId: ZONE, locale: "en-US" };
    const { page, context } = await signedIn(browser, url, server.token, look);
    await page.goto(`${url}/#/strategy/${id}/events`);
    const events = page.getByRole("table", { name: "Events" });
    await events.locator("time").first().waitFor();
    const plain = (text: string | null) => text?.replaceAll(/\s/g, " ");
    // All at once: an event that happens meanwhile moves them.
    const times = await events
      .locator("time")
      .evaluateAll((all) =>
        all.map((one) => [one.getAttribute("datetime"), one.getAttribute("title"), one.textContent] as const),
      );
    for (const [datetime, title, result] of times) {
      const at = new Date(datetime ?? "");
      const local = at.toLocaleString("en-US", {
        year: "2-digit",
        month: "numeric",
        day: "numeric",
        timeZone: ZONE,
        timeZoneName: "short",
        hour: "numeric",
        minute: "2-digit",
        second: "2-digit",
      });
      expect(plain(result)).toBe(plain(local));
      expect(title).toBe(at.toISOString().replace("T", " ").replace("Z", " UTC"));
    }
    await context.close();
  });

  it("show a log of 5,000 events page by page, with a constant number of rows while it scrolls", async () => {
    const client = besideServer(database);
    await client.execute({
      sql: `WITH RECURSIVE many(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM many WHERE n < ?)
        INSERT INTO events (account, strategy, at, kind, message) SELECT '', ?, ? + n, 'logged', 'no. ' || n FROM many`,
      args: [LOGGED, id, Date.now()],
    });
    client.close();
    const { page, context, errors } = await signedIn(browser, url, server.token);
    const logs = [
      [`strategy/${id}/events`, "Events", 100],
      ["audit", "Events, newest first", 100],
    ] as const;
    for (const [path, name, most] of logs) {
      await page.goto(`${url}/#/${path}`);
      const table = page.getByRole("table", { name });
      const section = page.locator("section").filter({ has: table });
      for (let back = 0; back < 4; back++) {
        const newest = `no. ${LOGGED - back * most}`;
        await table.getByText(newest, { exact: true }).waitFor();
        await expect.poll(() => table.locator("tbody tr").count()).toBe(most);
        if (back < 3) await section.getByRole("button", { name: "Older" }).click();
      }
      const frame = page.getByRole("group", { name, exact: true });
      const last = table.locator("tbody tr").last();
      await frame.focus();
      await page.keyboard.press("End");
      await last.scrollIntoViewIfNeeded();
      await last.waitFor();
      expect(await page.evaluate<number>("scrollY")).toBeGreaterThan(0);
      await section.getByRole("button", { name: "Newest" }).click();
      await table.getByText(`no. ${LOGGED}`, { exact: true }).waitFor();
    }
    expect(errors).toEqual([]);
    await context.close();
  });
});

interface Book {
  readonly bids: readonly { readonly price: number }[];
}
