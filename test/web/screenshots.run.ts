/** Takes the pictures of docs/img: node test/web/screenshots.mjs [folder] */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Page } from "playwright-core";
import { reportOf } from "../../src/backtest/report.tsx";
import type { BacktestAnswer } from "../../src/backtest/schema/answer.ts";
import { HOUR } from "../../src/kernel/time.ts";
import { openPage, startBrowser } from "../support/browser.ts";
import { root } from "../support/bundle.ts";
import { gridRequest } from "../support/requests.ts";
import { eventually, type Spawned, spawnServer } from "../support/server.ts";
import { startBody } from "../support/starts.ts";
import { makeFolder } from "../support/temp.ts";

const folder = process.argv[2] ?? join(root, "docs/img");
const SIZES = [
  ["wide", { width: 1280, height: 720 }],
  ["narrow", { width: 380, height: 1000 }],
] as const;

const GRIDS = [
  gridRequest({ gridLevels: 30, stopLossPrice: 56_500, takeProfitPrice: 63_500 }),
  gridRequest({
    exchange: "gateio",
    symbol: "ETH/USDT",
    lowerPrice: 2_800,
    upperPrice: 3_200,
    gridLevels: 20,
    orderSize: 150,
  }),
  { exchange: "mexc", symbol: "ADA/USDT", lowerPrice: 0.52, upperPrice: 0.6, gridLevels: 10, orderSize: 50 },
  gridRequest({ symbol: "BTC/EUR", lowerPrice: 56_000, upperPrice: 64_000, gridLevels: 12, orderSize: 100 }),
];

const MARKET = { exchange: "kraken", symbol: "BTC/USDT" };

const PLANNED = gridRequest({
  exchange: "bitget",
  symbol: "ETH/USDT",
  lowerPrice: 2_700,
  upperPrice: 3_300,
  gridLevels: 8,
  orderSize: 50,
});

interface Picture {
  readonly name: string;
  readonly path: string;
  readonly ready: (page: Page) => Promise<unknown>;
}

async function trade(server: Spawned): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const grid of GRIDS) {
    const answer = await server.ask("/api/v1/strategy/grid", { method: "POST", body: JSON.stringify(grid) });
    const { id, message } = (await answer.json()) as { id?: string; message: string };
    if (id === undefined) throw new Error(message);
    ids.push(id);
  }
  const [first = ""] = ids;
  await eventually(
    async () =>
      ((await (await server.ask(`/api/v1/strategy/grid/status?id=${first}`)).json()) as Status).strategies,
    ([grid]) => (grid?.filledOrders ?? 0) >= 12,
  );
  return ids;
}

interface Status {
  readonly strategies: readonly { readonly filledOrders: number }[];
}

const observed = (text: string) => (page: Page) => page.getByText(text).first().waitFor();

const pictures = (id: string): readonly Picture[] => [
  { name: "strategies", path: "", ready: observed("BTC/EUR") },
  { name: "strategy", path: `strategy/${id}`, ready: observed("vs buy and hold") },
  {
    name: "backtest",
    path: "backtest?lowerPrice=50000&upperPrice=70000&gridLevels=20&orderSize=100",
    ready: async (page) => {
      await page.getByRole("button", { name: "Run it" }).click();
      await page.getByRole("img", { name: /^Final equity/ }).waitFor();
      await page.getByLabel("Levels, 2 to 100").fill("40");
      await page.getByRole("button", { name: "Run it" }).click();
      await page
        .getByRole("img", { name: /^Final equity/ })
        .nth(1)
        .waitFor();
      await page.getByRole("button", { name: "Find settings" }).click();
      await page.getByText("Probability of overfitting (PBO)").waitFor();
    },
  },
  { name: "report", path: "report", ready: observed("By strategy") },
  {
    name: "markets",
    path: "markets",
    ready: (page) => page.getByRole("heading", { name: "Book" }).waitFor(),
  },
  { name: "compare", path: "compare", ready: observed("Lowest ask") },
  { name: "dex", path: "dex", ready: observed("Value locked, ADA") },
  { name: "account", path: "account/kraken", ready: observed("Refresh") },
  { name: "alerts", path: "alerts", ready: observed("Channels") },
  { name: "access", path: "access", ready: observed("Exchange keys") },
  { name: "limits", path: "limits", ready: observed("Change a limit") },
  { name: "agents", path: "agents", ready: observed("Approve") },
  { name: "audit", path: "audit", ready: observed("Recomputes") },
  {
    name: "start",
    path: "start",
    ready: async (page) => {
      await page.getByRole("button", { name: /^Usual/ }).click();
      await page.getByRole("button", { name: /^Start: / }).waitFor();
    },
  },
];

