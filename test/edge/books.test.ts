import { expect, it, onTestFinished } from "vitest";
import { TOKENS } from "../support/app.ts";
import { edgeDatabase } from "../support/edge.ts";
import { liveAccounts } from "../support/edge-live.ts";
import { gridRequest } from "../support/requests.ts";
import { startWorker } from "../support/worker.ts";

const NAMED = "币安人生/USDT";

it("a Worker lists a stop order, warns of a closed pair, and trades a name beyond A–Z", async () => {
  const pairs = [[NAMED, "0.5", "0.0001", "0.01", "1"]] as const;
  const accounts = await liveAccounts(1, { only: ["kraken", "gateio"], pairs });
  const { kraken, gateio } = accounts.venues;
  const database = await edgeDatabase({ ...accounts.settings, EDGEMAKER_SUBREQUESTS: "900" });
  const worker = await startWorker(database.settings);
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
  expect(await ask("/orders?exchange=kraken&symbol=BTC/USDT")).toMatchObject({
    orders: [{ type: "stop_market", triggerPrice: 50_000, price: 0 }],
  });
  await ask("/strategy/grid", gridRequest());
  expect(kraken.open("BTC/USDT").filter(({ side }) => side === "buy").length).toBeGreaterThan(0);

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
});
