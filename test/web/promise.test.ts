import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, it, onTestFinished } from "vitest";
import { nodeLocal } from "../../cli/host/process/node-local.ts";
import { HOUR, MINUTE } from "../../src/kernel/time.ts";
import { createLiquidityStore } from "../../src/liquidity/store/store.ts";
import { openDatabase } from "../../src/storage/client/safe-client.ts";
import { faultsInEveryLook } from "../support/axe.ts";
import { findChromium, openPage, startBrowser } from "../support/browser.ts";
import { serve } from "../support/command.ts";
import { connectionTo } from "../support/connection.ts";
import { d } from "../support/grid.ts";
import { liquidityMinute } from "../support/liquidity-minute.ts";
import { migrations } from "../support/migrations.ts";
import { tempFolder } from "../support/temp.ts";
import { startVenue } from "../venues/index.ts";
import { storyClock } from "../week/clock.ts";

const PAIR = "SNEK/USDT";
/** A Monday afternoon: most of a day is over, and the next one is far. */
const START = Date.UTC(2026, 0, 5, 14);

/** The server's clock begins at START and moves with that of the machine, and further when told. */
function afternoon(folder: string) {
  const clock = storyClock(folder, START);
  let ahead = START - performance.now();
  const moving = setInterval(() => clock.set(Math.floor(performance.now() + ahead)), 20);
  onTestFinished(() => {
    clearInterval(moving);
    clock.close();
  });
  return { ...clock, pass: (millis: number) => (ahead += millis) };
}

/** Stores the day's samples until START, as of quotes that were 2 % apart with 30 USDT per side. */
async function sampledSinceMidnight(database: string): Promise<void> {
  const client = connectionTo(database);
  const context = await openDatabase({ client, local: nodeLocal, migrations, kind: "live" });
  const store = createLiquidityStore(context);
  const side = [d("0"), d("15"), d("30")] as const;
  const own = { ownSpread: d("0.02"), ownDepth: { bids: side, asks: side } };
  for (let at = START - 14 * HOUR; at < START; at += MINUTE)
    await store.keep({ exchange: "mexc", symbol: PAIR }, liquidityMinute({ minute: at / MINUTE, ...own }));
  client.close();
}

async function stage() {
  const folder = tempFolder();
  const clock = afternoon(folder);
  const [mexc, gateio] = await Promise.all([
    startVenue("mexc", { clock: clock.now, balances: { USDT: "500", SNEK: "100000" } }),
    startVenue("gateio", { clock: clock.now }),
  ]);
  onTestFinished(async () => void (await Promise.all([mexc.close(), gateio.close()])));
  const database = `file:${join(folder, "day.db")}`;
  await sampledSinceMidnight(database);
  const server = await serve(folder, ["--tick-interval", "1000", "--db", database], {
    ...clock.settings,
    EDGEMAKER_EXCHANGES: "mexc,gateio",
    EDGEMAKER_VENUE_URLS: `mexc=${mexc.url},gateio=${gateio.url},iris=http://127.0.0.1:9`,
    EDGEMAKER_STREAM: "0",
    MEXC_API_KEY: mexc.keys.key,
    MEXC_SECRET: mexc.keys.secret,
  });
  const browser = await startBrowser();
  onTestFinished(() => browser.close());
  const opened = await openPage(browser, server.url);
  await opened.page.clock.install({ time: START });
  await opened.page.goto(server.url);
  await opened.page.getByLabel("API token").fill(server.token);
  await opened.page.getByRole("button", { name: "Sign in" }).click();
  await opened.page.getByRole("heading", { name: "Strategies" }).waitFor();
  /** A minute passes for the server and for the page, which reloads then. */
  const passMinute = async () => {
    clock.pass(MINUTE);
    await opened.page.clock.fastForward(MINUTE);
  };
  return { folder, mexc, passMinute, ...opened };
}

/** Opens pages by their words; in a narrow window, the first one is behind the menu. */
async function open(page: Page, ...words: readonly string[]): Promise<void> {
  const menu = page.getByRole("button", { name: "Menu" });
  if (await menu.isVisible()) await menu.click();
  for (const name of words) await page.getByRole("link", { name, exact: true }).click();
}

