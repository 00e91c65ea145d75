/** What open pages hold after hours of passes: node test/web/hours.mjs [hours] */
import type { Browser } from "playwright-core";
import { startBrowser } from "../support/browser.ts";
import { startProxy } from "../support/proxy.ts";
import { type Spawned, spawnServer } from "../support/server.ts";
import { signedIn } from "../support/signed-in.ts";
import { makeFolder } from "../support/temp.ts";

const HOURS = Number(process.argv[2] ?? 4);
const GRIDS = 20;
/** Milliseconds of the page's clock from one pass to the next. */
const PASS = 5000;
const PASSES_AN_HOUR = 3_600_000 / PASS;
const LOOKS = 5;
/** What may be held at the end beyond what was after the first part, as a share. */
const MAX_HEAP_GROWTH = 0.1;

interface HourCheck {
  readonly at: number;
  /** Of the page's heap after everything that can be was given back. */
  readonly bytes: number;
  readonly nodes: number;
  readonly listeners: number;
}

async function startGrid(server: Spawned, at: number): Promise<string> {
  const body = JSON.stringify({
    exchange: ["mexc", "gateio", "bitget", "kraken"][at % 4],
    symbol: "BTC/USDT",
    lowerPrice: 50_000 + 100 * at,
    upperPrice: 70_000 + 100 * at,
    gridLevels: 10,
    orderSize: 20 + at / 10,
  });
  const answer = await server.ask("/api/v1/strategy/grid", { method: "POST", body });
  const { id, message } = (await answer.json()) as { id?: string; message: string };
  if (id === undefined) throw new Error(message);
  return id;
}

/** Opens a page, and lets pass after pass happen by its own clock; what it holds, each quarter of the time. */
async function keepOpen(browser: Browser, server: Spawned, path: string): Promise<readonly HourCheck[]> {
  const proxy = await startProxy((await server.listens) ?? "");
  const { page, context } = await signedIn(browser, proxy.url, server.token);
  await page.clock.install();
  await page.goto(`${proxy.url}/#/${path}`);
  await page.reload();
  await page.getByText("connected", { exact: true }).waitFor();
  const protocol = await context.newCDPSession(page);
  const look = async (at: number): Promise<HourCheck> => {
    await protocol.send("HeapProfiler.collectGarbage");
    const { usedSize } = await protocol.send("Runtime.getHeapUsage");
    const { nodes, jsEventListeners } = await protocol.send("Memory.getDOMCounters");
    return { at, bytes: usedSize, nodes, listeners: jsEventListeners };
  };
  /** The least of a few looks: what is being loaded meanwhile is not held. */
  const measure = async (at: number): Promise<HourCheck> => {
    const looks: HourCheck[] = [];
    for (let times = 0; times < LOOKS; times++) {
      await page.evaluate("fetch('/static/page/icon.svg').then((answer) => answer.text())");
      looks.push(await look(at));
    }
    const least = (of: Exclude<keyof HourCheck, "at">) => Math.min(...looks.map((one) => one[of]));
    return { at, bytes: least("bytes"), nodes: least("nodes"), listeners: least("listeners") };
  };
  const passes = HOURS * PASSES_AN_HOUR;
  const checks: HourCheck[] = [];
  for (let pass = 1; pass <= passes; pass++) {
    // Every page asks for the kill switch anew when something has happened.
    const heard = page.waitForResponse((response) => response.url().endsWith("/api/v1/kill"));
    proxy.say("event: pass\ndata: {}\n\n");
    await heard;
    await page.clock.runFor(PASS);
    if (pass % Math.round(passes / 8) === 0) checks.push(await measure(pass / PASSES_AN_HOUR));
  }
  await context.close();
  proxy.close();
  return checks;
}

const kib = (bytes: number) => `${Math.round(bytes / 1024)} KiB`;

const made = makeFolder();
const server = spawnServer(made.path, ["--sandbox", "--seed", "7"]);
const browser = await startBrowser();
try {
  let id = "";
  for (let at = 0; at < GRIDS; at++) id = await startGrid(server, at);
  const paths = ["", `strategy/${id}`, "markets"];
  const all = await Promise.all(paths.map((path) => keepOpen(browser, server, path)));
  for (const [place, checks] of all.entries()) {
    const name = paths[place]?.split("/")[0] || "strategies";
    for (const { at, bytes, nodes, listeners } of checks)
      process.stdout.write(
        `${name}: ${at.toFixed(1)} h, ${kib(bytes)}, ${nodes} nodes, ${listeners} listeners\n`,
      );
    const [first, last] = [checks[1], checks.at(-1)];
    if (!first || !last) throw new Error("nothing was measured");
    const grown = (of: "bytes" | "nodes" | "listeners") => last[of] / first[of] - 1;
    const results = (["bytes", "nodes", "listeners"] as const).filter((of) => grown(of) > MAX_HEAP_GROWTH);
    process.stdout.write(
      `${name}: ${(grown("bytes") * 100).toFixed(1)} % more than after a quarter of the time\n`,
    );
    if (results.length > 0) process.exitCode = 1;
  }
} finally {
  await browser.close();
  await server.kill("SIGTERM");
  made.remove();
}
