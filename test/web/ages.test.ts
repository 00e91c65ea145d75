import { describe, expect, it } from "vitest";
import { findChromium } from "../support/browser.ts";
import { servedPage } from "../support/served.ts";

describe.skipIf(!findChromium())("ages of figures in Chromium (skipped without Chromium)", () => {
  const served = servedPage(["--tick-interval", "3600000"]);

  it.each([
    ["account/kraken", "Balances"],
    ["account/kraken", "Open orders"],
    ["compare", "Prices"],
  ])("on #/%s: %s shows when it was loaded, also while the server fails", async (route, name) => {
    const { page, context } = await served.signIn();
    await page.clock.install();
    await page.goto(`${served.url}/#/${route}`);
    const part = page.getByRole("region", { name, exact: true });
    await part.getByText(/^Loaded .+ ago$/).waitFor();
    const paths = /\/api\/v1\/(balance|orders|price\/compare)/;
    await page.route(paths, (answered) =>
      answered.fulfill({ status: 503, json: { error: "Not ready", message: "the database is away" } }),
    );
    await page.clock.fastForward(600_000);
    await part.getByText(/^Loaded 1\d min/).waitFor();
    const button =
      route === "compare"
        ? page.getByRole("button", { name: "Compare" })
        : part.getByRole("button", { name: "Refresh" });
    await button.click();
    await page.getByText("the database is away").first().waitFor();
    expect(await part.getByText(/^Loaded 1\d min/).count()).toBe(1);
    await context.close();
  });
});
