import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, it, onTestFinished } from "vitest";
import { findChromium, startBrowser } from "../support/browser.ts";
import { canaryKek } from "../support/canary.ts";
import { serve } from "../support/command.ts";
import { d } from "../support/grid.ts";
import { signedIn } from "../support/signed-in.ts";
import { tempFolder } from "../support/temp.ts";
import { startVenue } from "../venues/index.ts";

const PAIR = "SNEK/USDT";

/** An exchange, a server without keys, and a browser that has signed in to its page. */
async function stage(width: number) {
  const folder = tempFolder();
  const venue = await startVenue("mexc", { balances: { USDT: "500", SNEK: "100000" } });
  onTestFinished(() => venue.close());
  const server = await serve(folder, ["--tick-interval", "1000"], {
    EDGEMAKER_KEK: canaryKek("W"),
    EDGEMAKER_EXCHANGES: "mexc",
    EDGEMAKER_VENUE_URLS: `mexc=${venue.url}`,
    EDGEMAKER_LIQUIDITY: `mexc:${PAIR} agreement spread=3 depth=20 levels=2 uptime=95`,
  });
  onTestFinished(() => server.kill("SIGTERM"));
  const browser = await startBrowser();
  onTestFinished(() => browser.close());
  const { page, errors, strangers } = await signedIn(browser, server.url, server.token, {
    viewport: { width, height: 844 },
  });
  const call = async <T>(path: string) => (await (await server.ask(`/api/v1${path}`)).json()) as T;
  return { folder, venue, page, errors, strangers, call };
}

type Stage = Awaited<ReturnType<typeof stage>>;

/** Opens a page by its words; the first one can be behind the menu. */
async function open(page: Page, ...words: readonly string[]): Promise<void> {
  const menu = page.getByRole("button", { name: "Menu" });
  if (await menu.isVisible()) await menu.click();
  for (const name of words) await page.getByRole("link", { name, exact: true }).click();
}

async function confirm(page: Page, name: string, yes: string): Promise<void> {
  await page.getByRole("button", { name, exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: yes, exact: true }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
}

/** Starts the shown plan. A plan that the market has left behind is replaced by the next one. */
async function startPlan(page: Page): Promise<void> {
  const started = page.getByRole("heading", { level: 1, name: PAIR });
  const moved = page.getByRole("dialog").getByText("is out of date");
  for (;;) {
    await page.getByRole("button", { name: /^Start: / }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Start it" }).click();
    await started.or(moved).first().waitFor();
    if (await started.isVisible()) return;
    await page.getByRole("dialog").getByRole("button", { name: "Go back" }).click();
  }
}

async function saved({ page, folder }: Stage, name: string): Promise<string> {
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    // A pair and an agreement have one each.
    page.getByRole("button", { name }).first().click(),
  ]);
  const path = join(folder, file.suggestedFilename());
  await file.saveAs(path);
  return readFileSync(path, "utf8");
}

async function storeKeys({ page, venue, call }: Stage): Promise<void> {
  await open(page, "Settings", "Access");
  await page.getByLabel("API key").fill(venue.keys.key);
  await page.getByLabel("Secret").fill(venue.keys.secret);
  await page.getByRole("button", { name: "Test and store" }).click();
  await page.getByText("Stored. mexc accepts them").waitFor();
  expect(await page.getByLabel("Secret").inputValue()).toBe("");
  expect(await call("/keys")).toMatchObject({ exchanges: [{ exchange: "mexc", from: "database" }] });
}

async function startQuotes({ page, venue }: Stage): Promise<void> {
  await open(page, "Start", "Quotes");
  await expect.poll(() => page.getByLabel("Pair").inputValue()).toBe(PAIR);
  await page.getByLabel("Depth per side, USDT").fill("20");
  await page.getByLabel("Orders per side, 1 to 20").fill("2");
  await page.getByLabel("Loss limit, USDT").fill("10");
  await page.getByLabel("Fixed price, USDT").fill("0.002");
  await page.getByText("Worst case").waitFor();
  await startPlan(page);
  await expect.poll(() => venue.open(PAIR).length).toBe(4);
}

