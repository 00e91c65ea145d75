import { expect, it } from "vitest";
import { findChromium } from "../support/browser.ts";
import { servedPage } from "../support/served.ts";

const served = servedPage(["--tick-interval", "3600000"]);

it.skipIf(!findChromium())("the page creates, changes, reports and ends an agreement", async () => {
  const { page, context, errors } = await served.signIn();
  await page.goto(`${served.url}/#/liquidity`);
  const form = page.getByRole("form", { name: "Terms of an agreement" });
  await form.getByLabel("Name").fill("desk");
  await form.getByLabel("Markets with their rules").fill("kraken:BTC/USDT depth=500, nowhere:A/B");
  await form.getByRole("button", { name: "Create agreement" }).click();
  await page.getByText(/markets must be different/).waitFor();
  await form.getByLabel("Markets with their rules").fill("kraken:BTC/USDT depth=500");
  await form.getByRole("button", { name: "Create agreement" }).click();
  const list = page.getByRole("table", { name: "Agreements" });
  await list.getByText("BTC/USDT on kraken").waitFor();
  expect(await list.innerText()).toMatch(/desk\s+active\s+\d{4}-\d\d-\d\d\s+no end/);
  const rules = page.getByRole("table", { name: "Rules of desk" });
  expect(await rules.innerText()).toMatch(/mean depth of own bids\s+unknown\s+unknown\s+500/);
  const costs = page.getByRole("table", { name: "What desk cost" });
  expect(await costs.innerText()).toMatch(/BTC\/USDT on kraken\s+unknown/);
  await form.getByLabel("Name").fill("desk");
  await form.getByLabel("Made with").fill("Snek Foundation");
  await form.getByRole("button", { name: "Change agreement" }).click();
  await list.getByText("Snek Foundation").waitFor();
  await form.getByLabel("Markets with their rules").fill("kraken:BTC/USDT depth=600");
  await form.getByRole("button", { name: "Change agreement" }).click();
  await rules.getByText("600").first().waitFor();
  await page.getByRole("button", { name: "End desk" }).click();
  await page.getByRole("button", { name: "End it today" }).click();
  await page.getByText(/The last day of desk is \d{4}-\d\d-\d\d, UTC\./).waitFor();
  const shown = await served.call<{ agreements: { until: string | null; version: number }[] }>(
    "GET",
    "/agreements?agreement=desk",
  );
  expect(shown.agreements.map(({ version, until }) => [version, until === null])).toEqual([[4, false]]);
  expect(errors.filter((error) => !error.includes("400"))).toEqual([]);
  await context.close();
});
