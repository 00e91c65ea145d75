import { expect, it } from "vitest";
import { findChromium } from "../support/browser.ts";
import { servedPage } from "../support/served.ts";

const served = servedPage(["--tick-interval", "3600000"]);

it.skipIf(!findChromium())("the page creates, changes, reports and ends an agreement", async () => {
  const { page, context, errors } = await served.signIn();
  await page.goto(`${served.url}/#/liquidity`);
  const form = page.getByRole("form", { name: "Terms of an agreement" });
  const create = form.getByRole("button", { name: "Create agreement" });
  await create.click();
  await form.getByText("Add a market.").waitFor();
  expect(await form.getByText(/^Begin with a letter/).count()).toBe(1);
  await form.getByLabel("Name").fill("desk");
  await form.getByRole("button", { name: "Add a market" }).click();
  await form.getByLabel("Market 1, Exchange").selectOption("kraken");
  await form.getByLabel("Market 1, Pair").fill("BTC");
  await form.getByLabel("Market 1, Depth per side").fill("-5");
  await create.click();
  // What is wrong stands with its field.
  const pair = form.locator("label", { hasText: "Pair" });
  expect(await pair.getByRole("status").innerText()).toBe("Write a pair, such as BTC/USDT.");
  await form.getByText("Write an amount, such as 500.").waitFor();
  await form.getByLabel("Market 1, Pair").fill("btc/usdt");
  await form.getByLabel("Market 1, Depth per side").fill("500");
  expect(await form.getByRole("status").count()).toBe(0);
  await create.click();
  const list = page.getByRole("table", { name: "Agreements" });
  await list.getByText("BTC/USDT on kraken").waitFor();
  await page.getByText("The agreement desk is created.").waitFor();
  expect(await list.innerText()).toMatch(/desk\s+active\s+\d{4}-\d\d-\d\d\s+no end/);
  const rules = page.getByRole("table", { name: "Rules of desk" });
  expect(await rules.innerText()).toMatch(/mean depth of own bids\s+unknown\s+unknown\s+500/);
  const costs = page.getByRole("table", { name: "What desk cost" });
  expect(await costs.innerText()).toMatch(/BTC\/USDT on kraken\s+unknown/);
  await form.getByLabel("Name").fill("desk");
  await create.click();
  await form.getByText("Another agreement has this name.").waitFor();
  const edit = list.getByRole("button", { name: "Edit desk" });
  await edit.click();
  expect(await form.getByLabel("Market 1, Depth per side").inputValue()).toBe("500");
  expect(await form.getByLabel("Market 1, Uptime at least").inputValue()).toBe("90");
  await form.getByLabel("Made with").fill("Snek Foundation");
  await form.getByRole("button", { name: "Change agreement" }).click();
  await list.getByText("Snek Foundation").waitFor();
  await edit.click();
  await form.getByLabel("Market 1, Depth per side").fill("600");
  await form.getByRole("button", { name: "Add a market" }).click();
  await form.getByLabel("Market 2, Pair").fill("ETH/USDT");
  await form.getByRole("button", { name: "Add rules" }).click();
  await form.getByLabel("All markets of a pair together 1, Uptime").fill("95");
  await form.getByRole("button", { name: "Change agreement" }).click();
  await rules.getByText("600").first().waitFor();
  await edit.click();
  await form.getByRole("button", { name: "Remove Market 2" }).click();
  await form.getByRole("button", { name: "Remove All markets" }).click();
  await form.getByRole("button", { name: "Change agreement" }).click();
  await expect.poll(async () => (await agreement())?.version).toBe(4);
  expect(await agreement()).toMatchObject({
    text: {
      markets: "kraken:BTC/USDT agreement spread=2 depth=600 band=2 levels=1 uptime=90",
      total: null,
    },
    counterparty: "Snek Foundation",
    until: null,
  });
  await page.getByRole("button", { name: "End desk" }).click();
  await page.getByRole("button", { name: "End it today" }).click();
  await page.getByText(/The last day of desk is \d{4}-\d\d-\d\d, UTC\./).waitFor();
  expect(await agreement()).toMatchObject({ version: 5, until: expect.any(String) });
  expect(errors).toEqual([]);
  await context.close();
});

interface Shown {
  readonly version: number;
  readonly until: string | null;
  readonly text: Readonly<Record<"markets" | "total", string | null>>;
}

async function agreement(): Promise<Shown | undefined> {
  const { agreements } = await served.call<{ agreements: Shown[] }>("GET", "/agreements?agreement=desk");
  return agreements[0];
}
