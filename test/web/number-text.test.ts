import { describe, expect, it } from "vitest";
import { typedNumber } from "../../src/web/format.ts";
import { findChromium } from "../support/browser.ts";
import { servedPage } from "../support/served.ts";

const HINT = "Write 1500 or 1234.5, without a separator for thousands.";

describe("the text of a number", () => {
  it.each([
    ["1,5", "1.5"],
    ["57000,5", "57000.5"],
    ["0,001", "0.001"],
    [",25", ".25"],
    ["1,2345", "1.2345"],
    ["1.5", "1.5"],
    ["1.234,5", "1234.5"],
    ["1,234.5", "1234.5"],
    ["1,234,567", "1234567"],
    [" 12 ", "12"],
    ["-1,5", "-1.5"],
  ])("reads %s as %s", (typed, read) => {
    expect(typedNumber(typed)).toBe(read);
  });

  it.each(["1,500", "1,5,0", "1.2.3", "12a", "1 500"])("does not guess what %s is", (typed) => {
    expect(Number(typedNumber(typed))).toBeNaN();
  });
});

describe.skipIf(!findChromium())("numbers on the page in Chromium (skipped without Chromium)", () => {
  const served = servedPage(["--tick-interval", "3600000"]);

  it.each([
    ["start", "Lower price, USDT"],
    ["start", "Budget, USDT"],
    ["backtest", "Budget, USDT"],
    ["start/quote", "Depth per side, USDT"],
    ["compare", "Amount, BTC"],
  ])("of #/%s: %s takes 1,5 and says how to write 1,500", async (route, label) => {
    const { page, context } = await served.signIn();
    await page.goto(`${served.url}/#/${route}`);
    const field = page.getByLabel(label).first();
    await field.fill("1,500");
    await page.getByText(HINT).waitFor();
    expect(await field.getAttribute("aria-invalid")).toBe("true");
    for (const taken of ["1,5", "1.5"]) {
      await field.fill(taken);
      await page.getByText(HINT).waitFor({ state: "detached" });
      expect([await field.inputValue(), await field.getAttribute("aria-invalid")]).toEqual([taken, null]);
    }
    await context.close();
  });

  it("are sent with a point", async () => {
    const { page, context } = await served.signIn();
    await page.goto(`${served.url}/#/start/quote`);
    await page.getByLabel("Depth per side, USDT").fill("500");
    const sent = page.waitForRequest(
      (request) => request.url().endsWith("/preview") && request.postDataJSON().config.spreadPercent === 2.5,
    );
    await page.getByLabel("Spread between bid and ask, %").fill("2,5");
    expect((await sent).postDataJSON()).toMatchObject({ config: { depth: 500 } });
    await context.close();
  });
});
