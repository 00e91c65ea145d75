import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { faultsInEveryLook } from "../support/axe.ts";
import { findChromium } from "../support/browser.ts";
import { gridRequest, orderRequest } from "../support/requests.ts";
import { servedPage } from "../support/served.ts";

/** Goes on with Tab until a control of this name has the focus. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  const focused = `(document.activeElement?.ariaLabel || document.activeElement?.textContent || "")`;
  for (let pressed = 0; pressed < 60; pressed++) {
    await page.keyboard.press("Tab");
    if (name.test(await page.evaluate<string>(focused))) return;
  }
  throw new Error(`Tab does not come to ${name}`);
}

const GRID = gridRequest({ lowerPrice: 50_000, upperPrice: 70_000, gridLevels: 10, orderSize: 100 });

describe.skipIf(!findChromium())("every page in Chromium (skipped without Chromium)", () => {
  const served = servedPage();
  let id: string;
  beforeAll(async () => {
    const started = await served.server.ask("/api/v1/strategy/grid", {
      method: "POST",
      body: JSON.stringify(GRID),
    });
    id = ((await started.json()) as { id: string }).id;
  });

  /** Each page, and what is there when it has its data. */
  const pages = (): readonly (readonly [string, (page: Page) => Promise<unknown>])[] => [
    ["", (page) => page.getByRole("link", { name: "BTC/USDT" }).waitFor()],
    [`strategy/${id}`, (page) => page.getByText("vs buy and hold").first().waitFor()],
    [
      "start",
      async (page) => {
        // The newest candles are of ten days: they begin within no narrower range for sure.
        await page.getByRole("button", { name: /^Wide/ }).click();
        await page.getByRole("button", { name: /^Start: / }).waitFor();
        await page.getByRole("button", { name: "Backtest on the latest candles" }).click();
        await page.getByText("Past results do not guarantee").waitFor();
      },
    ],
    [
      "backtest?lowerPrice=50000&upperPrice=70000&gridLevels=10&orderSize=100",
      async (page) => {
        await page.getByRole("button", { name: "Run it" }).click();
        await page.getByRole("img", { name: /^Final equity/ }).waitFor();
        await page.getByRole("button", { name: "Find settings" }).click();
        await page.getByText("Probability of overfitting (PBO)").waitFor();
      },
    ],
    ["start/centered", (page) => page.getByText("Smallest profitable spacing").waitFor()],
    [
      "start/quote",
      async (page) => {
        await page.getByLabel("Depth per side, USDT").fill("500");
        await page.getByText("Worst case").waitFor();
      },
    ],
    ["liquidity", (page) => page.getByText("No pair is sampled").waitFor()],
    ["report", (page) => page.getByRole("heading", { name: "By strategy" }).waitFor()],
    ["markets", (page) => page.getByRole("table", { name: "Order book" }).waitFor()],
    ["compare", (page) => page.getByText("Lowest ask").waitFor()],
    ["dex", (page) => page.getByText("Value locked, ADA").first().waitFor({ state: "attached" })],
    [
      "account/kraken",
      (page) =>
        page
          .getByRole("button", { name: /^Cancel buy/ })
          .first()
          .waitFor(),
    ],
    ["alerts", (page) => page.getByText("There are no channels yet").waitFor()],
    ["limits", (page) => page.getByText("Change a limit").waitFor()],
    ["agents", (page) => page.getByText("No plans are waiting").waitFor()],
    ["access", (page) => page.getByText("These exchanges are simulated").waitFor()],
    ["audit", (page) => page.getByRole("table", { name: "Events, newest first" }).waitFor()],
  ];

  it("has no accessibility violation and no horizontal overflow at any size, light and dark", async () => {
    const { page, context, errors, strangers } = await served.signIn();
    const found: Record<string, unknown> = {};
    for (const [path, ready] of pages()) {
      await page.goto(`${served.url}/#/${path}`);
      await ready(page);
      const faults = await faultsInEveryLook(page);
      if (faults.length > 0) found[path] = faults;
    }
    expect(found).toEqual({});
    expect(errors).toEqual([]);
    expect(strangers).toEqual([]);
    await context.close();
  });

  it("works with the keyboard alone, and Escape closes a dialog", async () => {
    const { page, context } = await served.signIn();
    await page.goto(`${served.url}/#/strategy/${id}`);
    await page.getByText("vs buy and hold").first().waitFor();
    await page.getByRole("button", { name: "Pause" }).waitFor();
    await tabTo(page, /^Pause$/);
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "Pause this grid?" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await tabTo(page, /^Stop$/);
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Go back" }).waitFor();
    await tabTo(page, /^Go back$/);
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    const response = await served.server.ask(`/api/v1/strategy/grid/status?id=${id}`);
    expect(await response.json()).toMatchObject({ strategies: [{ phase: "active" }] });
    await context.close();
  });

  it("keeps a question that was asked while the browser still closes the one before", async () => {
    const { page, context } = await served.signIn();
    await page.goto(`${served.url}/#/strategy/${id}`);
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByRole("dialog", { name: "Pause this grid?" }).waitFor();
    // In one task: the browser tells of the close only after it.
    await page.evaluate(
      `document.querySelector("dialog").close();
       [...document.querySelectorAll("button")].find(({ textContent }) => textContent === "Stop").click();`,
    );
    await page.getByRole("dialog", { name: "Stop this grid?" }).waitFor();
    await page.getByRole("button", { name: "Go back" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await context.close();
  });

  it("cancels an order on the exchange after a confirmation", async () => {
    const order = orderRequest({ exchange: "gateio", price: 56_000 });
    const placed = await served.server.ask("/api/v1/orders", { method: "POST", body: JSON.stringify(order) });
    expect(placed.status).toBe(200);
    const open = async () =>
      ((await (await served.server.ask("/api/v1/orders?exchange=gateio")).json()) as { count: number }).count;
    expect(await open()).toBe(1);
    const { page, context } = await served.signIn();
    await page.goto(`${served.url}/#/account/gateio`);
    await page.getByRole("button", { name: "Cancel buy of 0.001 BTC/USDT at 56,000" }).click();
    expect(await open()).toBe(1);
    await page.getByRole("button", { name: "Cancel it" }).click();
    await page.getByText("No open orders.").waitFor();
    expect(await open()).toBe(0);
    await context.close();
  });

  it("exits everything with Panic", async () => {
    const { page, context } = await served.signIn();
    await page.getByRole("button", { name: "Panic" }).click();
    await page.getByRole("dialog").getByText("stops every strategy").waitFor();
    await page.getByLabel("Also sell the base").check();
    await page.getByRole("button", { name: "Stop all and sell" }).click();
    await page.getByRole("status").getByText("the kill switch is on").waitFor();
    await page.getByText("No strategy runs.").waitFor();
    const response = await served.server.ask("/api/v1/strategy/grid/list");
    expect(await response.json()).toMatchObject({ count: 0 });
    await context.close();
  });
});
