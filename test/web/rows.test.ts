import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findChromium } from "../support/browser.ts";
import { root } from "../support/bundle.ts";
import { gridRequest } from "../support/requests.ts";
import { servedPage } from "../support/served.ts";
import { startOf } from "../support/starts.ts";
import { makeFolder } from "../support/temp.ts";

const strategies = makeFolder();
mkdirSync(strategies.path, { recursive: true });
cpSync(join(root, "examples", "two-sided.ts"), join(strategies.path, "two-sided.ts"));

const PLACE = { exchange: "kraken", symbol: "BTC/USDT" };
const BUDGET = { quoteBudget: 300, baseBudget: 0.01, spreadPercent: 2, size: 100 };
const STARTS = [
  startOf("grid", gridRequest()),
  startOf("quote", { ...PLACE, ...BUDGET }),
  startOf("two-sided", { ...PLACE, ...BUDGET }),
];
const RUNNING = 120;

describe.skipIf(!findChromium())("a page with many strategies (skipped without Chromium)", () => {
  const served = servedPage(["--strategies", strategies.path]);

  it("draws the first 100 of all kinds, none cut off, and all on request", async () => {
    for (const start of STARTS) await served.call("POST", ...start);
    const { page, context, errors } = await served.signIn();
    await page.route("**/api/v1/strategies", async (route) => {
      const response = await route.fetch();
      const list = (await response.json()) as { strategies: readonly { id: string }[] };
      const strategies = list.strategies.flatMap((row) =>
        Array.from({ length: RUNNING / STARTS.length }, (_, at) => ({ ...row, id: `${row.id}${at}` })),
      );
      await route.fulfill({ json: { ...list, strategies, count: RUNNING } });
    });
    await page.reload();
    const rows = page.getByRole("table", { name: "Active strategies" }).locator("tbody tr");
    await rows.first().waitFor();
    expect(await rows.count()).toBe(100);
    await page.getByRole("heading", { name: `Active (${RUNNING})` }).waitFor();
    const group = page.getByRole("group", { name: "Active strategies" });
    const hidden = await group.evaluate((part) => part.scrollHeight - part.clientHeight);
    expect(hidden).toBe(0);
    await page
      .getByRole("group", { name: "Active strategies" })
      .getByRole("button", { name: `Show all ${RUNNING}` })
      .click();
    await expect.poll(() => rows.count()).toBe(RUNNING);
    expect(errors).toEqual([]);
    await context.close();
  });
});
