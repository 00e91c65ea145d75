import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findChromium } from "../support/browser.ts";
import { root } from "../support/bundle.ts";
import { gridRequest } from "../support/requests.ts";
import { servedPage } from "../support/served.ts";
import { makeFolder } from "../support/temp.ts";

const strategies = makeFolder();
mkdirSync(strategies.path, { recursive: true });
cpSync(join(root, "examples", "two-sided.ts"), join(strategies.path, "two-sided.ts"));

const PLACE = { exchange: "kraken", symbol: "BTC/USDT" };
const BUDGET = { quoteBudget: 300, baseBudget: 0.01, spread: 0.02, size: 100 };
const KINDS = [
  { table: "Running grids", kind: "grid", start: "/strategy/grid", body: gridRequest() },
  { table: "Running quotes", kind: "quote", start: "/strategy/quote", body: { ...PLACE, ...BUDGET } },
  {
    table: "Running strategies of your own",
    kind: "declared",
    start: "/strategy/declared/two-sided",
    body: { ...PLACE, ...BUDGET },
  },
];
const RUNNING = 120;

describe.skipIf(!findChromium())("a page with many strategies (skipped without Chromium)", () => {
  const served = servedPage(["--strategies", strategies.path]);

  it("draws the first 100 of each kind, and all on request", async () => {
    for (const { start, body } of KINDS) await served.call("POST", start, body);
    const { page, context, errors } = await served.signIn();
    for (const { kind } of KINDS)
      await page.route(`**/api/v1/strategy/${kind}/status*`, async (route) => {
        const response = await route.fetch();
        const status = (await response.json()) as { strategies: readonly { id: string }[] };
        const [first] = status.strategies;
        const rows = Array.from({ length: RUNNING }, (_, at) => ({ ...first, id: `${first?.id}${at}` }));
        await route.fulfill({ json: { ...status, strategies: first ? rows : [], count: RUNNING } });
      });
    await page.reload();
    for (const { table } of KINDS) {
      const rows = page.getByRole("table", { name: table }).locator("tbody tr");
      await rows.first().waitFor();
      expect({ table, rows: await rows.count() }).toEqual({ table, rows: 100 });
      const all = page
        .getByRole("region", { name: table })
        .getByRole("button", { name: `Show all ${RUNNING}` });
      await all.click();
      await expect.poll(() => rows.count()).toBe(RUNNING);
    }
    expect(errors).toEqual([]);
    await context.close();
  });
});
