import type { Locator, Page } from "playwright-core";
import { describe, expect, it, onTestFinished } from "vitest";
import { MINUTE } from "../../src/kernel/time.ts";
import { faultsInEveryLook } from "../support/axe.ts";
import { findChromium, startBrowser } from "../support/browser.ts";
import { serve } from "../support/command.ts";
import { d } from "../support/grid.ts";
import { MOVED } from "../support/shown-plan.ts";
import { signedIn } from "../support/signed-in.ts";
import { tempFolder } from "../support/temp.ts";
import { type EmulatedVenue, startVenue } from "../venues/index.ts";

const PAIR = "BTC/USDT";

/** A month of prices that end at 60,000, in swings of about 2 % over half a day. */
function giveHistory(venue: EmulatedVenue): void {
  const last = Math.floor(Date.now() / MINUTE);
  const priceAt = (ago: number) => 60_000 + 1_200 * Math.sin(ago / 110);
  venue.past(
    PAIR,
    Array.from({ length: 30 * 1440 }, (_, place) => {
      const ago = 30 * 1440 - 1 - place;
      const [open, close] = [priceAt(ago + 1), priceAt(ago)];
      const price = (value: number) => d(value.toFixed(2));
      return {
        at: (last - ago) * MINUTE,
        open: price(open),
        high: price(Math.max(open, close)),
        low: price(Math.min(open, close)),
        close: price(close),
        volume: d("3"),
      };
    }),
  );
}

/** A fresh server without keys over the four exchanges, and a page signed in to it. */
async function stage() {
  const names = ["mexc", "gateio", "bitget", "kraken"] as const;
  const venues = await Promise.all(names.map((name) => startVenue(name)));
  onTestFinished(async () => void (await Promise.all(venues.map((venue) => venue.close()))));
  venues.forEach(giveHistory);
  const server = await serve(tempFolder(), ["--tick-interval", "1000"], {
    // Nothing goes to the internet.
    EDGEMAKER_VENUE_URLS: [
      ...venues.map(({ name, url }) => `${name}=${url}`),
      "iris=http://127.0.0.1:9",
    ].join(),
  });
  const browser = await startBrowser();
  onTestFinished(() => browser.close());
  return { venues, ...(await signedIn(browser, server.url, server.token)) };
}

/** Moves the focus with the Tab key until it is on an element. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  const isFocused = () => target.evaluate((element) => element === element.ownerDocument.activeElement);
  for (let presses = 0; presses < 150; presses++) {
    if (await isFocused()) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`the Tab key does not reach ${target}`);
}

describe.skipIf(!findChromium())("the first steps without keys (skipped without Chromium)", () => {
  it("lead with the keyboard alone from a backtest to a fill in paper trading", async () => {
    const { page, venues, errors, strangers } = await stage();
    const faults: string[] = [];
    const look = async (stage: string) =>
      faults.push(...(await faultsInEveryLook(page)).map((what) => `${stage}: ${what}`));
    const loads: string[] = [];
    page.on("load", () => loads.push(page.url()));
    const press = async (target: Locator) => {
      await tabTo(page, target);
      await page.keyboard.press("Enter");
    };

    const steps = page.getByRole("region", { name: "First steps" });
    await steps.getByText(/edgemaker trades for you on MEXC, Gate, Bitget and Kraken/).waitFor();
    for (const name of ["Run a backtest", "Start paper trading", "Enter keys"])
      await steps.getByRole("link", { name }).waitFor();
    await look("home");

    await press(steps.getByRole("link", { name: "Run a backtest" }));
    await press(page.getByRole("button", { name: /^Usual.*levels/ }));
    await press(page.getByRole("button", { name: "Run it" }));
    const runs = page.getByRole("group", { name: "Runs" });
    await runs.getByRole("img", { name: /^Final equity/ }).waitFor();

    await press(page.getByRole("link", { name: "Strategies", exact: true }));
    await press(steps.getByRole("link", { name: "Start paper trading" }));
    await page.getByText("PAPER No real money: orders and fills are simulated").waitFor();
    const usual = page.getByRole("button", { name: /^Usual.*levels/ });
    await press(usual);
    await expect.poll(() => usual.getAttribute("aria-pressed")).toBe("true");
    await page.getByRole("button", { name: /^Start: \d+ orders, .* in buys, paper trading$/ }).waitFor();
    await look("a plan");
    await startPaper(page, press);
    const orders = page.getByRole("link", { name: "Orders and fills" });
    await press(orders);
    await page.getByText("No fills yet.").waitFor();

    for (const venue of venues) venue.move(PAIR, "59000");
    await page.getByRole("region", { name: "Fills" }).getByRole("row", { name: /buy/ }).first().waitFor();
    await look("a fill");
    await expect.poll(() => page.title()).toMatch(/^PAPER · /);
    // Of the exchanges only public routes were asked, and none was sent an order.
    for (const { observed, orders: placed } of venues) {
      expect(placed()).toEqual([]);
      expect(observed.filter(({ key }) => key !== undefined)).toEqual([]);
    }
    expect(venues.some(({ observed }) => observed.some(({ route }) => route === "ticker"))).toBe(true);
    expect(faults).toEqual([]);
    expect(loads).toEqual([]);
    expect(errors.filter((error) => !MOVED.test(error))).toEqual([]);
    expect(strangers).toEqual([]);
  });
});

/** Starts the shown plan; one that the market has left behind is looked at anew. */
async function startPaper(page: Page, press: (target: Locator) => Promise<void>): Promise<void> {
  const dialog = page.getByRole("dialog");
  const started = page.getByRole("heading", { level: 1, name: /^BTC\/USDT/ });
  const moved = dialog.getByText("is out of date");
  for (;;) {
    await press(page.getByRole("button", { name: /^Start: / }));
    await press(dialog.getByRole("button", { name: "Start it" }));
    await started.or(moved).first().waitFor();
    if (await started.isVisible()) return;
    await press(dialog.getByRole("button", { name: "Go back" }));
  }
}
