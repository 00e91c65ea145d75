import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { faultsInEveryLook, violationsOf } from "../support/axe.ts";
import { findChromium } from "../support/browser.ts";
import { gridRequest } from "../support/requests.ts";
import { servedPage } from "../support/served.ts";
import { MOVED, startShown } from "../support/shown-plan.ts";
import { commandIn } from "../support/signed-in.ts";

const MARKET = { exchange: "kraken", symbol: "BTC/USDT" };

describe.skipIf(!findChromium())("a journey in one tab (skipped without Chromium)", () => {
  const served = servedPage(["--tick-interval", "500"]);
  const shock = (percent: number) =>
    commandIn(served.folder, "sandbox", "shock", "--symbol", MARKET.symbol, `--percent=${percent}`);
  const openOrders = async () =>
    (await served.call<{ count: number }>("GET", `/orders?exchange=${MARKET.exchange}`)).count;

  it("leads a grid of 1,000 USDT from a preset to its sale, at every size, light and dark", async () => {
    const { page, context, errors, strangers } = await served.signIn();
    const faults: string[] = [];
    const look = async (stage: string) =>
      faults.push(...(await faultsInEveryLook(page)).map((what) => `${stage}: ${what}`));
    const loads: string[] = [];
    page.on("load", () => loads.push(page.url()));

    await look("home without a strategy");
    await page.getByRole("link", { name: "New strategy" }).click();
    await page.getByLabel("Exchange").selectOption(MARKET.exchange);
    await page.getByLabel("Pair").fill(MARKET.symbol);
    await page.getByLabel("Pair").blur();
    await page.getByLabel("Budget, USDT").fill("1000");
    await page.getByRole("button", { name: /^Usual.*levels/ }).click();
    await yes(page);
    await page.getByRole("button", { name: /^Start: / }).waitFor();
    await look("start with a plan");
    await startShown(page);
    const id = decodeURIComponent(page.url().split("/").at(-1) ?? "");
    const status = () => served.call<StrategyStatus>("GET", `/strategies/${id}`);
    await expect.poll(async () => (await status()).filledOrders).toBeGreaterThan(0);
    const bought = (await status()).filledOrders;
    await expect.poll(openOrders).toBe((await status()).openOrders);

    await shock(-2);
    await expect.poll(async () => (await status()).filledOrders).toBeGreaterThan(bought);
    await page.getByRole("link", { name: "Orders and fills" }).click();
    await page.getByRole("region", { name: "Fills" }).getByRole("row").nth(1).waitFor();
    await look("fills of a grid");

    await page.getByRole("link", { name: "Overview" }).click();
    const slider = page.getByRole("slider", { name: "Lower price" });
    await slider.focus();
    const before = Number(await slider.getAttribute("aria-valuenow"));
    await page.keyboard.press("ArrowDown");
    const change = page.getByRole("region", { name: "Change this grid" });
    await change.getByRole("row", { name: /^Lower price/ }).waitFor();
    await look("a change planned");
    await confirm(page);
    await expect.poll(async () => Number(await slider.getAttribute("aria-valuenow"))).toBeLessThan(before);

    await page.getByRole("button", { name: "Pause", exact: true }).click();
    await page
      .getByRole("dialog")
      .getByRole("button", { name: /^Pause/ })
      .first()
      .click();
    await expect.poll(async () => (await status()).phase).toBe("paused");
    await page.getByRole("button", { name: "Clone", exact: true }).click();
    await page.getByRole("heading", { name: /^Start the same grid again$/ }).waitFor();
    await look("a clone");
    await page.goBack();
    await page.getByRole("button", { name: "Stop and sell" }).click();
    await page
      .getByRole("dialog")
      .getByRole("button", { name: /^Stop it and sell|^Stop and sell/ })
      .click();
    await expect.poll(async () => (await status()).status).toBe("stopped");
    await look("a stopped grid");
    expect(await openOrders()).toBe(0);
    expect(Number((await status()).position)).toBeLessThan(0.0001);
    expect(faults).toEqual([]);
    expect(loads).toEqual([]);
    expect(errors.filter((error) => !MOVED.test(error))).toEqual([]);
    expect(strangers).toEqual([]);
    await context.close();
  });

  it("shows at night on a phone what happened, and stops everything with one hand", async () => {
    const grid = gridRequest({
      ...MARKET,
      lowerPrice: 30_000,
      upperPrice: 90_000,
      gridLevels: 10,
      orderSize: 50,
    });
    await served.call("POST", "/strategy/grid", grid);
    await expect.poll(openOrders).toBeGreaterThan(0);
    const phone = { colorScheme: "dark", viewport: { width: 390, height: 844 }, hasTouch: true } as const;
    const { page, context, errors } = await served.signIn(phone);
    await page.getByRole("link", { name: MARKET.symbol }).first().tap();
    await page.getByRole("link", { name: "Events" }).tap();
    await page.getByRole("region", { name: "Events" }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    const panic = page.getByRole("button", { name: "Panic" });
    const box = await panic.boundingBox();
    // A thumb needs 24 px, and the button is in sight wherever the page is scrolled to.
    expect(box && box.height >= 24 && box.y >= 0 && box.y + box.height <= 844).toBe(true);
    await panic.tap();
    await page.getByRole("dialog").getByText("stops every strategy").waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole("button", { name: /^Stop all/ }).tap();
    await page.getByRole("status").getByText("the kill switch is on").waitFor();
    await expect.poll(openOrders).toBe(0);
    const wide = await page.evaluate<number>("document.documentElement.scrollWidth");
    expect(wide).toBeLessThanOrEqual(390);
    expect(errors).toEqual([]);
    await context.close();
  });
});

interface StrategyStatus {
  readonly status: string;
  readonly phase: string;
  readonly openOrders: number;
  readonly filledOrders: number;
  readonly position: string;
}

/** Answers the question whether base is bought at once. */
const yes = (page: Page) =>
  page.getByRole("group", { name: "Buy missing base at once" }).getByRole("button", { name: "Yes" }).click();

/** Confirms a change; a plan that the market has left behind is looked at anew. */
async function confirm(page: Page): Promise<void> {
  const dialog = page.getByRole("dialog");
  const changed = page.getByRole("status").getByText(/ (is changed|changes with its next passes)/);
  const moved = dialog.getByText("is out of date");
  do {
    if (await moved.isVisible()) await dialog.getByRole("button", { name: "Go back" }).click();
    await page.getByRole("button", { name: "Change exactly as planned" }).click();
    await dialog.getByRole("button", { name: "Change it" }).click();
    await changed.or(moved).first().waitFor();
  } while (!(await changed.isVisible()));
  await dialog.waitFor({ state: "detached" });
}
