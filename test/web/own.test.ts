import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findChromium, holdRequests } from "../support/browser.ts";
import { root } from "../support/bundle.ts";
import { servedPage } from "../support/served.ts";
import { makeFolder } from "../support/temp.ts";

const strategies = makeFolder();
mkdirSync(strategies.path, { recursive: true });
for (const name of ["two-sided.ts", "ladder.ts"])
  cpSync(join(root, "examples", name), join(strategies.path, name));

describe.skipIf(!findChromium())(
  "your own strategies on the page (skipped where there is no Chromium)",
  () => {
    const served = servedPage(["--strategies", strategies.path]);

    it("start from a form of their config, after their plan was shown and confirmed", async () => {
      const { page, context, errors, strangers } = await served.signIn();
      await page.getByRole("link", { name: "Start", exact: true }).click();
      await page.getByRole("link", { name: "two-sided" }).click();
      await page.getByRole("heading", { name: "Start two-sided" }).waitFor();
      await page.getByText("Still missing: ").waitFor();
      await page.getByLabel("Exchange").selectOption("kraken");
      await page.getByLabel("Spread between bid and ask, in percent").fill("2");
      await page.getByLabel("Quote per order").fill("100");
      await page.getByLabel("Quote budget, USDT").fill("1000");
      await page.getByLabel("Base budget, BTC").fill("0.1");
      const plan = page.getByRole("table", { name: "Orders of the plan" });
      await plan.getByText("bid").waitFor();
      await plan.getByText("ask").waitFor();
      await page.getByRole("button", { name: /^Start: / }).click();
      await page.getByRole("dialog").getByText("2 orders are placed now").waitFor();
      expect((await served.call<{ count: number }>("GET", "/strategies")).count).toBe(0);
      await page.getByRole("button", { name: "Start it" }).click();
      const tab = (name: string) => page.locator("main").getByRole("link", { name, exact: true }).click();
      const open = page.getByRole("region", { name: "Open orders" });
      await tab("Orders and fills");
      await open.getByText("bid").waitFor();
      await open.getByText("ask").waitFor();
      expect((await served.call<{ count: number }>("GET", "/strategies")).count).toBe(1);
      await tab("Settings");
      await page
        .locator("main")
        .getByRole("row", { name: "Spread between bid and ask, in percent 2" })
        .waitFor();
      await page.getByLabel("Name of the strategy").fill("two words");
      await page.getByRole("button", { name: "Rename" }).click();
      await page.getByRole("alert").getByText("name must have 1 to 40 characters").waitFor();
      await page.getByLabel("Name of the strategy").fill("desk");
      await page.getByRole("button", { name: "Rename" }).click();
      await page.getByRole("heading", { name: /^desk two-sided, BTC\/USDT on kraken/ }).waitFor();
      await page.getByRole("link", { name: "Strategies" }).click();
      await page.getByLabel("Totals in USDT").getByText("Total, USDT").waitFor();
      await page.getByRole("link", { name: "desk" }).click();
      const answer = async (button: string, yes: string, pattern: RegExp) => {
        await page.getByRole("button", { name: button, exact: true }).click();
        const dialog = page.getByRole("dialog");
        await dialog.getByRole("button", { name: yes, exact: true }).click();
        await page.getByRole("status").getByText(pattern).first().waitFor();
        await dialog.waitFor({ state: "detached" });
      };
      await page.getByRole("button", { name: "Edit" }).click();
      const edit = page.getByRole("region", { name: "Change this strategy" });
      await edit.getByLabel("Spread between bid and ask, in percent").fill("-1");
      await edit
        .getByRole("alert")
        .getByText(/“Spread between bid and ask”: /)
        .waitFor();
      await edit.getByLabel("Spread between bid and ask, in percent").fill("4");
      await edit
        .getByRole("table", { name: "Changes" })
        .getByRole("row", { name: "Spread between bid and ask, in percent 2 4" })
        .waitFor();
      const before = (await served.call<{ orders: object[] }>("GET", "/orders?exchange=kraken")).orders;
      await answer("Change exactly as planned", "Change it", /is changed/);
      const after = (await served.call<{ orders: object[] }>("GET", "/orders?exchange=kraken")).orders;
      expect(after).toHaveLength(before.length);
      expect(after).not.toEqual(before);
      await tab("Orders and fills");
      await answer("Pause", "Pause it", /is paused/);
      await page.getByText("There are no open orders.").waitFor();
      await answer("Resume", "Resume it", /is resumed/);
      await open.getByText("bid").waitFor();
      await answer("Stop", "Stop it", /is stopped/);
      expect(errors.filter((error) => !/status of 400/.test(error))).toEqual([]);
      expect(strangers).toEqual([]);
      await context.close();
    });

    it("offer a list of exchanges before it is loaded, and keep the choice", async () => {
      const { page, context } = await served.signIn();
      const release = await holdRequests(page, "**/api/v1/exchanges");
      await page.goto(`${served.url}/#/start/two-sided`);
      const exchange = page.getByRole("combobox", { name: "Exchange" });
      await exchange.waitFor();
      release();
      await exchange.selectOption("kraken");
      await page.getByLabel("Quote per order").fill("100");
      expect(await exchange.inputValue()).toBe("kraken");
      await context.close();
    });

    it("keep no budget of another pair, and start no form whose plan loads", async () => {
      const { page, context } = await served.signIn();
      await page.goto(`${served.url}/#/start/two-sided`);
      await page.getByLabel("Spread between bid and ask, in percent").fill("2");
      await page.getByLabel("Quote per order").fill("100");
      await page.getByLabel("Quote budget, USDT").fill("500");
      await page.getByLabel("Base budget, BTC").fill("0.1");
      const button = page.getByRole("button", { name: /^Start: / });
      await expect.poll(() => button.isEnabled()).toBe(true);
      const release = await holdRequests(page, "**/strategies/preview", 1);
      const asked = page.waitForRequest("**/strategies/preview");
      await page.getByLabel("Pair").fill("ETH/BTC");
      await asked;
      expect(await button.isDisabled()).toBe(true);
      release();
      expect(await page.getByLabel("Quote budget, BTC").inputValue()).toBe("");
      await page.getByLabel("Pair").fill("ETH/USDT");
      expect(await page.getByLabel("Quote budget, USDT").inputValue()).toBe("500");
      expect(await page.getByLabel("Base budget, ETH").inputValue()).toBe("");
      await context.close();
    });

    it("show defaults of their config, and what the server refuses", async () => {
      const { page, context, errors } = await served.signIn();
      await page.goto(`${served.url}/#/start/ladder`);
      await page.getByText("Default 1.2").waitFor();
      await page.getByLabel("Quote of the first buy").fill("-5");
      await page.getByRole("alert").getByText(/size/i).waitFor();
      expect(errors.filter((error) => !/status of 400/.test(error))).toEqual([]);
      await context.close();
    });
  },
);
