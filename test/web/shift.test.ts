import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findChromium, startBrowser } from "../support/browser.ts";
import { PLACES } from "../support/places.ts";
import { gridRequest } from "../support/requests.ts";
import { type Spawned, spawnServer } from "../support/server.ts";
import { signedIn } from "../support/signed-in.ts";
import { makeFolder } from "../support/temp.ts";

const GRID = gridRequest({ lowerPrice: 50_000, upperPrice: 70_000, gridLevels: 10, orderSize: 100 });

/** What a page may move in all while it loads: a good one by the Core Web Vitals. */
const MAX_LAYOUT_SHIFT = 0.1;

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

describe.skipIf(!findChromium())("layout shift on load in Chromium (skipped without Chromium)", () => {
  const made = makeFolder();
  let server: Spawned;
  let browser: Browser;
  let url: string;
  let id: string;

  beforeAll(async () => {
    server = spawnServer(made.path, ["--sandbox", "--seed", "7"]);
    browser = await startBrowser();
    url = (await server.listens) ?? "";
    const started = await server.ask("/api/v1/strategy/grid", {
      method: "POST",
      body: JSON.stringify(GRID),
    });
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
  ] as const)("is close to zero on a %s screen", async (_name, viewport) => {
    const found: Record<string, unknown> = {};
    const { page, context } = await signedIn(browser, url, server.token, { viewport });
    await context.addInitScript(WATCH);
    for (const [path, text] of PLACES) {
      await page.goto("about:blank");
      await page.goto(`${url}/#/${path.replace("ID", id)}`);
      await page.getByText(text).first().waitFor({ state: "attached" });
      await page.getByRole("status", { name: "Loading" }).first().waitFor({ state: "detached" });
      // Two frames, so that what has moved with the last data is told too.
      await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
      const shifted = await page.evaluate<number>("shifted");
      if (shifted > MAX_LAYOUT_SHIFT) found[path] = [shifted, await page.evaluate("moved")];
    }
    expect(found).toEqual({});
    await context.close();
  });
});
