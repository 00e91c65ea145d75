import { cpSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { TOKENS } from "../support/app.ts";
import { root } from "../support/bundle.ts";
import { edgeDatabase } from "../support/edge.ts";
import { fireCron, liveAccounts } from "../support/edge-live.ts";
import { gridRequest } from "../support/requests.ts";
import { eventually } from "../support/server.ts";
import { startOf } from "../support/starts.ts";
import { makeFolder } from "../support/temp.ts";
import { startWorker } from "../support/worker.ts";
import { workerWith } from "../support/worker-with.ts";

const NAMED = "币安人生/USDT";

it("a Worker lists a stop order, warns of a closed pair, and trades beside it and beyond A–Z with every kind", async () => {
  const pairs = [[NAMED, "0.5", "0.0001", "0.01", "1"]] as const;
  const accounts = await liveAccounts(1, { only: ["kraken", "gateio"], pairs });
  const { kraken, gateio } = accounts.venues;
  const database = await edgeDatabase({ ...accounts.settings, EDGEMAKER_SUBREQUESTS: "900" });
  const folder = makeFolder();
  cpSync(join(root, "examples/two-sided.ts"), join(folder.path, "two-sided.ts"));
  const worker = await startWorker(database.settings, { path: await workerWith(folder.path) });
  folder.remove();
  onTestFinished(async () => {
    await worker.dispose();
    await database.close();
    await accounts.close();
  });
  const ask = async (path: string, body?: object): Promise<unknown> => {
    const answer = await worker.dispatchFetch(`http://localhost/api/v1${path}`, {
      method: body ? "POST" : "GET",
      headers: { authorization: `Bearer ${TOKENS.admin}`, "content-type": "application/json" },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const result: unknown = await answer.json();
    expect([answer.status, result]).toEqual([200, result]);
    return result;
  };
  const terms = { symbol: "BTC/USDT", side: "sell", amount: "0.01" } as const;
  kraken.stop({ ...terms, type: "stop-loss", trigger: "50000" });
  const spread = { spreadPercent: 1, size: 50, quoteBudget: 300 };
  const start = (exchange: string, symbol: string, baseBudget: number) => [
    () => ask(...startOf("quote", { exchange, symbol, ...spread, levels: 1, useOthers: false, baseBudget })),
    () => ask(...startOf("two-sided", { exchange, symbol, ...spread, baseBudget })),
  ];
  let minute = Date.UTC(2026, 0, 1);
  const reaches = (venue: typeof kraken, symbol: Parameters<typeof kraken.open>[0], count: number) =>
    eventually(
      async () => {
        venue.rest();
        minute += 60_000;
        await fireCron(worker, minute);
        return buys(venue, symbol);
      },
      (found) => found === count,
    );
  const buys = (venue: typeof kraken, symbol: Parameters<typeof kraken.open>[0]) =>
    venue.open(symbol).filter(({ side }) => side === "buy").length;
  expect(await ask("/orders?exchange=kraken&symbol=BTC/USDT")).toMatchObject({
    orders: [{ type: "stop_market", triggerPrice: 50_000, price: 0 }],
  });
  await ask("/strategy/grid", gridRequest());
  expect(buys(kraken, "BTC/USDT")).toBeGreaterThan(0);
  // The stop order would sell below all of their buys, too.
  for (const started of start("kraken", "BTC/USDT", 0.01)) {
    const before = buys(kraken, "BTC/USDT");
    await started();
    await reaches(kraken, "BTC/USDT", before + 1);
  }

  gateio.list("ETH/USDT", { active: false });
  const range = { lowerPrice: 2800, upperPrice: 3200, gridLevels: 4, orderSize: 50 };
  const closed = await ask("/strategy/grid", { exchange: "gateio", symbol: "ETH/USDT", ...range });
  expect(closed).toMatchObject({
    warnings: expect.arrayContaining([expect.objectContaining({ code: "market_closed" })]),
  });
  expect(gateio.count("create")).toBe(0);

  const named = {
    exchange: "gateio",
    symbol: NAMED,
    lowerPrice: 0.4,
    upperPrice: 0.48,
    gridLevels: 2,
    orderSize: 20,
  };
  await ask("/strategy/grid", named);
  expect(gateio.open(NAMED)).toHaveLength(2);
  for (const started of start("gateio", NAMED, 100)) await started();
  await reaches(gateio, NAMED, 4);
});
