/** The walk of a developer in a terminal: from the first check to an own strategy. Nothing costs money. */

import { expect, it } from "vitest";
import { edgemaker, eventually, serve } from "../support/command.ts";
import { gridRequest, orderRequest } from "../support/requests.ts";
import { previewOf } from "../support/starts.ts";
import { tempFolder } from "../support/temp.ts";
import { hasTerminal, terminal } from "../support/terminal.ts";

const PAIR = ["--exchange", "kraken", "--symbol", "BTC/USDT"];
const RANGE = [...PAIR, "--lower", "55000", "--upper", "65000", "--levels", "10", "--size", "50"];

it.skipIf(!hasTerminal)("a developer checks, previews, starts, tests, exports and stops", async () => {
  const folder = tempFolder();
  const type = async (args: readonly string[], code = 0) => {
    const ran = await edgemaker(folder, [...args, "--sandbox"]);
    expect(ran.code, `${args.join(" ")}: ${ran.stderr}${ran.stdout}`).toBe(code);
    return ran;
  };
  const read = async <T>(...args: string[]) => JSON.parse((await type([...args, "--json"])).stdout) as T;

  // Problems would come first.
  expect((await type(["doctor"])).stdout).toMatch(/^note .*\n(.*\n)*ok [\s\S]*kraken/);
  const server = await serve(folder, ["--sandbox", "--tick-interval", "500"]);
  const api = async <T>(path: string, body?: object) => {
    const init = body && {
      method: "POST",
      body: JSON.stringify(body),
      headers: { "content-type": "application/json" },
    };
    const response = await server.ask(path, init);
    return { status: response.status, body: (await response.json()) as T };
  };
  const document = await api<{ paths: object }>("/openapi.json");
  expect(Object.keys(document.body.paths).length).toBeGreaterThan(45);

  // A script confirms with --yes or with the plan's hash; without both it changes nothing.
  expect((await type(["grid", "start", ...RANGE], 2)).stderr).toMatch(/--yes.*--plan-hash/);
  expect((await read<{ count: number }>("grid", "list")).count).toBe(0);
  const grid = gridRequest({ lowerPrice: 55_000, upperPrice: 65_000, gridLevels: 9, orderSize: 50 });
  const [path, body] = previewOf("grid", grid);
  const planned = await api<{ planHash: string }>(`/api/v1${path}`, body);
  const begun = await api<{ id: string }>("/api/v1/strategy/grid", {
    ...grid,
    planHash: planned.body.planHash,
  });
  expect(begun.status, JSON.stringify(begun.body)).toBe(200);
  const { id } = begun.body;

  // In a terminal, quotes show their plan and ask; the second answer, Cancel, places nothing.
  const quotes = [
    "quote",
    "start",
    "--exchange",
    "mexc",
    "--symbol",
    "BTC/USDT",
    "--spread-percent",
    "0.2",
    "--size",
    "50",
  ];
  const screen = terminal(folder, [...quotes, "--sandbox"], { columns: 100 });
  await screen.until(/Start quotes on both sides of a market\?/);
  screen.type("\u001b[B\r");
  expect(await screen.ended).toBe(1);
  expect((await read<{ count: number }>("quote", "list")).count).toBe(0);

  // One order by hand, twice with one key: one order.
  const order = orderRequest({ exchange: "gateio" });
  const place = async () => {
    const headers = { "content-type": "application/json", "idempotency-key": "walk-1" };
    const response = await server.ask("/api/v1/orders", {
      method: "POST",
      body: JSON.stringify(order),
      headers,
    });
    return ((await response.json()) as { order: { id: string; status: string } }).order;
  };
  const [once, again] = [await place(), await place()];
  expect(once).toMatchObject({ status: "open" });
  expect(again.id).toBe(once.id);
  expect((await read<{ count: number }>("orders", "list", "--exchange", "gateio")).count).toBe(1);

  // Times as dates or in milliseconds.
  const since = new Date(Date.now() - 3_600_000).toISOString();
  for (const at of [since, String(Date.parse(since))])
    expect(
      (await read<{ candles: unknown[] }>("ohlcv", ...PAIR, "--timeframe", "1m", "--since", at)).candles
        .length,
    ).toBeGreaterThan(0);
  expect((await type(["backtest", ...RANGE, "--since", since])).stdout).toContain("total");
  expect((await type(["backtest", ...RANGE, "--since", "soon"], 2)).stderr).toMatch(
    /since must be milliseconds, or a date/,
  );

  // Orders, events and the chain of events can be read back.
  await eventually(
    () => read<{ orders: unknown[] }>("grid", "orders", id),
    ({ orders }) => orders.length > 0,
  );
  expect((await type(["grid", "fills", id, "--format", "csv"])).stdout).toMatch(/^time|^timestamp/);
  await type(["audit", "verify"]);

  // The end: everything is canceled.
  await type(["kill", "on", "--cancel"]);
  await eventually(
    () => read<{ count: number }>("orders", "list", "--exchange", "kraken"),
    ({ count }) => count === 0,
  );
  await type(["kill", "off"]);
  // A script stops it by its name, and only with --yes.
  await type(["rename", id, "script-1"]);
  expect((await type(["grid", "stop", "script-1"], 2)).stderr).toContain("--yes");
  expect(JSON.parse((await type(["grid", "stop", "script-1", "--yes", "--json"])).stdout)).toMatchObject({
    id,
  });
});
