import { describe, expect, it } from "vitest";
import { findChromium, openPage } from "../support/browser.ts";
import { gridRequest } from "../support/requests.ts";
import { servedPage } from "../support/served.ts";
import { commandIn, newToken } from "../support/signed-in.ts";

const GRID = gridRequest({ lowerPrice: 50_000, upperPrice: 70_000, gridLevels: 10, orderSize: 100 });

describe.skipIf(!findChromium())("the page in Chromium (skipped without Chromium)", () => {
  const served = servedPage();

  it("signs a browser in with a printed link, once, and leaves no code in the address", async () => {
    const link = (await commandIn(served.folder, "page", "--sandbox")).trim();
    const first = await openPage(served.browser, served.url);
    await first.page.goto(link);
    await first.page.getByRole("heading", { name: "Strategies" }).waitFor();
    await first.page.waitForURL(`${served.url}/`);
    expect(first.errors).toEqual([]);
    expect(first.strangers).toEqual([]);

    const second = await openPage(served.browser, served.url);
    await second.page.goto(link);
    await second.page.getByRole("alert").getByText("this link was used").waitFor();
    await Promise.all([first.context.close(), second.context.close()]);
  });

  it("shows the response to a wrong token", async () => {
    const { page, context } = await openPage(served.browser, served.url);
    await page.goto(served.url);
    await page.getByLabel("API token").fill("em_wrong");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("this API token is unknown").waitFor();
    await context.close();
  });

  it("shows the total before the realized profit, with the kill switch and panic next to it", async () => {
    const { page, context, errors, strangers } = await served.signIn();
    await page.getByText("No strategy runs.").waitFor();
    const started = await served.server.ask("/api/v1/strategy/grid", {
      method: "POST",
      body: JSON.stringify(GRID),
    });
    expect(started.status).toBe(200);
    // No reload: what has happened comes by itself.
    await page.getByRole("link", { name: "BTC/USDT" }).waitFor();
    await expect
      .poll(() =>
        page
          .getByRole("region", { name: /^P&L in/ })
          .locator("dt")
          .allTextContents(),
      )
      .toEqual(["Total, USDT", "7 days", "Realized", "Unrealized", "vs buy and hold", "Capital"]);
    await page.getByRole("searchbox").fill("mexc");
    await page.getByText("No strategy matches the filter.").waitFor();

    const kill = page.getByRole("button", { name: /^Kill switch/ });
    await kill.click();
    await page.getByRole("dialog").getByText("No new order is placed").waitFor();
    expect(await (await served.server.ask("/api/v1/kill")).json()).toMatchObject({ on: false });
    await page.getByRole("button", { name: "Turn it on" }).click();
    await page.getByRole("status").getByText("the kill switch is on").waitFor();
    expect(await (await served.server.ask("/api/v1/kill")).json()).toMatchObject({ on: true });
    await page.getByRole("button", { name: "Kill switch is on" }).waitFor();
    expect(errors).toEqual([]);
    expect(strangers).toEqual([]);
    await context.close();
  });

  it("shows no controls that change anything to read-only users", async () => {
    const token = await newToken(served.folder, "read");
    const { page, context, errors } = await served.signIn({}, token);
    expect(await page.getByRole("button", { name: /kill|panic/i }).count()).toBe(0);
    expect(errors).toEqual([]);
    await context.close();
  });
});