/** An agent plans a grid, which lives five minutes. */
async function planGrid(url: string, token: string): Promise<void> {
  const client = new Client({ name: "pictures", version: "1" });
  const headers = { authorization: `Bearer ${token}` };
  await client.connect(
    new StreamableHTTPClientTransport(new URL("/mcp", url), { requestInit: { headers } }) as never,
  );
  const planned = await client.callTool({ name: "start_strategy", arguments: startBody("grid", PLANNED) });
  if (planned.isError) throw new Error(JSON.stringify(planned.content));
  await client.close();
}

/** The page that `edgemaker backtest --report` writes, as a file of its own. */
async function writeReport(server: Spawned, file: string): Promise<void> {
  const config = { lowerPrice: 52_000, upperPrice: 68_000, gridLevels: 32, orderSize: 300 };
  const request = { ...MARKET, config, timeframe: "1h", fills: 100_000 };
  const body = JSON.stringify({ ...request, since: Date.now() - 900 * HOUR });
  const answer = await server.ask("/api/v1/backtest", { method: "POST", body });
  if (!answer.ok) throw new Error(await answer.text());
  writeFileSync(file, reportOf((await answer.json()) as BacktestAnswer));
}

/** As WebP, which is a third of what PNG is: only the protocol of Chromium offers it. */
async function take(page: Page, file: string): Promise<void> {
  const protocol = await page.context().newCDPSession(page);
  const { data } = await protocol.send("Page.captureScreenshot", { format: "webp", quality: 85 });
  writeFileSync(file, Buffer.from(data, "base64"));
  await protocol.detach();
}

const made = makeFolder();
const server = spawnServer(
  made.path,
  ["--sandbox", "--seed", "7", "--speed", "400", "--tick-interval", "1000"],
  { EDGEMAKER_MCP_TRADING: "1", EDGEMAKER_MCP_CONFIRM: "terminal" },
);
const url = (await server.listens) ?? "";
const browser = await startBrowser();
try {
  mkdirSync(folder, { recursive: true });
  const [id = ""] = await trade(server);
  const report = join(made.path, "report.html");
  await writeReport(server, report);
  for (const colorScheme of ["light", "dark"] as const)
    for (const [size, viewport] of SIZES) {
      await planGrid(url, server.token);
      const { page, context, errors } = await openPage(browser, url, { colorScheme, viewport });
      await page.goto(url);
      await take(page, join(folder, `sign-in-${size}-${colorScheme}.webp`));
      await page.getByLabel("API token").fill(server.token);
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.getByRole("heading", { name: "Strategies" }).waitFor();
      for (const { name, path, ready } of pictures(id)) {
        await page.goto(`${url}/#/${path}`);
        await ready(page);
        await page.waitForTimeout(700);
        await page.mouse.move(0, 0);
        await take(page, join(folder, `${name}-${size}-${colorScheme}.webp`));
      }
      await page.goto(pathToFileURL(report).href);
      await take(page, join(folder, `backtest-report-${size}-${colorScheme}.webp`));
      if (errors.length > 0) process.stderr.write(`${errors.join("\n")}\n`);
      await context.close();
    }
} finally {
  await browser.close();
  await server.kill("SIGTERM");
  made.remove();
}
