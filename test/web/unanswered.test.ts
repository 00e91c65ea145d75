import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { findChromium } from "../support/browser.ts";
import { servedPage } from "../support/served.ts";

/** Far from the market, so that its plan is the same again a moment later. */
const FORM = {
  "Lower price, USDT": "20000",
  "Upper price, USDT": "30000",
  "Levels, 2 to 100": "4",
  "Per order, USDT": "100",
};

describe.skipIf(!findChromium())("a lost response in Chromium (skipped without Chromium)", () => {
  const served = servedPage(["--tick-interval", "3600000"]);

  const count = async () => (await served.call<{ count: number }>("GET", "/strategy/grid/status")).count;

  const openPlan = async (page: Page) => {
    await page.goto(`${served.url}/#/start`);
    for (const [label, text] of Object.entries(FORM)) await page.getByLabel(label).fill(text);
    await page.getByRole("button", { name: /^Start: / }).click();
    return page.getByRole("dialog");
  };

  it("of a start is reported as unknown, and another try starts nothing twice", async () => {
    const { page, context } = await served.signIn();
    const before = await count();
    let isCut = false;
    // The page also asks for the list of strategies.
    await page.route("**/api/v1/strategies", async (route) => {
      if (isCut || route.request().method() !== "POST") return route.continue();
      isCut = true;
      await route.fetch();
      await route.abort();
    });
    const dialog = await openPlan(page);
    await dialog.getByRole("button", { name: "Start it" }).click();
    await dialog.getByText("It is unknown whether this was done").waitFor();
    await page.getByText("It is unknown whether the last plan was carried out").waitFor();
    expect(await page.getByText("Nothing changed").count()).toBe(0);
    expect(await count()).toBe(before + 1);
    await dialog.getByRole("button", { name: "Start it" }).click();
    await page.getByRole("heading", { level: 1, name: /BTC\/USDT/ }).waitFor();
    expect(await count()).toBe(before + 1);
    await context.close();
  });

  it("keeps the dialog of an action open until its result is known", async () => {
    const { page, context } = await served.signIn();
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route("**/api/v1/strategies", async (route) => {
      if (route.request().method() === "POST") await released;
      await route.continue();
    });
    const dialog = await openPlan(page);
    await dialog.getByRole("button", { name: "Start it" }).click();
    await dialog.getByRole("button", { name: "Working…" }).waitFor();
    expect(await dialog.getByRole("button", { name: "Go back" }).isDisabled()).toBe(true);
    await page.keyboard.press("Escape");
    expect(await dialog.isVisible()).toBe(true);
    release();
    await page.getByRole("heading", { level: 1, name: /BTC\/USDT/ }).waitFor();
    await context.close();
  });
});
