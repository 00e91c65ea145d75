import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findChromium, startBrowser } from "../support/browser.ts";
import { type Spawned, spawnServer } from "../support/server.ts";
import { makeFolder } from "../support/temp.ts";

const GRID = {
  exchange: "kraken",
  symbol: "BTC/USDT",
  lowerPrice: 50_000,
  upperPrice: 70_000,
  gridLevels: 10,
  orderSize: 100,
};

/** Each page, and a text that is there with its data. */
const PLACES: readonly (readonly [string, string])[] = [
  ["", "Against holding"],
  ["strategy/ID", "Told"],
  ["start", "By numbers"],
  ["backtest", "Run it"],
  ["report", "By strategy"],
  ["markets", "VWAP"],
  ["compare", "Lowest ask"],
  ["dex", "Locked, ADA"],
  ["account/kraken", "Placed"],
  ["limits", "Change one"],
  ["agents", "No agent wants"],
  ["audit", "Told"],
];

/** What a page may move in all while it loads: a good one by the Core Web Vitals. */
const MOST = 0.1;

/** Sums what has moved without a person's doing, from the first frame on. */
const WATCH = `
  globalThis.shifted = 0;
  globalThis.moved = [];
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries()) {
      if (hadRecentInput) continue;
      globalThis.shifted += value;
      globalThis.moved.push(value.toFixed(3) + " " + sources.map(({ node }) => node?.nodeName + "." + (node?.className ?? "") + " " + (node?.textContent ?? "").slice(0, 30)).join(" | "));
    }
  }).observe({ type: "layout-shift", buffered: true });
`;

describe.skipIf(!findChromium())("what moves while a page loads, in Chromium (skipped where there is none)", () => {
  const made = makeFolder();
  let server: Spawned;
  let browser: Browser;
  let url: string;
  let id: string;

  beforeAll(async () => {
    server = spawnServer(made.path, ["--sandbox", "--seed", "7"]);
    browser = await startBrowser();
    url = (await server.listens) ?? "";
    const started = await server.ask("/api/v1/strategy/grid", { method: "POST", body: JSON.stringify(GRID) });
    id = ((await started.json()) as { id: string }).id;
  });
  afterAll(async () => {
    await browser?.close();
    await server?.kill("SIGTERM");
    made.remove();
  });

  it.each([
    ["wide", { width: 1280, height: 800 }],
    ["narrow", { width: 380, height: 800 }],
  ] as const)("is next to nothing on a %s screen", async (_name, viewport) => {
    const found: Record<string, unknown> = {};
    for (const [path, text] of PLACES) {
      const context = await browser.newContext({ viewport });
      await context.addInitScript(
        `sessionStorage.setItem("edgemaker.token", ${JSON.stringify(server.token)});${WATCH}`,
      );
      const page = await context.newPage();
      await page.goto(`${url}/#/${path.replace("ID", id)}`);
      await page.getByText(text).first().waitFor({ state: "attached" });
      await page.getByRole("status", { name: "Loading" }).first().waitFor({ state: "detached" });
      // Two frames, so that what has moved with the last data is told too.
      await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
      const shifted = await page.evaluate<number>("shifted");
      if (shifted > MOST) found[path] = [shifted, await page.evaluate("moved")];
      await context.close();
    }
    expect(found).toEqual({});
  });
});
