import { expect, it, onTestFinished } from "vitest";
import { kindsOf } from "../../src/engine/accounts.ts";
import { runRound } from "../../src/engine/pass/round.ts";
import { SECOND } from "../../src/kernel/time.ts";
import { kindsWith } from "../../src/kinds.ts";
import type { VenueName } from "../../src/model/market.ts";
import { createOperations } from "../../src/operations.ts";
import { twoSided } from "../own/deeds.ts";
import { appOver } from "../support/app.ts";
import { emulatedExchanges } from "../support/emulated.ts";
import { gridRequest, orderRequest } from "../support/requests.ts";
import { starts } from "../support/starts.ts";

const PAIR = "BTC/USDT";
const SELL = { symbol: PAIR, side: "sell", amount: "0.01" } as const;

/** Types of orders that wait for a price below the market, as each exchange lists them among open orders. */
const STOPS: readonly (readonly [VenueName, string, string | undefined])[] = [
  ["kraken", "stop-loss", undefined],
  ["kraken", "stop-loss-limit", "49000"],
  ["kraken", "trailing-stop", undefined],
  ["kraken", "take-profit-limit", "49000"],
  ["mexc", "STOP_LIMIT", "49000"],
  ["bitget", "tpsl", "49000"],
];

async function withStop([name, type, price]: (typeof STOPS)[number]) {
  const setup = await emulatedExchanges({ names: [name] });
  onTestFinished(setup.close);
  const exchange = setup.exchange(name);
  exchange.stop({ ...SELL, type, trigger: "50000", ...(price ? { price } : {}) });
  const deps = { ...setup.deps, kinds: kindsOf(kindsWith([twoSided])) };
  const operations = createOperations([name], [twoSided]);
  const start = async (operation: string, input: object) => {
    const one = operations.find((one) => one.name === operation);
    if (!one) throw new Error(`there is no operation ${operation}`);
    await one.run(deps, one.input.parse({ exchange: name, symbol: PAIR, ...input }), { actor: "test" });
    setup.time.pass(5 * SECOND);
    await runRound(deps);
    return exchange.open(PAIR).filter(({ side }) => side === "buy").length;
  };
  return { deps, exchange, start };
}

it.each(STOPS)("a stop order on %s of type %s, limit %s, blocks no buy of a strategy", async (...stop) => {
  const budgets = { quoteBudget: 1000, baseBudget: 0.1, size: 100 };
  const grid = await withStop(stop);
  expect(await grid.start("start_grid", gridRequest({ exchange: stop[0] }))).toBe(3);
  const quotes = await withStop(stop);
  expect(
    await quotes.start(...starts("quote", { ...budgets, spreadPercent: 1, levels: 2, useOthers: false })),
  ).toBe(2);
  const own = await withStop(stop);
  expect(await own.start(...starts("two-sided", { ...budgets, spreadPercent: 1 }))).toBe(1);
});

it.each(STOPS)("GET /orders shows a stop order on %s of type %s, limit %s, as one", async (...stop) => {
  const [name, , price] = stop;
  const { deps, exchange } = await withStop(stop);
  const app = await appOver(deps);
  const headers = { authorization: `Bearer ${app.tokens.trade}`, "content-type": "application/json" };
  const [id] = exchange.open(PAIR).map((order) => order.id);
  const expected = {
    id,
    symbol: PAIR,
    side: "sell",
    type: price ? "stop_limit" : "stop_market",
    price: Number(price ?? 0),
    triggerPrice: 50_000,
    amount: 0.01,
    filled: 0,
    remaining: 0.01,
    status: "open",
  };
  const list = await app.ask(`/api/v1/orders?exchange=${name}&symbol=${PAIR}`, { headers });
  expect(await list.json()).toMatchObject({ count: 1, orders: [expected] });
  const one = await app.ask(`/api/v1/orders/${id}?exchange=${name}&symbol=${PAIR}`, { headers });
  expect(await one.json()).toMatchObject({ order: expected });
  // A manual buy does not cross it either, and it can be canceled.
  const body = JSON.stringify(orderRequest({ exchange: name, price: 55_000 }));
  expect((await app.ask("/api/v1/orders", { method: "POST", headers, body })).status).toBe(200);
  const path = `/api/v1/orders/${id}?exchange=${name}&symbol=${PAIR}`;
  expect((await app.ask(path, { method: "DELETE", headers })).status).toBe(200);
  expect(exchange.order(id ?? "")?.status).toBe("canceled");
});
