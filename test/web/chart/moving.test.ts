import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { withPrice } from "../../../src/web/chart/candles.ts";
import { findChromium } from "../../support/browser.ts";
import { gridRequest } from "../../support/requests.ts";
import { servedPage } from "../../support/served.ts";
import { commandIn } from "../../support/signed-in.ts";

const candle = (timestamp: number, close: number) => ({
  timestamp,
  open: 10,
  high: Math.max(10, close),
  low: Math.min(10, close),
  close,
  volume: 1,
});
const CANDLES = [candle(0, 11), candle(100, 12)];

describe("candles with a later price", () => {
  it("move the last candle, whose high and low keep what they had", () => {
    const moved = withPrice(withPrice(CANDLES, 100, { price: 15, at: 150 }), 100, { price: 9, at: 199 });
    expect(moved).toEqual([CANDLES[0], { ...CANDLES[1], high: 15, low: 9, close: 9 }]);
  });

  it("begin the next candle at the last close, also after a candle without a price", () => {
    const next = { open: 12, high: 14, low: 12, close: 14, volume: null };
    const priced = { price: 14, at: 205 };
    expect(withPrice(CANDLES, 100, priced)).toEqual([...CANDLES, { timestamp: 200, ...next }]);
    expect(withPrice(CANDLES, 100, { ...priced, at: 399 }).at(-1)).toEqual({ timestamp: 300, ...next });
  });

  it("are the same without a price, and with one from before the last candle", () => {
    for (const priced of [
      { price: null, at: 150 },
      { price: 14, at: null },
      { price: 14, at: 99 },
    ])
      expect(withPrice(CANDLES, 100, priced)).toBe(CANDLES);
  });
});

/** Where the first candle of the chart begins, as a share of the width: the first column with some green or red. */
const FIRST_CANDLE = `(() => {
  const starts = [...document.querySelectorAll(".chart canvas")].map((canvas) => {
    const { width, height } = canvas;
    if (width === 0 || height === 0) return 1;
    const { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
    for (let x = 0; x < width; x++) {
      let colored = 0;
      for (let y = 0; y < height; y++) {
        const [red, green, blue] = data.slice(4 * (y * width + x), 4 * (y * width + x) + 3);
        if ((green - blue > 20 && green - red > 60) || red - green > 80) colored++;
      }
      if (colored > 3) return x / width;
    }
    return 1;
  });
  return Math.min(...starts);
})()`;

interface Grid {
  readonly markPrice: number;
  readonly filledOrders: number;
  readonly totalProfit: number;
  readonly holdingProfit: number;
}

describe.skipIf(!findChromium())("the chart of a running grid (skipped without Chromium)", () => {
  const served = servedPage(["--tick-interval", "500"]);
  const figure = (text: string) => Number(text.replaceAll(",", ""));

  /** The newest candle in the chart's table, and the number of fills on all of them. */
  const chartOf = async (page: Page) => {
    const rows = page.getByRole("table", { name: "Candles of the chart" }).locator("tbody tr");
    const column = (name: string) => rows.locator(`td[data-name=${name}]`).allTextContents();
    const [closes, fills] = [await column("Close"), await column("Fills")];
    return { close: figure(closes[0] ?? ""), fills: fills.map(Number) };
  };

  it("moves with the price of each pass and shows a fill on its candle, without a reload", async () => {
    const request = gridRequest({ lowerPrice: 57_000, upperPrice: 63_000, gridLevels: 40, orderSize: 50 });
    const { id } = await served.call<{ id: string }>("POST", "/strategy/grid", request);
    const grid = async () =>
      (await served.call<{ strategies: [Grid] }>("GET", `/strategy/grid/status?id=${id}`)).strategies[0];
    const { page, context, errors } = await served.signIn();
    const candleRequests: string[] = [];
    await page.goto(`${served.url}/#/strategy/${id}`);
    await page.getByText("The chart as a table").click();
    await page.getByRole("table", { name: "Candles of the chart" }).waitFor();
    await page.evaluate("globalThis.sameDocument = true");
    page.on("request", (one) => void (one.url().includes("/ohlcv") && candleRequests.push(one.url())));
    const before = await chartOf(page);
    await commandIn(served.folder, "sandbox", "shock", "--symbol", "BTC/USDT", "--percent=-2");
    await expect.poll(async () => (await grid()).filledOrders).toBeGreaterThan(0);
    await expect
      .poll(async () => {
        const [price, { close }] = [(await grid()).markPrice, await chartOf(page)];
        return Math.abs(price - close) < 0.01 && close < before.close * 0.99;
      })
      .toBe(true);
    await expect.poll(async () => (await chartOf(page)).fills[0]).toBeGreaterThan(0);
    // The P&L beside buy and hold is that of now, too.
    const lines = page.getByRole("img", { name: /^Total P&L, now −[\d.]+ USDT; buy and hold .* −[\d.]+$/ });
    await expect
      .poll(async () => {
        const ends = (await lines.getAttribute("aria-label"))?.match(/−[\d.]+/g) ?? [];
        const [own = 0, held = 0] = ends.map((text) => Number(text.replace("−", "-")));
        const { totalProfit, holdingProfit } = await grid();
        return Math.max(Math.abs(own - totalProfit), Math.abs(held - holdingProfit)) < 0.05;
      })
      .toBe(true);
    expect(await page.evaluate("globalThis.sameDocument")).toBe(true);
    expect(candleRequests).toEqual([]);
    expect(errors).toEqual([]);
    await context.close();
  });

  it("spreads its candles over the width again after the window has changed", async () => {
    const { id } = await served.call<{ id: string }>("POST", "/strategy/grid", gridRequest());
    const { page, context } = await served.signIn({
      viewport: { width: 390, height: 844 },
      colorScheme: "light",
    });
    await page.goto(`${served.url}/#/strategy/${id}`);
    const first = () => page.evaluate<number>(FIRST_CANDLE);
    await expect.poll(first).toBeLessThan(0.2);
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.getByRole("link", { name: "Settings" }).first().waitFor();
    await expect.poll(first).toBeLessThan(0.1);
    await context.close();
  });
});
