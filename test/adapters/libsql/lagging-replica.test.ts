import { expect, it, onTestFinished } from "vitest";
import { nodeLocal } from "../../../cli/host/process/node-local.ts";
import { createStore } from "../../../src/adapters/libsql/store.ts";
import { NEW_ORDER, type Order } from "../../../src/model/order.ts";
import { openDatabase } from "../../../src/storage/client/safe-client.ts";
import { migrations } from "../../support/migrations.ts";
import { startSqld } from "../../support/sqld.ts";

const BY = { actor: "local", request: null };
const ACCOUNT = "live:kraken:localhost";

/**
 * A database that answers from a replica where it may: it hands on to its primary what writes or begins to
 * (docs.turso.tech, data consistency: write transactions and batches are handled by the primary). This replica
 * has got nothing since it was made.
 */
async function behindReplica() {
  const [primary, replica] = await Promise.all([startSqld(), startSqld()]);
  onTestFinished(async () => void (await Promise.all([primary.stop(), replica.stop()])));
  const open = (url: string, ask: typeof fetch) =>
    openDatabase({
      client: { url, fetch: ask },
      local: nodeLocal,
      migrations,
      kind: "live",
    });
  await open(replica.url, fetch);
  await open(primary.url, fetch);
  const routed: typeof fetch = async (query, init) => {
    const request = new Request(query as Request, init);
    const body = await request.text();
    const isWrite = /"sql":"\s*(begin immediate|insert|update|delete)/i.test(body);
    const url = request.url.replace(primary.url, isWrite ? primary.url : replica.url);
    return fetch(url, { method: request.method, headers: request.headers, body: body || null });
  };
  return createStore(await open(primary.url, routed));
}

it("reads that permit a write go to the primary, not to a replica that lags", async () => {
  const store = await behindReplica();
  expect(await store.killed()).toBe(false);
  await store.setKill(true, BY);
  expect(await store.killed()).toBe(true);
  await store.setKill(false, BY);

  const order: Order = {
    ...NEW_ORDER,
    clientId: "em0aaaaaaaaaaaaaaa",
    account: ACCOUNT,
    strategy: null,
    kind: "hand",
    generation: 0,
    slot: 0,
    symbol: "BTC/USDT",
    side: "buy",
    type: "limit",
    price: 10n ** 18n,
    amount: 10n ** 18n,
    timeInForce: "gtc",
    createdAt: 0,
    sendBy: 0,
    notAfter: 0,
  };
  await store.recordByHand(order, { terms: null, limit: order.price, ended: [] }, BY);
  const known = await store.ordersByIds(ACCOUNT, { exchange: [], client: [order.clientId] });
  expect(known.map(({ clientId }) => clientId)).toEqual([order.clientId]);
  expect(await store.hasUnclear(ACCOUNT)).toBe(true);
  expect((await store.orderByClientId(ACCOUNT, order.clientId))?.clientId).toBe(order.clientId);
});