async function editQuotes({ page, call }: Stage): Promise<void> {
  const { strategies } = await call<{ strategies: readonly { id: string }[] }>(
    "/strategies?definition=quote",
  );
  const details = async () => (await call<QuotesStatus>(`/strategies/${strategies[0]?.id}`)).details;
  expect(await details()).toMatchObject({ spreadPercent: 2, maxLoss: "10" });
  await page.getByRole("button", { name: "Edit" }).click();
  await page.getByLabel("Spread between bid and ask, %").fill("3");
  await page.getByRole("button", { name: "Change exactly as planned" }).click();
  await page.getByRole("button", { name: "Change it" }).click();
  await page
    .getByRole("status")
    .getByText(/is changed|changes with its next passes/)
    .waitFor();
  await expect.poll(async () => (await details()).spreadPercent).toBe(3);
}

interface QuotesStatus {
  readonly details: { readonly spreadPercent: number };
}

/** Names the quotes, which lists show from then on. */
async function nameQuotes({ page, call }: Stage): Promise<void> {
  await page.getByLabel("Name of the strategy").fill("desk");
  await page.getByRole("button", { name: "Rename" }).click();
  await page.getByRole("heading", { level: 1, name: `desk quote, ${PAIR} on mexc` }).waitFor();
  expect(await call("/strategies/desk")).toMatchObject({ name: "desk" });
}

/** A form filled in from a budget, for each choice of what happens beyond the range. */
async function chooseBeyond({ page }: Stage): Promise<void> {
  await open(page, "Start");
  await expect.poll(() => page.getByLabel("Pair").inputValue()).toBe(PAIR);
  const filled = async (choice: string) => {
    await page.getByLabel("If the price leaves the range").selectOption({ label: choice });
    await page.getByRole("button", { name: /^Usual/ }).click();
    const value = (label: string) => page.getByLabel(label).inputValue();
    await expect.poll(() => value("Lower price, USDT")).not.toBe("");
    return async () =>
      [await value("Follow down to, USDT"), await value("Stop loss, USDT")].map((text) => text !== "");
  };
  await page.getByLabel("Budget, USDT").fill("200");
  await expect.poll(await filled("Follow it by half the range")).toEqual([true, false]);
  await expect.poll(await filled("Stop a little beyond, and sell the base")).toEqual([false, true]);
  await expect.poll(await filled("Wait until it returns")).toEqual([false, false]);
  await page.getByText("Smallest profitable spacing").waitFor();
}

/** A grid that buys below the price, and follows it down. */
async function startGrid({ page, venue, call }: Stage): Promise<void> {
  await open(page, "Start");
  await page.getByRole("heading", { name: "Start a grid" }).waitFor();
  await expect.poll(() => page.getByLabel("Pair").inputValue()).toBe(PAIR);
  for (const [label, text] of [
    ["Lower price, USDT", "0.0015"],
    ["Upper price, USDT", "0.0019"],
    ["Levels, 2 to 100", "4"],
    ["Per order, USDT", "20"],
    ["Follow down to, USDT", "0.001"],
  ] as const)
    await page.getByLabel(label).fill(text);
  await startPlan(page);
  await expect.poll(() => venue.open(PAIR).filter(({ price }) => price < d("0.00191")).length).toBe(4);
  expect(await call("/strategy/grid/status")).toMatchObject({
    strategies: [{ follows: { how: "trail", down: 0.001 } }],
  });
}

/** The price falls to the grid's first buy, and the fill is saved. */
async function seeFill(at: Stage): Promise<void> {
  const { page, venue } = at;
  venue.move(PAIR, "0.00179");
  await page.getByRole("img", { name: /^Candles of SNEK\/USDT/ }).waitFor();
  await page.getByRole("link", { name: "Orders and fills" }).click();
  await page.getByRole("table", { name: "Fills" }).waitFor();
  expect(await saved(at, "Save all fills as CSV")).toMatch(/,buy,/);
}

