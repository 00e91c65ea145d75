import { describe, expect, it } from "vitest";
import { findChromium } from "../support/browser.ts";
import { servedPage } from "../support/served.ts";

const KEK = Buffer.alloc(32, 5).toString("base64");

describe.skipIf(!findChromium())("administrator settings in Chromium (skipped without Chromium)", () => {
  const served = servedPage([], { EDGEMAKER_KEK: KEK });

  it("add a channel, show its error in the receiver's words, and remove it", async () => {
    const { page, context, errors, strangers } = await served.signIn();
    await page.getByRole("link", { name: "Settings" }).click();
    await page.getByText("There are no channels yet").waitFor();
    const form = page.getByRole("region", { name: "Add a channel" });
    await form.getByLabel("Name").fill("ops");
    await form.getByLabel("Kind").selectOption("webhook");
    // Nobody is at this name, ever (RFC 6761): what a test comes to then is told.
    await form.getByLabel("Address, https").fill("https://hooks.invalid/path-that-is-secret");
    await form.getByRole("button", { name: "Add channel" }).click();
    await form.getByText(/whsec_/).waitFor();
    const row = page.getByRole("row", { name: /^ops/ });
    await row.waitFor();
    await expect.poll(() => form.getByLabel("Address, https").inputValue()).toBe("");
    expect(await page.getByText("path-that-is-secret").count()).toBe(0);

    await row.getByRole("button", { name: "Test ops" }).click();
    await page.getByRole("button", { name: "Send it" }).click();
    await page.getByRole("dialog").getByText("ops did not get the message").waitFor();
    await page.getByRole("button", { name: "Go back" }).click();
    await row.getByText("failing").waitFor();
    await row.getByRole("button", { name: "Remove ops" }).click();
    await page.getByRole("button", { name: "Remove it" }).click();
    await page.getByRole("status").getByText("ops is removed.").waitFor();
    await page.getByText("There are no channels yet").waitFor();
    // That the test was refused is an answer, which Chromium calls an error of the console.
    expect(errors.filter((error) => !/status of 409/.test(error))).toEqual([]);
    expect(strangers).toEqual([]);
    await context.close();
  });

  it("warn of a loss limit that limits nothing", async () => {
    const { page, context } = await served.signIn();
    await served.call("PUT", "/limits", { scope: "every", strategyLoss: "USTD=100" });
    await page.goto(`${served.url}/#/limits`);
    const limits = page.getByRole("region", { name: "Current limits" });
    await limits
      .getByText(
        /^“Loss of one strategy” in USTD limits nothing now: no running strategy has this quote asset/,
      )
      .waitFor();
    await served.call("PUT", "/limits", { scope: "every", strategyLoss: "off" });
    await page.reload();
    await limits.getByRole("table").waitFor();
    expect(await limits.getByText("limits nothing now").count()).toBe(0);
    await context.close();
  });

  it("set a limit by asset in rows, name what is wrong beside its field, and turn it off", async () => {
    const { page, context, errors } = await served.signIn();
    await page.goto(`${served.url}/#/limits`);
    const form = page.getByRole("region", { name: "Change a limit" });
    const change = form.getByRole("button", { name: "Change" });
    const limits = async () =>
      (await served.call<{ limits: { scope: string; limits: Record<string, string> }[] }>("GET", "/limits"))
        .limits;
    await form.getByRole("combobox", { name: "Limit", exact: true }).selectOption({ label: "Largest order" });
    await form.getByLabel("Largest order 1, Amount").fill("500");
    await change.click();
    await form.getByText("Write an asset, such as USDT.").waitFor();
    await form.getByLabel("Largest order 1, Asset").fill("usdt");
    await form.getByRole("button", { name: "Add" }).click();
    await form.getByLabel("Largest order 2, Asset").fill("BTC");
    await form.getByLabel("Largest order 2, Amount").fill("0.1");
    await form.getByLabel("Scope").selectOption({ label: "Account kraken" });
    await change.click();
    await page.getByText("Largest order, account kraken: 500 USDT, 0.1 BTC.").waitFor();
    await page.getByRole("button", { name: "Change it" }).click();
    await expect
      .poll(async () => (await limits()).find(({ scope }) => scope === "account:kraken")?.limits)
      .toMatchObject({ orderNotional: "USDT=500,BTC=0.1" });
    await page.reload();
    await form.getByLabel("Scope").selectOption({ label: "Account kraken" });
    await form.getByLabel("Turn this limit off").click();
    await change.click();
    await page.getByRole("button", { name: "Change it" }).click();
    await expect
      .poll(
        async () => (await limits()).find(({ scope }) => scope === "account:kraken")?.limits.orderNotional,
      )
      .not.toBe("USDT=500,BTC=0.1");
    expect(errors).toEqual([]);
    await context.close();
  });

  it("create a token that is shown once, and revoke it", async () => {
    const { page, context, errors } = await served.signIn();
    await page.getByRole("link", { name: "Settings" }).click();
    await page.getByRole("link", { name: "Access" }).click();
    const form = page.getByRole("region", { name: "API tokens" }).first();
    await form.getByLabel("Purpose").fill("a screen");
    await form.getByLabel("Days").fill("7");
    await form.getByRole("button", { name: "Create a token" }).click();
    await page.getByRole("dialog").getByText("see everything and change nothing, for 7 days").waitFor();
    await page.getByRole("button", { name: "Create token" }).click();
    const token = (await page.getByRole("status").locator("code").textContent()) ?? "";
    expect(token).toMatch(/^em_\w{50}$/);
    const whose = async () =>
      (await served.server.ask("/api/v1/session", { headers: { authorization: `Bearer ${token}` } })).status;
    expect(await whose()).toBe(200);
    await page.getByRole("button", { name: "Revoke a screen" }).click();
    await page.getByRole("button", { name: "Revoke it" }).click();
    await page.getByText(token).waitFor({ state: "detached" });
    await page.getByText("a screen is revoked.").waitFor();
    expect(await whose()).toBe(401);
    await page.getByText("These exchanges are simulated").waitFor();
    expect(errors).toEqual([]);
    await context.close();
  });
});
