import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { findChromium, holdRequests } from "../support/browser.ts";
import { servedPage } from "../support/served.ts";

describe.skipIf(!findChromium())("the backtest page in Chromium (skipped without Chromium)", () => {
  const served = servedPage();

  it("runs grids side by side, keeps them for the tab, and saves a self-contained report", async () => {
    const { page, context, errors, strangers } = await served.signIn();
    await page.getByRole("link", { name: "Backtest", exact: true }).click();
    await page.getByText("No backtests yet").waitFor();
    for (const levels of ["10", "20"]) {
      await page.getByLabel("Lower price, USDT").fill("50000");
      await page.getByLabel("Upper price, USDT").fill("70000");
      await page.getByLabel("Levels, 2 to 100").fill(levels);
      await page.getByLabel("Per order, USDT").fill("100");
      const answered = page.waitForResponse("**/api/v1/backtest");
      await page.getByRole("button", { name: "Run it" }).click();
      const result = (await (await answered).json()) as { total: string; cycles: number };
      const card = page.getByRole("region", {
        name: `BTC/USDT 50,000 – 70,000, ${levels} levels of 100, 15m`,
      });
      await card.getByRole("img", { name: /^Final equity .* %, buy and hold at/ }).waitFor();
      const names = await card.locator("dt").allTextContents();
      expect(names.slice(0, 4)).toEqual([
        "Total, USDT",
        "Return on investment",
        "vs buy and hold",
        "Max drawdown",
      ]);
      const shown = Number((await card.locator("dd").first().textContent())?.replace("−", "-"));
      expect(shown).toBeCloseTo(Number(result.total), 1);
      expect(await card.locator("dd").nth(names.indexOf("Cycles")).textContent()).toBe(String(result.cycles));
    }
    await page.reload();
    const cards = page.getByRole("group", { name: "Runs" }).getByRole("region");
    await cards.first().waitFor();
    await expect.poll(() => cards.count()).toBe(2);

    const save = async (card: number) => {
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        cards.nth(card).getByRole("button", { name: "Save report" }).click(),
      ]);
      return download;
    };
    const [other, saved] = [await save(1), await save(0)];
    expect([other, saved].map((one) => one.suggestedFilename().replace(/-\w{8}\.html$/, ""))).toEqual([
      "simulated-backtest-BTC-USDT-50000-70000-10-levels-15m",
      "simulated-backtest-BTC-USDT-50000-70000-20-levels-15m",
    ]);
    const file = join(served.folder, "report.html");
    await saved.saveAs(file);
    const report = await context.newPage();
    const requests: string[] = [];
    report.on("request", (request) => requests.push(request.url()));
    await report.goto(pathToFileURL(file).href);
    await report.getByRole("heading", { name: "BTC/USDT at" }).waitFor();
    expect(requests).toEqual([pathToFileURL(file).href]);
    await report.close();

    await page.getByRole("button", { name: /^Remove BTC\/USDT .* 20 levels/ }).click();
    await expect.poll(() => cards.count()).toBe(1);
    await page.getByRole("link", { name: "Use these settings" }).click();
    await page.getByRole("heading", { name: "Start a grid" }).waitFor();
    await expect.poll(() => page.getByLabel("Levels, 2 to 100").inputValue()).toBe("10");
    await page.getByRole("button", { name: /^Start: / }).waitFor();
    expect(errors).toEqual([]);
    expect(strangers).toEqual([]);
    await context.close();
  });

  it("shows the evidence for a grid before it offers one, and opens it in a backtest and in Start", async () => {
    const { page, context, errors } = await served.signIn();
    await page.goto(`${served.url}/#/backtest`);
    // Of a price that began below a grid nothing could be placed without its base.
    await page
      .getByRole("group", { name: "Buy missing base at once" })
      .getByRole("button", { name: "Yes" })
      .click();
    const answered = page.waitForResponse("**/suggest");
    await page.getByRole("button", { name: "Find settings" }).click();
    const result = (await (await answered).json()) as Suggested;
    const part = page.getByRole("region", { name: "Suggest" });
    const verdict = part.getByText(result.verdict, { exact: false }).first();
    await verdict.waitFor();
    for (const reason of result.reasons) await part.getByText(reason.slice(1)).waitFor();
    await part.getByText("Probability of overfitting (PBO)").waitFor();
    await part
      .getByText(`${(result.overfitting * 100).toFixed(1)} %`)
      .first()
      .waitFor();
    await part.getByText("Deflated Sharpe ratio, 95 % needed").waitFor();
    await part.getByText("Plateau, 0.5 needed").waitFor();
    await part.getByText(`in ${result.windows.length} windows`).waitFor();

    await part.getByRole("button", { name: "Backtest it" }).first().click();
    await page
      .getByRole("group", { name: "Runs" })
      .getByRole("img", { name: /^Final equity/ })
      .waitFor();
    await part.getByRole("link", { name: "Use these settings" }).first().click();
    await page.getByRole("heading", { name: "Start a grid" }).waitFor();
    const [first] = result.best;
    await expect
      .poll(() => page.getByLabel("Lower price, USDT").inputValue())
      .toBe(String(first?.lowerPrice));
    await expect.poll(() => page.getByLabel("Per order, USDT").inputValue()).toBe(String(first?.orderSize));
    expect(errors).toEqual([]);
    await context.close();
  });

  it("runs every definition, each with its own settings in the title", async () => {
    const { page, context, errors } = await served.signIn();
    await page.goto(`${served.url}/#/backtest/quote`);
    await page.getByText(/^To run it, fill in: /).waitFor();
    await page.getByLabel("Depth per side, USDT").fill("500");
    const asked = page.waitForRequest("**/api/v1/backtest");
    await page.getByRole("button", { name: "Run it" }).click();
    expect((await asked).postDataJSON()).toMatchObject({ definition: "quote", symbol: "BTC/USDT" });
    await page.getByRole("region", { name: /^BTC\/USDT quotes, .*, 15m$/ }).waitFor();
    await page.getByRole("link", { name: "Centered grid" }).click();
    await page.locator("a[aria-current=page]", { hasText: "Centered grid" }).waitFor();
    await page.getByRole("button", { name: "Run it" }).click();
    const card = page.getByRole("region", { name: /^BTC\/USDT centered grid, .*, 15m$/ });
    await card.getByRole("img", { name: /^Final equity/ }).waitFor();
    expect(await page.getByRole("button", { name: "Find settings" }).count()).toBe(0);
    await card.getByRole("link", { name: "Use these settings" }).click();
    await page.getByRole("heading", { name: "Start a centered grid" }).waitFor();
    await page.getByRole("button", { name: /^Start: / }).waitFor();
    expect(errors).toEqual([]);
    await context.close();
  });

  it("offers no search before a pair is filled in", async () => {
    const { page, context } = await served.signIn();
    const release = await holdRequests(page, "**/api/v1/balance*");
    await page.goto(`${served.url}/#/backtest`);
    await expect.poll(() => page.getByLabel("Exchange").inputValue()).not.toBe("");
    const search = page.getByRole("button", { name: "Find settings" });
    expect(await search.isEnabled()).toBe(false);
    release();
    await expect.poll(() => search.isEnabled()).toBe(true);
    await context.close();
  });

  it("shows the service's own words for a suggestion without evidence", async () => {
    const { page, context } = await served.signIn();
    await page.goto(`${served.url}/#/backtest`);
    // Which past speaks for a grid is the market's: here is one that speaks for none.
    await page.route("**/suggest", (route) => route.fulfill({ json: nothing }));
    await page.getByRole("button", { name: "Find settings" }).click();
    await page.getByText("No grid is better than chance.").waitFor();
    await page.getByText("Luck among so many trials can explain the best one").waitFor();
    await page.getByText("62.5 %").waitFor();
    await page.getByRole("table", { name: "Best grids on past prices, none better than chance" }).waitFor();
    await context.close();
  });
});

interface Suggested {
  readonly verdict: string;
  readonly reasons: readonly string[];
  readonly overfitting: number;
  readonly windows: readonly unknown[];
  readonly best: readonly { readonly lowerPrice: number; readonly orderSize: number }[];
}

const one = {
  lowerPrice: 50_000,
  upperPrice: 70_000,
  gridLevels: 10,
  orderSize: 100,
  spacingModel: "linear",
  meanReturn: 0.01,
  worstReturn: -0.02,
  returns: [0.01, -0.02],
  sharpe: 1,
  deflatedSharpe: 0.4,
  plateau: 0.3,
  lastReturn: -0.01,
  lastCycles: 12,
};
const nothing = {
  exchange: "mexc",
  symbol: "BTC/USDT",
  budget: 1000,
  bars: 5760,
  verdict: "no grid is better than chance",
  note: "where the price has no drift, a grid earns nothing on average",
  reasons: ["luck among so many trials can explain the best one"],
  hasWinner: false,
  overfitting: 0.625,
  looked: 2000,
  refused: 16,
  complete: true,
  windows: [{ from: 0, until: 1 }],
  best: [one],
};
