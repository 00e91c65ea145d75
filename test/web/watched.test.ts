import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { nodeLocal } from "../../cli/host/process/node-local.ts";
import { DAY, MINUTE } from "../../src/kernel/time.ts";
import { createLiquidityStore } from "../../src/liquidity/store/store.ts";
import { openDatabase } from "../../src/storage/client/safe-client.ts";
import { findChromium } from "../support/browser.ts";
import { connectionTo } from "../support/connection.ts";
import { d } from "../support/grid.ts";
import { migrations } from "../support/migrations.ts";
import { withinOneDay } from "../support/one-day.ts";
import { servedPage } from "../support/served.ts";

const PAIR = { exchange: "kraken", symbol: "NIL/USDT" } as const;
const DEPTH = { bids: [d("10"), d("50"), d("700")], asks: [d("10"), d("50"), d("300")] } as const;

describe.skipIf(!findChromium())("watched pairs on the page (skipped without Chromium)", () => {
  // No exchange lists these pairs: what was seen is what is written here.
  const served = servedPage(["--tick-interval", "3600000", "--db", "file:watched.db"], {
    EDGEMAKER_LIQUIDITY: "kraken:NIL/USDT agreement spread=2 depth=500 levels=1 uptime=90, mexc:NUL/USDT",
  });

  /** Three of the minutes that are over, as far as they are of today: of one of them own orders were away. */
  async function watchedToday(): Promise<number> {
    const client = connectionTo(`file:${join(served.folder, "watched.db")}`);
    const context = await openDatabase({ client, local: nodeLocal, migrations, kind: "sandbox" });
    const store = createLiquidityStore(context);
    const now = Math.floor(Date.now() / MINUTE);
    const minutes = [now - 4, now - 3, now - 2].filter((minute) => minute >= now - (now % (DAY / MINUTE)));
    for (const minute of minutes) {
      const isAway = minute === now - 4;
      await store.keep(PAIR, {
        minute,
        samples: 1,
        spread: d("0.004"),
        ownSpread: isAway ? null : d("0.015"),
        ownOrders: isAway ? { bids: 0, asks: 0 } : { bids: 2, asks: 2 },
        ownDepth: DEPTH,
        depth: DEPTH,
        isCutShort: false,
        deviation: null,
        sources: 0,
        absence: isAway ? "pause" : null,
        offer: null,
      });
    }
    context.client.close();
    return minutes.length;
  }

  it("show today's offered liquidity and its agreement", async () => {
    await withinOneDay();
    const known = await watchedToday();
    const { page, context, errors, strangers } = await served.signIn();
    await page.getByRole("heading", { name: "Watched pairs (2)" }).waitFor();
    await page.getByText(new RegExp(`NIL/USDT on kraken today: ${known} of \\d+`)).waitFor();
    await page.getByText(/NUL\/USDT on mexc today: 0 of \d+/).waitFor();
    const offered = page.getByRole("table", { name: "Liquidity of NIL/USDT on kraken today" });
    const promised = page.getByRole("table", { name: "Agreement for NIL/USDT on kraken: agreement" });
    const lines = [await offered.innerText(), await promised.innerText()];
    // A day that began less than five minutes ago has not been seen so far.
    if (known === 3) {
      expect(lines[0]).toMatch(/Own orders\s+1\.50\s%\s+66\.67\s%\s+700\S*\s+300/);
      expect(lines[0]).toMatch(/Whole book\s+0\.40\s%\s+100\.00\s%/);
      expect(lines[1]).toMatch(
        /both sides, at most 2 % apart, 1 or more per side\s+unknown\s+66\.67\s%\s+90\.00\s%/,
      );
    }
    expect(lines[1]).toMatch(/mean depth of own asks/);
    for (const name of ["Reports", "Liquidity"]) await page.getByRole("link", { name, exact: true }).click();
    // A click was lost once on a busy machine, for a reason that is not known. A refusal would say so on the page.
    const saved = async (name: string) => {
      for (let tries = 0; tries < 8; tries++) {
        const download = page.waitForEvent("download", { timeout: 30_000 }).catch(() => undefined);
        await page.getByRole("button", { name }).first().click();
        const file = await download;
        expect(await page.getByRole("alert").allInnerTexts()).toEqual([]);
        if (file) return file.suggestedFilename().replaceAll(/\d{4}-\d\d-\d\d/g, "DAY");
      }
      return `no file after eight clicks on ${name}`;
    };
    const names = [];
    for (const name of ["Save report to send, without P&L", "Save internal report, with P&L"])
      names.push(await saved(name));
    expect(names).toEqual([
      "simulated-liquidity-kraken-NIL-USDT-DAY-DAY-to-send.html",
      "simulated-liquidity-kraken-NIL-USDT-DAY-DAY-internal.html",
    ]);
    expect(errors).toEqual([]);
    expect(strangers).toEqual([]);
    await context.close();
  });
});