/** The grid's time over candles, compared with its fills. */
async function seeReplay({ page }: Stage): Promise<void> {
  await page.getByRole("link", { name: "Real against backtest" }).click();
  await page.getByText("Filled orders that match").waitFor();
}

/** A grid that stays around the price. It places nothing, because no other exchange confirms the price. */
async function startCentered({ page, call }: Stage): Promise<void> {
  await open(page, "Start", "Centered grid");
  await expect.poll(() => page.getByLabel("Pair").inputValue()).toBe(PAIR);
  await page.getByLabel("Levels on each side, 1 to 10").fill("2");
  await page.getByLabel("Per order, USDT").fill("20");
  await page.getByText("Smallest profitable spacing").waitFor();
  await startPlan(page);
  await expect
    .poll(async () => (await call<GridStatus>("/strategy/grid/status")).strategies)
    .toMatchObject([{ centered: true }]);
  await confirm(page, "Stop", "Stop it");
  // Quotes without budgets start only beside no other strategy.
  await expect.poll(async () => (await call<{ count: number }>("/strategy/grid/list")).count).toBe(0);
}

interface GridStatus {
  readonly strategies: readonly { readonly centered: boolean }[];
}

async function seeWithdrawable({ page }: Stage): Promise<void> {
  await page.evaluate("location.hash = '#/account/mexc'");
  await page.getByRole("row", { name: /SNEK/ }).first().waitFor();
}

async function seeReports(at: Stage): Promise<void> {
  const { page } = at;
  await open(page, "Reports");
  // A running server records P&L once a minute.
  const days = page.getByRole("table", { name: /^P&L by day/ });
  await expect
    .poll(async () => {
      await page.getByRole("button", { name: "30 days" }).click();
      await page.getByRole("button", { name: "7 days" }).click();
      await page.getByText("By strategy").first().waitFor();
      return days.isVisible();
    })
    .toBe(true);
  await page.getByText("Max drawdown").waitFor();
  const desk = page.getByRole("table", { name: "By strategy" }).getByRole("link", { name: "desk" });
  expect(await desk.getAttribute("href")).toMatch(/^#\/strategy\//);
  expect(await saved(at, "Save tax table as CSV")).toMatch(/^timestamp,/);
  await open(page, "Reports", "Liquidity");
  await page.getByLabel("Your name in the report").fill("Snek Treasury");
  const report = await saved(at, "Save report to send, without P&L");
  expect(report).toContain("Snek Treasury");
  expect(report).toContain(`${PAIR} on mexc`);
  expect(report).not.toContain("What it cost");
}

async function stopAll({ page, venue }: Stage): Promise<void> {
  for (const [yes, name] of [
    ["Stop them", "desk"],
    ["Stop it", PAIR],
  ] as const) {
    await open(page, "Strategies");
    await page.getByRole("table", { name: "Active strategies" }).getByRole("link", { name }).click();
    await page.getByRole("heading", { level: 1, name }).waitFor();
    await confirm(page, "Stop", yes);
  }
  await expect.poll(() => venue.open(PAIR)).toEqual([]);
}

const STEPS = [
  storeKeys,
  startCentered,
  startQuotes,
  editQuotes,
  nameQuotes,
  chooseBeyond,
  startGrid,
  seeFill,
  seeReplay,
  seeWithdrawable,
  seeReports,
  stopAll,
] as const;

describe.skipIf(!findChromium())("a treasurer's day on the page (skipped where there is no Chromium)", () => {
  it.each([1440, 390])("works from the page alone, at %i px", async (width) => {
    const at = await stage(width);
    for (const step of STEPS) {
      await step(at);
      expect(await at.page.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(
        width,
      );
    }
    expect(at.strangers).toEqual([]);
    expect(at.errors.filter((error) => !/status of 409/.test(error))).toEqual([]);
  });
});
