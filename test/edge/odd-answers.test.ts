import { cpSync } from "node:fs";
import { join } from "node:path";
import type { Miniflare, RequestInit as WorkerRequestInit } from "miniflare";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { VenueName } from "../../src/model/market.ts";
import { TOKENS } from "../support/app.ts";
import { root } from "../support/bundle.ts";
import { deployment } from "../support/deployment.ts";
import { fireCron } from "../support/edge-live.ts";
import { heard } from "../support/heard.ts";
import { eventually } from "../support/server.ts";
import { startOf } from "../support/starts.ts";
import { makeFolder } from "../support/temp.ts";
import { workerWith } from "../support/worker-with.ts";

const MINUTE = 60_000;
const GRID = { symbol: "BTC/USDT", lowerPrice: 57_000, upperPrice: 63_000, gridLevels: 4, orderSize: 100 };

type Row = Record<string, unknown>;
const rows = (coin: string, over: object) => (list: readonly Row[]) =>
  list.map((row) => (row[coin] === "ADA" ? { ...row, ...over } : row));

/** The balance of another coin, as public reports show it. */
const ODD: Readonly<Record<VenueName, (body: never) => unknown>> = {
  mexc: (body: Row) => ({ ...body, balances: rows("asset", { free: null })(body.balances as Row[]) }),
  gateio: rows("currency", { available: "-0.5" }),
  bitget: (body: Row) => ({ ...body, data: rows("coin", { available: "" })(body.data as Row[]) }),
  kraken: (body: Row) => ({
    ...body,
    result: { ...(body.result as Row), ADA: { balance: "-0.0012", hold_trade: "0" } },
  }),
};
const NAMES = Object.keys(ODD) as VenueName[];

let edge: Awaited<ReturnType<typeof deployment>>;
let worker: Miniflare;
let minute = Date.UTC(2026, 0, 1);
beforeAll(async () => {
  const folder = makeFolder();
  cpSync(join(root, "examples/two-sided.ts"), join(folder.path, "two-sided.ts"));
  edge = await deployment(1, {
    queue: false,
    path: await workerWith(folder.path),
    settings: {
      EDGEMAKER_SUBREQUESTS: "900",
      EDGEMAKER_TIMING: "readLag=200,secondMiss=200,overlap=2000",
    },
  });
  folder.remove();
  worker = await edge.start();
});
afterAll(async () => {
  await worker?.dispose();
  await edge?.close();
});

async function ask<T>(method: string, path: string, body?: object): Promise<T> {
  const headers = { authorization: `Bearer ${TOKENS.admin}`, "content-type": "application/json" };
  const init = { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) };
  const answer = await worker.dispatchFetch(`http://localhost/api/v1${path}`, init as WorkerRequestInit);
  return (await heard(path, answer as unknown as Response).json()) as T;
}

async function cron() {
  await edge.rested();
  minute += MINUTE;
  await fireCron(worker, minute);
}

it.each(NAMES)("the worker trades on %s while another coin is odd and credits are rounded", async (name) => {
  const venue = edge.accounts.venues[name];
  venue.alter("balance", ODD[name]);
  venue.credit("ETH", 3);
  venue.credit("LTC", 2);
  await edge.startGrid(worker, { exchange: name, ...GRID });
  const { id: quoting } = await ask<{ id: string }>(
    "POST",
    ...startOf("quote", {
      exchange: name,
      symbol: "ETH/USDT",
      spreadPercent: 1,
      levels: 1,
      size: 100,
      baseBudget: 0.1,
      quoteBudget: 300,
    }),
  );
  expect(quoting).toBeTypeOf("string");
  await ask(
    "POST",
    ...startOf("two-sided", {
      exchange: name,
      symbol: "LTC/USDT",
      spreadPercent: 1,
      size: 50,
      baseBudget: 1,
      quoteBudget: 100,
    }),
  );
  const open = async (symbol: "BTC/USDT" | "ETH/USDT" | "LTC/USDT", count: number) =>
    eventually(
      async () => {
        await cron();
        return venue.open(symbol);
      },
      (orders) => orders.length === count,
    );
  const buyOf = (orders: ReturnType<typeof venue.open>) =>
    orders.find(({ side }) => side === "buy")?.id ?? "";
  const first = buyOf(await open("BTC/USDT", 4));
  for (const symbol of ["ETH/USDT", "LTC/USDT"] as const) venue.fill(buyOf(await open(symbol, 2)));
  venue.fill(first);
  const filled = await eventually(
    async () => {
      await cron();
      const { strategies } = await ask<{ strategies: { filledOrders: number; symbol: string }[] }>(
        "GET",
        "/strategy/grid/status",
      );
      return [
        strategies.filter(({ filledOrders }) => filledOrders > 0).length,
        venue.open("BTC/USDT").length,
      ];
    },
    ([count = 0, resting]) => count > NAMES.indexOf(name) && resting === 4,
  );
  expect(filled[1]).toBe(4);
  // Quotes and an own strategy go on after a fill that was credited in fewer decimals.
  await open("ETH/USDT", 2);
  await open("LTC/USDT", 2);
  const { strategies } = await ask<{ strategies: Row[] }>("GET", `/strategies?exchange=${name}`);
  expect(strategies).toHaveLength(3);
  for (const one of strategies) expect(one).toMatchObject({ status: "running", lastError: null });
  const { balances, unreadable } = await ask<{ balances: Row[]; unreadable: Row[] }>(
    "GET",
    `/balance?exchange=${name}`,
  );
  expect(unreadable).toMatchObject([{ asset: "ADA" }]);
  expect(balances.map(({ asset }) => asset)).toContain("USDT");
});
