import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { findChromium, holdRequests } from "../support/browser.ts";
import { gridRequest } from "../support/requests.ts";
import { servedPage } from "../support/served.ts";
import { commandIn, newToken } from "../support/signed-in.ts";
import { startOf } from "../support/starts.ts";

const GRID = gridRequest({ gridLevels: 60, orderSize: 100 });
const QUOTES = {
  exchange: "mexc",
  symbol: "ADA/USDT",
  spreadPercent: 1,
  depth: 500,
  levels: 3,
  baseBudget: 5000,
  quoteBudget: 2000,
};

const PAGES = [
  ["", "Strategies"],
  ["start", "Start a grid"],
  ["start/centered", "Start a centered grid"],
  ["start/quote", "Start quotes"],
  ["backtest", "Backtest"],
  ["report", "Report"],
  ["liquidity", "Liquidity"],
  ["markets", "Markets"],
  ["compare", "Compare"],
  ["dex", "DEX"],
  ["account", "Account"],
  ["alerts", "Alerts"],
  ["limits", "Limits"],
  ["agents", "Agents"],
  ["access", "Access"],
  ["audit", "Audit"],
] as const;

const heightOf = (page: Page) => page.evaluate<number>("document.documentElement.scrollHeight");
const isLoaded = (page: Page) => expect.poll(() => page.locator(".waiting").count()).toBe(0);

/** Figures without a space that stand on two lines. */
const brokenFigures = (page: Page): Promise<string[]> =>
  page.locator(".stat dd.large").evaluateAll((figures) =>
    figures
      .filter((figure) => {
        const range = figure.ownerDocument.createRange();
        range.selectNodeContents(figure);
        return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1;
      })
      .map(({ textContent }) => textContent ?? "")
      .filter((text) => !/\s/.test(text)),
  );

/** Names of tables that are wider than their place. */
const cutTables = (page: Page) =>
  page
    .locator(".scroll")
    .evaluateAll((all) =>
      all.filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.getAttribute("aria-label")),
    );

