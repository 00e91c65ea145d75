import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { violationsOf } from "../../support/axe.ts";
import { findChromium } from "../../support/browser.ts";
import { gridRequest } from "../../support/requests.ts";
import { servedPage } from "../../support/served.ts";
import { newToken } from "../../support/signed-in.ts";
import { startOf } from "../../support/starts.ts";

const GRID = gridRequest({ lowerPrice: 57_000, upperPrice: 63_000, gridLevels: 12, orderSize: 50 });

describe.skipIf(!findChromium())("the bounds in a grid's chart (skipped without Chromium)", () => {
  const served = servedPage(["--tick-interval", "500"]);
  const start = async () => (await served.call<{ id: string }>("POST", "/strategy/grid", GRID)).id;
  /** Prices of the orders on the exchange, the lowest first. */
  const pricesOf = async (exchange: string) =>
    (
      await served.call<{ orders: { price: number }[] }>(
        "GET",
        `/orders?exchange=${exchange}&symbol=BTC/USDT`,
      )
    ).orders
      .map(({ price }) => price)
      .sort((a, b) => a - b);
  const open = async (page: Page, id: string) => {
    await page.goto(`${served.url}/#/strategy/${id}`);
    await page.getByRole("slider", { name: "Upper price" }).waitFor();
    // The chart has put it over its price.
    await expect.poll(() => bound(page, "Upper price")).toBeGreaterThan(0);
  };
  const bound = async (page: Page, name: string) =>
    (await page.getByRole("slider", { name }).evaluate((one) => one.offsetTop)) as number;
  const confirm = async (page: Page, id: string) => {
    await page.getByRole("button", { name: "Change exactly as planned" }).click();
    await page.getByRole("button", { name: "Change it" }).click();
    await page
      .getByRole("status")
      .getByText(new RegExp(`${id} (is changed|changes)`))
      .waitFor();
  };

  it("are dragged, planned, and moved on the exchange only after the confirmation", async () => {
    const id = await start();
    await expect.poll(async () => (await pricesOf(GRID.exchange)).length).toBe(12);
    const before = await pricesOf(GRID.exchange);
    const { page, context, errors } = await served.signIn();
    await open(page, id);
    const box = await page.getByRole("slider", { name: "Upper price" }).boundingBox();
    if (!box) throw new Error("no slider");
    const [x, y] = [box.x + 100, box.y + box.height / 2];
    await page.mouse.move(x, y);
    await page.mouse.down();
    for (const moved of [5, 20, 40]) await page.mouse.move(x, y + moved);
    await page.mouse.up();
    const part = page.getByRole("region", { name: "Change this grid" });
    await part.getByRole("row", { name: /^Upper price, USDT 63,000/ }).waitFor();
    const upper = Number(await part.getByLabel("Upper price, USDT").inputValue());
    expect(upper).toBeLessThan(62_900);
    expect(upper).toBeGreaterThan(60_000);
    // An order in the middle of the range can fill meanwhile.
    expect((await pricesOf(GRID.exchange)).at(-1)).toBe(before.at(-1));
    await confirm(page, id);
    await expect.poll(async () => (await pricesOf(GRID.exchange)).at(-1)).toBeLessThanOrEqual(upper);
    await expect.poll(async () => (await pricesOf(GRID.exchange)).length).toBe(12);
    expect((await pricesOf(GRID.exchange))[0]).toBe(before[0]);
    expect(errors).toEqual([]);
    await context.close();
    await served.call("POST", `/strategies/${id}/stop`, {});
  });

  it("are moved by arrow keys, each by a hundredth of the range, and discarded", async () => {
    const id = await start();
    const { page, context } = await served.signIn();
    await open(page, id);
    await page.getByRole("slider", { name: "Lower price" }).focus();
    await page.keyboard.press("ArrowDown");
    const part = page.getByRole("region", { name: "Change this grid" });
    await part.getByRole("row", { name: /^Lower price, USDT 57,000 56,940/ }).waitFor();
    const slider = page.getByRole("slider", { name: "Lower price" });
    await slider.focus();
    await page.keyboard.press("PageUp");
    await part.getByRole("row", { name: /^Lower price, USDT 57,000 57,5/ }).waitFor();
    await page.getByRole("button", { name: "Discard" }).click();
    await expect.poll(() => slider.getAttribute("aria-valuetext")).toMatch(/^57,000/);
    await context.close();
    await served.call("POST", `/strategies/${id}/stop`, {});
  });

  it.each([
    [390, 844],
    [1440, 900],
  ])("say next to the chart what the new bound changes, at %i by %i px", async (width, height) => {
    const id = await start();
    const { page, context } = await served.signIn({ viewport: { width, height } });
    await open(page, id);
    const slider = page.getByRole("slider", { name: "Lower price" });
    await slider.focus();
    await page.keyboard.press("PageDown");
    const bar = page.getByRole("group", { name: "Planned change" });
    await bar
      .getByText(/^Lower price 57,000 → 56,400: \d+ orders canceled, \d+ placed, [\d.,]+ USDT in buys$/)
      .waitFor();
    const change = bar.getByRole("button", { name: "Change exactly as planned" });
    for (const part of [slider, change]) {
      const box = await part.boundingBox();
      expect(box && box.y >= 0 && box.y + box.height <= height).toBe(true);
    }
    expect(await violationsOf(page)).toEqual([]);
    await bar.getByRole("button", { name: "Discard" }).click();
    await bar.waitFor({ state: "hidden" });
    await context.close();
    await served.call("POST", `/strategies/${id}/stop`, {});
  });

  it("are not there for read-only users, and not for a centered grid", async () => {
    const id = await start();
    const { page, context } = await served.signIn({}, await newToken(served.folder, "read"));
    await page.goto(`${served.url}/#/strategy/${id}`);
    await page.getByRole("img", { name: /^Candles of/ }).waitFor();
    expect(await page.getByRole("slider").count()).toBe(0);
    await context.close();
    const request = { exchange: "kraken", symbol: "ETH/USDT", confidence: 0 };
    const centered = await served.call<{ id: string }>("POST", ...startOf("centered", request));
    const admin = await served.signIn();
    await admin.page.goto(`${served.url}/#/strategy/${centered.id}`);
    await admin.page.getByRole("img", { name: /^Candles of/ }).waitFor();
    expect(await admin.page.getByRole("slider").count()).toBe(0);
    await admin.context.close();
  });
});
