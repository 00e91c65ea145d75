/** The event of an order follows the newest one, whoever has written that, though it is not read each time. */
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { nodeLocal } from "../../../cli/host/process/node-local.ts";
import { createStore } from "../../../src/adapters/libsql/store.ts";
import { verify } from "../../../src/audit/operations/audit.ts";
import { decimal } from "../../../src/kernel/decimal.ts";
import { NEW_ORDER } from "../../../src/model/order.ts";
import { manualOrder } from "../../../src/orders/manual-order.ts";
import { openDatabase } from "../../../src/storage/client/safe-client.ts";
import { BY } from "../../support/by.ts";
import { connectionTo } from "../../support/connection.ts";
import { migrations } from "../../support/migrations.ts";
import { tempFolder } from "../../support/temp.ts";

const ACCOUNT = "live:mexc:mexc.test";
const EXPECTED = { side: "buy", type: "limit", amount: decimal("1"), price: decimal("9") } as const;

/** Two processes on one database, of which the first has placed one order already. */
async function twoProcesses() {
  const file = `file:${join(tempFolder(), "two.db")}`;
  const [a, b] = [await opened(file), await opened(file)];
  const place = async (clientId: string) => {
    const now = await a.store.now();
    const placing = {
      ...EXPECTED,
      account: ACCOUNT,
      symbol: "BTC/USDT" as const,
      clientId,
      now,
      at: now,
      actor: "test",
    };
    const timing = { requestTimeout: 0, expiry: 0, skew: 0 } as Parameters<typeof manualOrder>[1];
    const order = { ...NEW_ORDER, ...manualOrder(placing, timing) };
    return a.store.recordByHand(order, { at: now, terms: null, limit: order.price, ended: [] }, BY);
  };
  await place("one");
  const readOutput = async () => (await a.store.eventsAfter(0, 100)).map(({ seq, kind }) => `${seq} ${kind}`);
  return { a, b, place, readOutput, verdict: () => verify(a.store, []) };
}

async function opened(file: string) {
  const context = await openDatabase({
    client: connectionTo(file),
    local: nodeLocal,
    migrations,
    kind: "live",
  });
  onTestFinished(() => context.client.close());
  return { context, store: createStore(context) };
}

const token = (id: string) => ({ id, name: "", scope: "read" as const, expiresAt: null, hash: id });

describe("the event of a manual order", () => {
  it("follows the previous event of the same process", async () => {
    const { place, readOutput, verdict } = await twoProcesses();
    expect(await place("two")).toEqual({ result: "recorded" });
    expect(await readOutput()).toEqual(["1 order", "2 order"]);
    expect((await verdict()).faults).toEqual([]);
  });

  it("follows one that another process has written in the meantime", async () => {
    const { b, place, readOutput, verdict } = await twoProcesses();
    await b.store.addToken(token("tok_b"), BY);
    expect(await place("two")).toEqual({ result: "recorded" });
    expect(await readOutput()).toEqual(["1 order", "2 token", "3 order"]);
    expect((await verdict()).faults).toEqual([]);
  });

  it("leaves no gap where the newest event was deleted", async () => {
    const { a, b, place, readOutput, verdict } = await twoProcesses();
    await a.store.addToken(token("tok_a"), BY);
    await b.context.client.execute("drop trigger events_stay");
    await b.context.client.execute("delete from events where seq = 2");
    expect(await place("two")).toEqual({ result: "recorded" });
    expect(await readOutput()).toEqual(["1 order", "2 order"]);
    expect((await verdict()).faults).toEqual([]);
  });

  it("is not the newest where its order was rejected", async () => {
    const { b, place, readOutput, verdict } = await twoProcesses();
    await b.store.setKill(true, BY);
    expect(await place("two")).toEqual({ result: "refused" });
    await b.store.setKill(false, BY);
    expect(await place("three")).toEqual({ result: "recorded" });
    expect(await readOutput()).toEqual(["1 order", "2 kill", "3 kill", "4 order"]);
    expect((await verdict()).faults).toEqual([]);
  });
});

it("rejects an order on a database that a newer version has migrated", async () => {
  const { b, place, readOutput } = await twoProcesses();
  await b.context.client.execute("insert into migrations (name, applied_at) values ('9999_later', 0)");
  await expect(place("two")).rejects.toThrow(/newer edgemaker/);
  expect(await readOutput()).toEqual(["1 order"]);
});