describe.skipIf(!findChromium())("the frame of the page, in Chromium (skipped where there is none)", () => {
  const served = servedPage();
  let strategies: readonly (readonly [path: string, title: string])[];
  beforeAll(async () => {
    const grid = await served.call<{ id: string }>("POST", "/strategy/grid", GRID);
    const quotes = await served.call<{ id: string }>("POST", ...startOf("quote", QUOTES));
    strategies = [
      [`strategy/${grid.id}`, "BTC/USDT on kraken"],
      [`strategy/${quotes.id}`, "ADA/USDT on mexc"],
    ];
  });
  /** Opens a page and waits for its title, because the previous page has a heading too. */
  const open = async (page: Page, [path, title]: readonly [path: string, title: string]) => {
    await page.goto(`${served.url}/#/${path}`);
    await expect.poll(() => page.title()).toBe(`SIMULATED · ${title} · edgemaker`);
  };

  it("leads to every page with at most seven words", async () => {
    const { page, context } = await served.signIn({ viewport: { width: 1440, height: 900 } });
    const navigation = page.getByRole("navigation", { name: "Pages" });
    const words = await navigation.getByRole("link").allTextContents();
    expect(words.length).toBeLessThanOrEqual(7);
    const reached = new Set<string>();
    for (const word of words) {
      await navigation.getByRole("link", { name: word, exact: true }).click();
      await navigation.locator("[aria-current]", { hasText: word }).waitFor();
      await page.getByRole("heading", { level: 1 }).waitFor();
      const links = page
        .locator("nav")
        .getByRole("link")
        .evaluateAll((all) => all.map((one) => one.getAttribute("href") ?? ""));
      for (const href of await links) reached.add(href);
    }
    expect([...reached].sort()).toEqual(expect.arrayContaining(PAGES.map(([path]) => `#/${path}`)));
    await context.close();
  });

  it("shows the first page for an address that it cannot read", async () => {
    const { page, context } = await served.signIn();
    await page.goto(`${served.url}/#/%`);
    await page.reload();
    await page.getByRole("heading", { name: "Strategies" }).waitFor();
    // Parameters need no escapes.
    await page.goto(`${served.url}/#/start?symbol=100%`);
    await page.reload();
    await page.getByRole("heading", { name: "Start a grid" }).waitFor();
    await context.close();
  });

  it.each([390, 768])("puts the navigation behind a menu button at %i px", async (width) => {
    const { page, context } = await served.signIn({ viewport: { width, height: 844 } });
    const menu = page.getByRole("button", { name: "Menu" });
    const limits = page.getByRole("link", { name: "Settings" });
    expect(await limits.isVisible()).toBe(false);
    // One line of the navigation below one line that says whose money it is.
    expect((await page.locator("header.top").boundingBox())?.height).toBeLessThan(80);
    await menu.click();
    await limits.click();
    await page.getByRole("heading", { name: "Alerts" }).waitFor();
    expect(await limits.isVisible()).toBe(false);
    await context.close();
  });

  it("gives each page a title of its own", async () => {
    const { page, context } = await served.signIn();
    for (const place of [...PAGES, ...strategies]) await open(page, place);
    await context.close();
  });

  it("says that an address has no page, or that the token may not open it", async () => {
    const { page, context } = await served.signIn({}, await newToken(served.folder, "read"));
    const lacking = [
      ["nonsense", "SIMULATED · Not found · edgemaker", "There is no page at this address."],
      ["quotes", "SIMULATED · Not found · edgemaker", "There is no page at this address."],
      ["limits", "SIMULATED · No access · edgemaker", "This token has no access to this page."],
    ] as const;
    for (const [path, title, text] of lacking) {
      await page.goto(`${served.url}/#/${path}`);
      await page.getByText(text).waitFor();
      await expect.poll(() => page.title()).toBe(title);
    }
    await context.close();
  });

  it("signs a second tab in with the first, and out with it", async () => {
    const { page, context } = await served.signIn();
    const other = await context.newPage();
    await other.goto(`${served.url}/#/limits`);
    await other.getByRole("heading", { name: "Limits", exact: true }).waitFor();
    await other.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("API token").waitFor();
    const third = await context.newPage();
    await third.goto(served.url);
    await third.getByLabel("API token").waitFor();
    await context.close();
  });

  it("moves no button when the free amount arrives", async () => {
    const { page, context } = await served.signIn();
    const release = await holdRequests(page, "**/balance*withdrawable*");
    await page.goto(`${served.url}/#/start`);
    const button = page.getByRole("button", { name: /^Usual/ });
    await button.waitFor();
    const place = async () => {
      const { x, y } = (await button.boundingBox()) ?? {};
      return { x, y };
    };
    const before = await place();
    release();
    await page.getByText(/USDT free$/).waitFor();
    expect(await place()).toEqual(before);
    await context.close();
  });

  it.each([1024, 768])("cuts no table and breaks no large figure at %i px", async (width) => {
    const { page, context } = await served.signIn({ viewport: { width, height: 900 } });
    const cut: Record<string, unknown> = {};
    for (const place of [...PAGES, ...strategies]) {
      await open(page, place);
      await isLoaded(page);
      const names = [...(await cutTables(page)), ...(await brokenFigures(page))];
      if (names.length > 0) cut[place[0]] = names;
    }
    expect(cut).toEqual({});
    await context.close();
  });

  it("shows quote with two decimals, and nothing with more than eight", async () => {
    const { page, context } = await served.signIn();
    // A quiet hour of the simulated market would fill no order.
    await commandIn(served.folder, "sandbox", "shock", "--symbol", "BTC/USDT", "--percent=-1");
    await page.goto(`${served.url}/#/${strategies[0]?.[0]}/orders`);
    await page.getByRole("table", { name: "Fills" }).getByRole("row").nth(1).waitFor();
    const found: Record<string, unknown> = {};
    for (const place of [...PAGES, ...strategies]) {
      await open(page, place);
      await isLoaded(page);
      const text = await page.locator("main").innerText();
      const money = [...text.matchAll(/([\d,]+\.?\d*)\s(?:USDT|USD|EUR)\b/g)]
        .map(([, value = ""]) => value)
        .filter((value) => Number(value.replaceAll(",", "")) >= 0.01 && !/^[\d,]+(\.\d\d)?$/.test(value));
      const long = text.match(/\d\.\d{9,}/g) ?? [];
      if (money.length + long.length > 0) found[place[0]] = [...money, ...long];
    }
    expect(found).toEqual({});
    await context.close();
  });

  it("folds long parts on a phone, and opens them on request", async () => {
    const { page, context } = await served.signIn({ viewport: { width: 390, height: 844 } });
    for (const place of [["", "Strategies"], ["markets", "Markets"], ...strategies] as const) {
      await open(page, place);
      await isLoaded(page);
      expect(await heightOf(page), place[0]).toBeLessThan(3000);
    }
    await page.goto(`${served.url}/#/${strategies[0]?.[0]}`);
    await page.getByRole("link", { name: "Orders and fills" }).click();
    await page.getByRole("table", { name: "Orders" }).waitFor();
    await context.close();
  });
});
