import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Browser } from "playwright-core";
import { buildPage } from "../../cli/build/page.mjs";
import { findChromium, startBrowser } from "../support/browser.ts";
import { root } from "../support/bundle.ts";
import { type Spawned, spawnServer } from "../support/server.ts";
import { makeFolder } from "../support/temp.ts";
import { type Figure, median, RUNS, repeat } from "./figure.ts";

const GRIDS = 50;

/** What the page weighs, and how soon 50 strategies are there; without a browser its weight alone. */
export async function pageFigures(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "edgemaker-page-"));
  await buildPage(root, folder);
  // Its compressed copies are other forms of the same files.
  const names = readdirSync(folder).filter((name) => !/\.(br|gz)$/.test(name));
  const bytes = names.map((name) => gzipSync(readFileSync(join(folder, name))).length);
  const kib = bytes.reduce((sum, size) => sum + size, 0) / 1024;
  const weight: Figure = { name: "the page with its charts, gzip", unit: "KiB", runs: [kib], goal: "≤ 150" };
  return findChromium() ? [weight, ...(await paintFigures())] : [weight];
}

async function paintFigures(): Promise<Figure[]> {
  const made = makeFolder();
  const server = spawnServer(made.path, ["--sandbox", "--seed", "7"]);
  const browser = await startBrowser();
  try {
    const url = (await server.listens) ?? "";
    for (let at = 0; at < GRIDS; at++) await startGrid(server, at);
    const empty = await repeat(() => firstPaint(browser, "data:text/html,<p>empty"));
    const first = await repeat(() => firstPaint(browser, url, server.token));
    const rows = await repeat(() => allRows(browser, url, server.token));
    const slow: SlowLoad[] = [];
    while (slow.length < RUNS) slow.push(await slowLoad(browser, url, server.token));
    const one = await repeat(() => filtered(browser, ONE_ROW));
    const keys = await repeat(() => filtered(browser, url, server.token));
    const times = (runs: readonly number[], of: readonly number[]) =>
      `${(median(runs) / median(of)).toFixed(1)} × an empty one`;
    return [
      { name: "first contentful paint of an empty page", unit: "ms", runs: empty },
      {
        name: `first contentful paint of the page, ${GRIDS} strategies (${times(first, empty)})`,
        unit: "ms",
        runs: first,
        goal: "≤ 500",
      },
      { name: `all ${GRIDS} strategies are visible`, unit: "ms", runs: rows },
      {
        name: "first contentful paint at a quarter of the processor",
        unit: "ms",
        runs: slow.map(({ paint }) => paint),
        goal: "≤ 1,500",
      },
      {
        name: `longest task until all ${GRIDS} are visible, at a quarter of the processor`,
        unit: "ms",
        runs: slow.map(({ task }) => task),
        goal: "≤ 200",
      },
      { name: "filtering the one row of an empty page", unit: "ms", runs: one },
      {
        name: `filtering ${GRIDS} strategies, from a key press to the next frame (${times(keys, one)})`,
        unit: "ms",
        runs: keys,
        goal: "≤ 100",
      },
    ];
  } finally {
    await browser.close();
    await server.kill("SIGTERM");
    made.remove();
  }
}

async function startGrid(server: Spawned, at: number): Promise<void> {
  const grid = {
    exchange: ["mexc", "gateio", "bitget", "kraken"][at % 4],
    symbol: "BTC/USDT",
    lowerPrice: 40_000 + 100 * at,
    upperPrice: 70_000 + 100 * at,
    gridLevels: 2,
    orderSize: 20 + at / 10,
  };
  const { status } = await server.ask("/api/v1/strategy/grid", {
    method: "POST",
    body: JSON.stringify(grid),
  });
  if (status !== 200) throw new Error(`grid ${at} was not started: ${status}`);
}

/** A page in a profile of its own, signed in. */
async function opened(browser: Browser, url: string, token?: string, scripts: readonly string[] = []) {
  const context = await browser.newContext();
  if (token)
    await context.addInitScript(
      `location.protocol === "data:" || sessionStorage.setItem("edgemaker.token", ${JSON.stringify(token)})`,
    );
  for (const script of scripts) await context.addInitScript(script);
  const page = await context.newPage();
  await page.goto(url);
  return { context, page };
}

const PAINT = `performance.getEntriesByName("first-contentful-paint")[0]?.startTime`;

/** Asks in each frame until there is a value. The page's policy lets nothing be waited for by text otherwise. */
const untilThere = (value: string) => `new Promise((resolve) => {
  const look = () => {
    const found = ${value};
    if (found) resolve(found);
    else requestAnimationFrame(look);
  };
  look();
})`;

async function firstPaint(browser: Browser, url: string, token?: string): Promise<number> {
  const { context, page } = await opened(browser, url, token);
  const millis = await page.evaluate<number>(untilThere(PAINT));
  await context.close();
  return millis;
}

interface SlowLoad {
  readonly paint: number;
  /** 0 if no task was longer than 50 ms: shorter ones are not reported. */
  readonly task: number;
}

const LONG_TASKS = `window.longTasks = [];
new PerformanceObserver((list) => window.longTasks.push(...list.getEntries().map(({ duration }) => duration)))
  .observe({ type: "longtask", buffered: true })`;

async function slowLoad(browser: Browser, url: string, token: string): Promise<SlowLoad> {
  const { context, page } = await opened(browser, "data:text/html,<p>empty", token, [LONG_TASKS]);
  const session = await context.newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate: 4 });
  await page.goto(url);
  const paint = await page.evaluate<number>(untilThere(PAINT));
  await page.evaluate(untilThere(`${ROWS} === ${GRIDS}`));
  const task = await page.evaluate<number>("Math.max(0, ...window.longTasks)");
  await context.close();
  return { paint, task };
}

const ROWS = `document.querySelectorAll("tbody tr").length`;

async function allRows(browser: Browser, url: string, token: string): Promise<number> {
  const { context, page } = await opened(browser, url, token);
  const millis = await page.evaluate<number>(untilThere(`${ROWS} === ${GRIDS} && performance.now()`));
  await context.close();
  return millis;
}

/** A page that does nothing but what is measured. */
const ONE_ROW = `data:text/html,<input type=search oninput="document.querySelector('tr').remove()"><table><tbody><tr><td>1`;

async function filtered(browser: Browser, url: string, token?: string): Promise<number> {
  const { context, page } = await opened(browser, url, token);
  const rows = await page.evaluate<number>(untilThere(token ? `${ROWS} === ${GRIDS} && ${GRIDS}` : ROWS));
  const millis = await page.evaluate<number>(`new Promise((resolve) => {
    const field = document.querySelector("input[type=search]");
    const from = performance.now();
    field.value = "kraken";
    field.dispatchEvent(new Event("input", { bubbles: true }));
    const look = () => (${ROWS} < ${rows} ? resolve(performance.now() - from) : requestAnimationFrame(look));
    requestAnimationFrame(look);
  })`);
  await context.close();
  return millis;
}
