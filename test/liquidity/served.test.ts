import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { MINUTE } from "../../src/kernel/time.ts";
import { besideServer } from "../support/beside.ts";
import { edgemaker, serve } from "../support/command.ts";
import { edgeApp } from "../support/edge.ts";
import { fireCron } from "../support/edge-live.ts";
import { eventually } from "../support/server.ts";
import { tempFolder } from "../support/temp.ts";

const WATCHED = { EDGEMAKER_LIQUIDITY: "kraken:BTC/USDT" };

it("a server samples the order books of the configured pairs", async () => {
  const folder = tempFolder();
  const url = `file:${join(folder, "liquidity.db")}`;
  const server = await serve(folder, ["--sandbox", "--db", url, "--tick-interval", "500"], WATCHED);
  const client = besideServer(url);
  onTestFinished(() => client.close());
  const observed = await eventually(
    async () => {
      const query = "select exchange, symbol, samples, spread from liquidity_minutes";
      return (await client.execute(query)).rows;
    },
    ({ length }) => length > 0,
  );
  expect(observed[0]).toMatchObject({ exchange: "kraken", symbol: "BTC/USDT", samples: 1 });
  expect(Number(observed[0]?.spread)).toBeGreaterThan(0);
  expect(new Set(observed.map(({ symbol }) => symbol))).toEqual(new Set(["BTC/USDT"]));
  // As a person asks.
  const requests = [
    "liquidity",
    "report",
    "--exchange",
    "kraken",
    "--symbol",
    "BTC/USDT",
    "--preset",
    "agreement",
  ];
  const result = await edgemaker(folder, [...requests, "--sandbox", "--db", url], WATCHED);
  expect([result.code, result.stderr]).toEqual([0, ""]);
  expect(result.stdout).toMatch(/^own +(unknown: no minute of the period has a sample|both sides)/m);
  expect(result.stdout).toMatch(/time with own orders on both sides, .* +unknown/);
  await server.kill("SIGTERM");
});

it("a cron samples the configured pairs on the edge", async () => {
  const app = await edgeApp(WATCHED);
  onTestFinished(() => app.close());
  const minute = () => Math.floor(Date.now() / MINUTE);
  const first = minute();
  await fireCron(app.worker, Date.now());
  const rows = await app.deps.liquidity?.store.minutes({ exchange: "kraken", symbol: "BTC/USDT" }, 0, 1e9);
  // It looks before its passes and after them: once in each minute that it lasts.
  const looked = rows?.map((row) => row.minute) ?? [];
  expect(looked.length).toBeGreaterThan(0);
  expect(looked.every((one) => one >= first && one <= minute())).toBe(true);
  expect(new Set(looked).size).toBe(looked.length);
  expect(rows?.[0]?.spread).toBeGreaterThan(0n);
  const path = "/api/v1/liquidity/report?exchange=kraken&symbol=BTC/USDT";
  const response = await app.ask(path, { headers: { authorization: `Bearer ${app.tokens.read}` } });
  const body = (await response.json()) as { markets: object[] };
  // The report has them once.
  for (const name of ["maker", "madeAt", "from", "to"])
    expect([name in body, name in (body.markets[0] ?? {})], name).toEqual([true, false]);
  expect([response.status, body]).toMatchObject([
    200,
    { agreement: null, markets: [{ exchange: "kraken", preset: null }] },
  ]);
});
