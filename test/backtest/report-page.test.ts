import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { reportOf } from "../../src/backtest/report.tsx";
import { backtest } from "../../src/backtest/run/backtest.ts";
import { gridAnswer } from "../../src/backtest/schema/answer.ts";
import { market, minutesOf } from "../suggest/series.ts";
import { findChromium, openPage, startBrowser } from "../support/browser.ts";
import { d } from "../support/grid.ts";
import { tempFolder } from "../support/temp.ts";

/** Two days of a price that comes back to 100, under a grid of 20 slots. */
function answer() {
  const candles = minutesOf(1, { bars: 2880, keeps: 0.996 });
  const first = (candles.open[0] as number) / 10 ** candles.scale;
  const [lower, upper] = [first * 0.98, first * 1.02].map((price) => d(price.toFixed(2)));
  const request = {
    lowerPrice: lower as bigint,
    upperPrice: upper as bigint,
    gridLevels: 20,
    orderSize: d("500"),
  };
  const result = backtest(request, candles, { market, withBand: true });
  const time = { from: candles.from, until: (candles.times.at(-1) as number) + candles.spanMillis };
  return gridAnswer({ definition: "grid", config: {}, exchange: "kraken", fills: 100_000 }, result, time);
}

it.skipIf(!findChromium()).each([
  [1280, "light"],
  [380, "dark"],
] as const)(
  "a backtest's report renders in Chromium at %d px, %s: it loads nothing and overflows nowhere",
  async (width, colorScheme) => {
    const output = answer();
    expect(output.fills.length).toBeGreaterThan(20);
    const file = join(tempFolder(), "report.html");
    writeFileSync(file, reportOf({ ...output, symbol: '<img src="x">/USDT' }));
    const browser = await startBrowser();
    try {
      const { page, errors, strangers } = await openPage(browser, "null", {
        viewport: { width, height: 800 },
        colorScheme,
      });
      const url = pathToFileURL(file).href;
      await page.goto(url);
      expect(await page.getByRole("img").count()).toBe(4);
      expect(await page.locator("img, script, link, iframe").count()).toBe(0);
      expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
      expect((await page.locator("dd").first().innerText()).replace("−", "-")).toContain(
        String(Math.round(Number(output.total) * 100) / 100),
      );
      const dots = (side: string) =>
        page.locator(`path.${side}`).evaluate((path) => (path.getAttribute("d") ?? "").split("M").length - 1);
      const of = (side: string) => output.fills.filter((fill) => fill.side === side).length;
      expect([await dots("buy"), await dots("sell")]).toEqual([of("buy"), of("sell")]);
      // Every word of a chart can be read: none is lower than 12 px, and none lies over another.
      const words = await page.locator(".chart span").evaluateAll((spans) =>
        spans.map((span) => {
          const { left, right, top, bottom } = span.getBoundingClientRect();
          return { left, right, top, bottom, size: bottom - top };
        }),
      );
      expect(Math.min(...words.map(({ size }) => size))).toBeGreaterThanOrEqual(12);
      const over = words.flatMap((one, i) =>
        words
          .slice(i + 1)
          .filter(
            (two) =>
              one.left < two.right && two.left < one.right && one.top < two.bottom && two.top < one.bottom,
          ),
      );
      expect(over).toEqual([]);
      expect([errors, strangers.filter((one) => one !== url)]).toEqual([[], []]);
    } finally {
      await browser.close();
    }
  },
);
