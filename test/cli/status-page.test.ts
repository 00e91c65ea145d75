import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { nodeLocal } from "../../cli/host/process/node-local.ts";
import { DAY, MINUTE } from "../../src/kernel/time.ts";
import { createLiquidityStore } from "../../src/liquidity/store/store.ts";
import { dateOf } from "../../src/model/limits.ts";
import { openDatabase } from "../../src/storage/client/safe-client.ts";
import { findChromium, openPage, startBrowser } from "../support/browser.ts";
import { edgemaker } from "../support/command.ts";
import { connectionTo } from "../support/connection.ts";
import { d } from "../support/grid.ts";
import { liquidityMinute } from "../support/liquidity-minute.ts";
import { migrations } from "../support/migrations.ts";
import { withinOneDay } from "../support/one-day.ts";
import { tempFolder } from "../support/temp.ts";

const PAIR = { exchange: "kraken", symbol: "BTC/USDT" } as const;
const SECRET = "c0ffee".repeat(8);
const DEPTH = d("987654.321");
const WATCHED = {
  EDGEMAKER_LIQUIDITY: "kraken:BTC/USDT agreement spread=2 depth=123456 uptime=90, mexc:ETH/USDT",
  EDGEMAKER_KEK: SECRET.slice(0, 64).padEnd(64, "0"),
  KRAKEN_API_KEY: SECRET,
  KRAKEN_SECRET: SECRET,
};

/** A folder with a database that has samples of two days. */
async function sampled() {
  await withinOneDay();
  const folder = tempFolder();
  const url = `file:${join(folder, "status.db")}`;
  const client = connectionTo(url);
  const context = await openDatabase({ client, local: nodeLocal, migrations, kind: "sandbox" });
  const store = createLiquidityStore(context);
  const today = Math.floor(Date.now() / DAY);
  const depths = [DEPTH, DEPTH, DEPTH] as const;
  const ownDepth = { bids: depths, asks: depths };
  for (const day of [today - 3, today - 1, today])
    for (let minute = 0; minute < 4; minute++) {
      const ownSpread = day === today - 1 && minute === 0 ? null : d("0.0123");
      const at = (day * DAY) / MINUTE + minute;
      await store.keep(PAIR, liquidityMinute({ minute: at, ownSpread, ownDepth }));
    }
  context.client.close();
  const build = (...flags: string[]) =>
    edgemaker(folder, ["status-page", "build", "--db", url, "--sandbox", ...flags], WATCHED);
  const page = (out = "status-page") => readFileSync(join(folder, out, "index.html"), "utf8");
  return { folder, build, page, today };
}

describe("the status page", () => {
  it("shows obligations and uptime, and no amount, secret or script", async () => {
    const { folder, build, page, today } = await sampled();
    expect(await build("--maker", "Snek & Co")).toMatchObject({ code: 0, stderr: "" });
    const html = page();
    for (const text of ["Snek &amp; Co: liquidity status", "BTC/USDT on kraken", "ETH/USDT on mexc"])
      expect(html).toContain(text);
    expect(html).toMatch(/<b>(87.50|9\d.\d\d) %<\/b>/);
    expect(html).toContain(`${dateOf(today - 1)}: 75.00 %`);
    for (const hidden of [SECRET, "987654", "987,654", "123456", "123,456", "<script"])
      expect([hidden, html.includes(hidden)]).toEqual([hidden, false]);
    // Nothing else is left beside it.
    expect(readdirSync(join(folder, "status-page"))).toEqual(["index.html"]);
    await build("--amounts", "--out", "with");
    expect(page("with")).not.toContain(SECRET);
    // In the first minutes of a day, today has no data.
    expect(page("with").includes("123,456.00 USDT")).toBe(page("with").includes("mean depth of own bids"));
    expect(html).not.toContain("mean depth");
  });

  it("says no data where nothing was sampled, and never 0 %", async () => {
    const { build, page, today } = await sampled();
    await build();
    expect(page()).toContain(`${dateOf(today - 2)}: no data`);
    expect(page().match(/: no data</g)?.length).toBeGreaterThan(170);
    expect(page()).toContain("No data.");
    expect(page()).not.toMatch(/\b0(\.00)? %/);
  });

  it("replaces an earlier page, and nobody's own", async () => {
    const { folder, build, page } = await sampled();
    await build();
    const first = page();
    expect((await build("--maker", "Other")).code).toBe(0);
    expect(page()).not.toBe(first);
    writeFileSync(join(folder, "status-page", "index.html"), "<h1>mine</h1>");
    const refused = await build();
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringMatching(/is not a status page; choose another folder with --out/),
    ]);
    expect(page()).toBe("<h1>mine</h1>");
  });

  it("rejects a name with markup, and a folder that is a file, and writes nothing", async () => {
    const { folder, build } = await sampled();
    const wrong = await build("--maker", "<b>me</b>");
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("--maker must be a name")]);
    writeFileSync(join(folder, "file"), "");
    const taken = await build("--out", "file");
    expect([taken.code, taken.stdout]).toEqual([2, ""]);
    expect(existsSync(join(folder, "status-page"))).toBe(false);
  });

  it.skipIf(!findChromium())("fits a phone and a wide screen", async () => {
    const { folder, build } = await sampled();
    await build("--maker", "Snek & Co");
    const url = pathToFileURL(join(folder, "status-page", "index.html")).href;
    const browser = await startBrowser();
    try {
      for (const width of [390, 1440])
        for (const colorScheme of ["light", "dark"] as const) {
          const look = { viewport: { width, height: 900 }, colorScheme };
          const { page, errors, strangers } = await openPage(browser, "null", look);
          await page.goto(url);
          expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
          expect([errors, strangers.filter((one) => one !== url)]).toEqual([[], []]);
          const shots = process.env.STATUS_SHOTS;
          if (shots)
            await page.screenshot({
              path: join(shots, `status-${width}-${colorScheme}.png`),
              fullPage: true,
            });
        }
    } finally {
      await browser.close();
    }
  });
});