describe.skipIf(!findChromium())("quotes with an obligation (skipped without Chromium)", () => {
  it("shows in one tab that a promise is kept, and saves a report to send without P&L", async () => {
    const { page, mexc, folder, passMinute, errors, strangers } = await stage();
    const faults: string[] = [];
    const look = async (stage: string) =>
      faults.push(...(await faultsInEveryLook(page)).map((what) => `${stage}: ${what}`));
    const loads: string[] = [];
    page.on("load", () => loads.push(page.url()));
    // Plans and prices that a minute of the clock cuts off are loaded again, and the start below needs a plan.
    const refused: string[] = [];
    page.on("response", (response) => {
      const { pathname } = new URL(response.url());
      if (response.status() >= 400 && !/\/preview$|\/strategies$|\/compare$/.test(pathname))
        refused.push(`${response.status()} ${pathname}`);
    });

    await open(page, "Reports", "Liquidity");
    await page.getByText("No pair is sampled").waitFor();
    const form = page.getByRole("form", { name: "Terms of an agreement" });
    await form.getByLabel("Name").fill("snek");
    await form.getByRole("button", { name: "Add a market" }).click();
    await form.getByLabel("Market 1, Exchange").selectOption("mexc");
    for (const [label, text] of [
      ["Pair", PAIR],
      ["Spread", "3"],
      ["Depth per side", "20"],
      ["Levels per side", "2"],
      ["Uptime", "95"],
    ] as const)
      await form.getByLabel(`Market 1, ${label}`).fill(text);
    await form.getByRole("button", { name: "Create agreement" }).click();
    await page.getByRole("region", { name: "Offers and obligations" }).waitFor();
    expect(await page.getByText("No pair is sampled").count()).toBe(0);

    await open(page, "Start", "Quotes");
    await expect.poll(() => page.getByLabel("Pair").inputValue()).toBe(PAIR);
    await page.getByRole("button", { name: /^Usual/ }).click();
    await page.getByLabel("Depth per side, USDT").fill("30");
    await page.getByLabel("Loss limit, USDT").fill("10");
    const payoff = page.getByRole("img", { name: /^P&L by price/ });
    // The line crosses the whole picture, also at prices far below 1.
    expect(await payoff.locator("polyline.own").getAttribute("points")).toMatch(/^0\.0,.* 400\.0,[\d.]+$/);
    await look("quotes with a plan");
    await startQuotes(page);
    await expect.poll(() => mexc.open(PAIR).length).toBe(6);

    const sources = page.getByRole("list", { name: "Price sources" }).getByRole("listitem");
    await expect.poll(() => sources.filter({ hasText: /0\.0020000.*counts/ }).count()).toBe(2);
    await page
      .getByText(/^Half-spread 1\.000\s%\. The middle of the quotes is .* below its target\./)
      .waitFor();
    const [least, most] = await Promise.all(
      ["0", "350,000"].map((text) =>
        page.locator(".range small span", { hasText: text }).first().boundingBox(),
      ),
    );
    expect(most && least && most.x - (least.x + least.width)).toBeGreaterThan(100);
    await page.getByRole("img", { name: /^Spread, now 2\.\d\d\s%, requested 2\.00\s%/ }).waitFor();
    const depth = page.getByRole("img", {
      name: /^Depth of the thinner side, now \d\d\.\d\d USDT, promised 20\.00/,
    });
    await expect
      .poll(async () => {
        await passMinute();
        return depth.isVisible();
      })
      .toBe(true);
    const promise = page.getByRole("table", { name: /^Agreement for SNEK\/USDT on mexc/ });
    await expect.poll(() => promise.getByText("kept").count()).toBe(3);
    await look("quotes with a promise");

    await open(page, "Reports", "Liquidity");
    const saved = async (button: string) => {
      const [file] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: button }).last().click(),
      ]);
      await file.saveAs(join(folder, file.suggestedFilename()));
      return {
        name: file.suggestedFilename(),
        text: readFileSync(join(folder, file.suggestedFilename()), "utf8"),
      };
    };
    const rules = page.getByRole("table", { name: "Rules of snek" });
    await expect.poll(() => rules.getByText("kept").count()).toBe(3);
    await look("the report of an agreement");
    const toSend = await saved("Save report to send, without P&L");
    const internal = await saved("Save internal report, with P&L");
    expect([toSend.name, internal.name]).toEqual([
      "agreement-snek-2026-01-01-2026-01-05-to-send.html",
      "agreement-snek-2026-01-01-2026-01-05-internal.html",
    ]);
    for (const { text } of [toSend, internal]) expect(text).toContain("kept");
    expect(internal.text).toMatch(/What it cost/);
    expect(toSend.text).not.toMatch(/What it cost|P&amp;L|P&L|profit/i);
    expect(faults).toEqual([]);
    expect(loads).toEqual([]);
    expect(refused).toEqual([]);
    expect(errors.filter((error) => !/status of (4\d\d|500)/.test(error))).toEqual([]);
    expect(strangers).toEqual([]);
  });
});

/** Starts the shown plan; one that the market has left behind is looked at anew. */
async function startQuotes(page: Page): Promise<void> {
  const dialog = page.getByRole("dialog");
  const started = page.getByRole("heading", { level: 1, name: PAIR });
  const moved = dialog.getByText("is out of date");
  for (;;) {
    await page.getByRole("button", { name: /^Start: 6 orders/ }).click();
    await dialog.getByRole("button", { name: "Start it" }).click();
    await started.or(moved).first().waitFor();
    if (await started.isVisible()) return;
    await dialog.getByRole("button", { name: "Go back" }).click();
  }
}
