import { describe, expect, it } from "vitest";
import { findChromium } from "../support/browser.ts";
import { servedPage } from "../support/served.ts";

const HINT = "Write numbers as 1234.5: a point for decimals, and no other separators.";

describe.skipIf(!findChromium())("numbers on the page in Chromium (skipped without Chromium)", () => {
  const served = servedPage(["--tick-interval", "3600000"]);

  it.each([
    ["start", "Lower price, USDT", "57000,5", "57000.5"],
    ["start", "Budget, USDT", "1,5", "1.5"],
    ["backtest", "Budget", "1,5", "1.5"],
    ["start-quotes", "Depth per side, USDT", "1,5", "1.5"],
    ["compare", "Amount, BTC", "1,5", "1.5"],
  ])("of #/%s: %s says how to write %s", async (route, label, comma, point) => {
    const { page, context } = await served.signIn();
    await page.goto(`${served.url}/#/${route}`);
    const field = page.getByLabel(label).first();
    await field.fill(comma);
    await page.getByText(HINT).waitFor();
    expect(await field.getAttribute("aria-invalid")).toBe("true");
    await field.fill(point);
    await page.getByText(HINT).waitFor({ state: "detached" });
    expect(await field.inputValue()).toBe(point);
    await context.close();
  });
});
