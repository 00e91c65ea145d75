import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findChromium } from "../support/browser.ts";
import { root } from "../support/bundle.ts";
import { servedPage } from "../support/served.ts";
import { startBody } from "../support/starts.ts";
import { makeFolder } from "../support/temp.ts";

const strategies = makeFolder();
mkdirSync(strategies.path, { recursive: true });
cpSync(join(root, "examples", "two-sided.ts"), join(strategies.path, "two-sided.ts"));

const MARKET = { exchange: "kraken", symbol: "BTC/USDT" };
const BUDGET = { quoteBudget: 1000, baseBudget: 0.05 };
const STARTS = {
  grid: [
    "strategy",
    startBody("grid", {
      ...MARKET,
      lowerPrice: 57_000,
      upperPrice: 63_000,
      gridLevels: 6,
      orderSize: 100,
      trail: { up: 70_000 },
      stopLossPrice: 50_000,
    }),
  ],
  "centered grid": ["strategy", startBody("centered", { ...MARKET, levels: 2, spacing: 0.01, size: 50 })],
  quotes: ["strategy", startBody("quote", { ...MARKET, ...BUDGET, spreadPercent: 2, size: 100, levels: 2 })],
  "strategy of one's own": [
    "strategy",
    startBody("two-sided", {
      ...MARKET,
      ...BUDGET,
      spreadPercent: 2,
      size: 90,
      stopLossPrice: 30_000,
      maxLoss: 500,
      endsAt: "2040-01-31",
    }),
  ],
} as const;

interface Status {
  readonly status: string;
  readonly openOrders: number;
  readonly startAgain: Readonly<Record<string, unknown>>;
}

describe.skipIf(!findChromium())("a clone on the page (skipped where there is no Chromium)", () => {
  const served = servedPage(["--strategies", strategies.path]);

  it.each(Object.entries(STARTS))(
    "starts a stopped %s with the same settings",
    async (_what, [path, body]) => {
      const { id } = await served.call<{ id: string }>("POST", "/strategies", body);
      const first = await served.call<Status>("GET", `/strategies/${id}`);
      const { page, context, errors } = await served.signIn();
      await page.goto(`${new URL(page.url()).origin}/#/${path}/${id}`);
      await page.getByRole("button", { name: "Clone", exact: true }).waitFor();
      await served.call("POST", `/strategies/${id}/stop`, {});
      await page.getByRole("button", { name: "Start again", exact: true }).click();
      await page.getByRole("heading", { name: /^Start the same .+ again$/ }).waitFor();
      // Only names that are words, as everywhere on the page.
      const labels = await page.locator("main label").allInnerTexts();
      expect(labels.filter((label) => /(?<![“\w])[a-z]+[A-Z]/.test(label))).toEqual([]);
      await page.getByRole("button", { name: /^Start: / }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Start it" }).click();
      await page.getByRole("button", { name: "Pause", exact: true }).waitFor();
      const second = decodeURIComponent(page.url().split("/").at(-1) ?? "");
      expect(second).not.toBe(id);
      const now = await served.call<Status>("GET", `/strategies/${second}`);
      expect(now).toMatchObject({ status: "running", startAgain: first.startAgain });
      expect(now.openOrders).toBeGreaterThan(0);
      expect(errors).toEqual([]);
      await served.call("POST", `/strategies/${second}/stop`, {});
      await context.close();
    },
  );

  it("starts what the form was changed to", async () => {
    const { id } = await served.call<{ id: string }>("POST", "/strategies", STARTS.grid[1]);
    const { page, context, errors } = await served.signIn();
    await page.goto(`${new URL(page.url()).origin}/#/clone/${id}`);
    await page.getByLabel("Exchange").selectOption("mexc");
    await page.getByLabel("Per order").fill("40");
    await page.getByRole("button", { name: /^Start: / }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Start it" }).click();
    await page.getByRole("button", { name: "Pause", exact: true }).waitFor();
    const second = decodeURIComponent(page.url().split("/").at(-1) ?? "");
    const { startAgain } = await served.call<Status>("GET", `/strategies/${second}`);
    const { config } = STARTS.grid[1];
    expect(startAgain).toMatchObject({ exchange: "mexc", config: { ...config, orderSize: 40 } });
    expect(errors).toEqual([]);
    await context.close();
  });
});
