import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { findChromium } from "../../support/browser.ts";
import { root } from "../../support/bundle.ts";
import { servedPage } from "../../support/served.ts";
import { makeFolder } from "../../support/temp.ts";

const strategies = makeFolder();
mkdirSync(strategies.path, { recursive: true });
cpSync(join(root, "examples", "two-sided.ts"), join(strategies.path, "two-sided.ts"));

/** The request of the first plan in paper trading: one of what was typed before can still be on its way. */
async function paperBody(page: Page, act: () => Promise<unknown>): Promise<unknown> {
  const sent = page.waitForRequest(
    (one) => /\/strategies\/preview$/.test(one.url()) && one.postDataJSON()?.dryRun === true,
  );
  await act();
  return (await sent).postDataJSON();
}

describe.skipIf(!findChromium())("templates in Chromium (skipped without Chromium)", () => {
  const served = servedPage(["--strategies", strategies.path, "--tick-interval", "3600000"]);

  it("keep every setting in this browser, and are loaded on the page of another definition", async () => {
    const { page, context, errors } = await served.signIn();
    await page.goto(`${served.url}/#/start/quote`);
    await page.getByLabel("Exchange").selectOption("kraken");
    await page.getByLabel("Pair").fill("ETH/USDT");
    await page.getByLabel("Depth per side, USDT").fill("400");
    await page.getByLabel("Stop loss, USDT").fill("900,5");
    await page.getByText("Advanced", { exact: true }).click();
    await page.getByLabel("Ends at").fill("2040-01-31T12:30");
    await page.getByLabel("If a side is picked off").selectOption("pause:60");
    const body = await paperBody(page, () => page.getByLabel("Paper trading").check());
    expect(body).toMatchObject({
      definition: "quote",
      exchange: "kraken",
      symbol: "ETH/USDT",
      dryRun: true,
      config: { depth: 400, stopLossPrice: 900.5, defend: "pause:60" },
    });
    await page.getByText("Kept in this browser").waitFor();
    await page.getByLabel("Name of the template").fill("calm ETH");
    await page.getByRole("button", { name: "Save as template" }).click();
    await page.getByText("calm ETH is saved.").waitFor();

    await page.goto(`${served.url}/#/start/two-sided`);
    await page.reload();
    await page.getByText("Templates (1), kept in this browser").click();
    const loaded = await paperBody(page, () => page.getByRole("button", { name: "Load calm ETH" }).click());
    expect(loaded).toEqual(body);
    await page.getByRole("heading", { name: "Start quotes" }).waitFor();
    expect(await page.getByLabel("Depth per side, USDT").inputValue()).toBe("400");

    await page.getByRole("button", { name: "Delete calm ETH" }).click();
    await page.getByText("Templates (1)").waitFor({ state: "detached" });
    await page.reload();
    await page.getByRole("heading", { name: "Start quotes" }).waitFor();
    expect(await page.getByText("Templates (").count()).toBe(0);
    expect(errors).toEqual([]);
    await context.close();
  });

  it("are replaced under the same name, and broken data in the browser hide none of the page", async () => {
    const { page, context, errors } = await served.signIn();
    await page.evaluate("localStorage.setItem('edgemaker.templates', '[{\"name\":1}, 7, null')");
    await page.goto(`${served.url}/#/start/two-sided`);
    await page.reload();
    await page.getByLabel("Spread between bid and ask, in percent").fill("2");
    await page.getByLabel("Quote per order").fill("100");
    for (const [size, said] of [
      ["100", "mine is saved."],
      ["150", "mine is replaced."],
    ] as const) {
      await page.getByLabel("Quote per order").fill(size);
      await page.getByLabel("Name of the template").fill("mine");
      await page.getByRole("button", { name: "Save as template" }).click();
      await page.getByText(said).waitFor();
    }
    await page.getByText("Templates (1), kept in this browser").click();
    await page.getByLabel("Quote per order").fill("7");
    await page.getByRole("button", { name: "Load mine" }).click();
    await expect.poll(() => page.getByLabel("Quote per order").inputValue()).toBe("150");
    expect(errors).toEqual([]);
    await context.close();
  });
});
