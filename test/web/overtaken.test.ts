import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { findChromium } from "../support/browser.ts";
import { servedPage } from "../support/served.ts";

const GRID = {
  exchange: "kraken",
  symbol: "BTC/USDT",
  lowerPrice: 50_000,
  upperPrice: 70_000,
  gridLevels: 4,
  orderSize: 100,
};

/** Types one text after the other into a field, each drawn, and none followed by a frame before the last. */
const typeWithinAFrame = (page: Page, label: string, texts: readonly string[]) =>
  page.getByLabel(label).evaluate(async (field, typed) => {
    const input = field as unknown as { value: string; dispatchEvent: (event: Event) => void };
    await new Promise((resolve) => requestAnimationFrame(resolve));
    for (const text of typed) {
      input.value = text;
      input.dispatchEvent(new Event("input", { bubbles: true }));
      // What is drawn anew is so by the end of the turn, which no frame and no timer interrupts.
      for (let turns = 0; turns < 50; turns++) await undefined;
    }
  }, texts);

describe.skipIf(!findChromium())("what is overtaken, in Chromium (skipped where there is none)", () => {
  const served = servedPage(["--tick-interval", "3600000"]);

  it("a plan is asked for what was typed last alone, however fast it was typed", async () => {
    const { id } = await served.call<{ id: string }>("POST", "/strategy/grid", GRID);
    const { page, context, errors } = await served.signIn();
    const asked: unknown[] = [];
    page.on("request", (one) => {
      if (one.url().endsWith(`${id}/preview`)) asked.push(one.postDataJSON());
    });
    await page.goto(`${served.url}/#/strategy/${id}`);
    await page.getByRole("button", { name: "Edit" }).click();
    await typeWithinAFrame(page, "Stop loss, USDT", ["4000", "40000"]);
    await page.getByRole("row", { name: /^Stop loss none 40,000/ }).waitFor();
    expect(asked).toEqual([{ stopLossPrice: 40_000 }]);
    expect(errors).toEqual([]);
    await context.close();
  });
});
