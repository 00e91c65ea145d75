/** Manual orders that wait for the database at the same time are each checked against the others. */
import { join } from "node:path";
import { LibsqlError } from "@libsql/client/http";
import { describe, expect, it, onTestFinished } from "vitest";
import { nodeLocal } from "../../../cli/host/process/node-local.ts";
import { createStore } from "../../../src/adapters/libsql/store.ts";
import { verify } from "../../../src/audit/operations/audit.ts";
import type { Order } from "../../../src/model/order.ts";
import { type Connection, openDatabase } from "../../../src/storage/client/safe-client.ts";
import { BY } from "../../support/by.ts";
import { connectionTo } from "../../support/connection.ts";
import { d } from "../../support/grid.ts";
import { order } from "../../support/made.ts";
import { migrations } from "../../support/migrations.ts";
import { tempFolder } from "../../support/temp.ts";

const ACCOUNT = "live:mexc:mexc.test";

/** A process that has placed one order already, and another one on the same database. */
async function opened() {
  const file = `file:${join(tempFolder(), "concurrent.db")}`;
  const connection = connectionTo(file);
  const batches: number[] = [];
  const failures: LibsqlError[] = [];
  const client: Connection = {
    ...connection,
    batch(statements, mode) {
      if (mode === "write") batches.push(statements.length);
      const failure = batches.length > 1 ? failures.shift() : undefined;
      return failure ? Promise.reject(failure) : connection.batch(statements, mode);
    },
  };
  const store = await storeOn(client);
  const place = async (over: Partial<Order>) => {
    const one = order({
      account: ACCOUNT,
      strategy: null,
      kind: "hand",
      state: "pending",
      exchangeId: null,
      timeInForce: "gtc",
      actor: "test",
      ...over,
    });
    const terms = { at: await store.now(), terms: null, limit: one.price, ended: [] };
    return store.recordByHand(one, terms, BY);
  };
  await place({ clientId: "before" });
  batches.length = 0;
  const all = (...orders: Partial<Order>[]) => Promise.allSettled(orders.map(place));
  const readOutput = async () => {
    const events = await store.eventsAfter(0, 99);
    return events.filter(({ kind }) => kind === "order").map(({ message }) => message.split(":")[0]);
  };
  const rows = async () => (await store.unsettledOrders()).map(({ clientId }) => clientId).sort();
  const faults = async () => (await verify(store, [])).faults;
  return {
    store,
    other: () => storeOn(connectionTo(file)),
    all,
    batches,
    failures,
    readOutput,
    rows,
    faults,
  };
}

async function storeOn(client: Connection) {
  const context = await openDatabase({ client, local: nodeLocal, migrations, kind: "live" });
  onTestFinished(() => context.client.close());
  return createStore(context);
}

const ids = ["a", "b", "c", "d"];
const FOUR = ids.map((clientId) => ({ clientId }));
const recorded = { status: "fulfilled", value: { result: "recorded" } };
const refusedBecause = (failure: string) => ({ status: "rejected", reason: { failure } });

describe("concurrent manual orders", () => {
  it("are written in order, each with its row and its event", async () => {
    const { all, readOutput, rows, faults } = await opened();
    expect(await all(...FOUR)).toEqual(FOUR.map(() => recorded));
    expect([await readOutput(), await rows()]).toEqual([
      ["before", ...ids],
      ["a", "b", "before", "c", "d"],
    ]);
    expect(await faults()).toEqual([]);
  });

  it("are each checked against the others", async () => {
    const { all, rows, readOutput, faults } = await opened();
    const crossing = { clientId: "x", side: "sell", price: d("1") } as const;
    const answers = await all({ clientId: "a" }, crossing, { clientId: "c" });
    expect(answers).toMatchObject([
      recorded,
      { value: { result: "meets", order: { clientId: "before" } } },
      recorded,
    ]);
    expect(await rows()).toEqual(["a", "before", "c"]);
    expect(await readOutput()).toEqual(["before", "a", "c"]);
    expect(await faults()).toEqual([]);
  });

  it("are not affected by one with a reused id", async () => {
    const { all, rows, faults } = await opened();
    const answers = await all({ clientId: "a" }, { clientId: "before" }, { clientId: "c" });
    expect(answers).toMatchObject([recorded, refusedBecause("constraint"), recorded]);
    expect(await rows()).toEqual(["a", "before", "c"]);
    expect(await faults()).toEqual([]);
  });

  it("are all rejected by the kill switch", async () => {
    const { store, all, rows, faults } = await opened();
    const placing = all(...FOUR);
    await store.setKill(true, BY);
    const answers = await placing;
    expect(new Set(answers.map((one) => JSON.stringify(one))).size).toBe(1);
    expect(answers[0]).toMatchObject({ value: { result: "refused" } });
    expect(await rows()).toEqual(["before"]);
    expect(await faults()).toEqual([]);
  });

  it("follow events that another process has written in the meantime", async () => {
    const { other, all, readOutput, rows, faults } = await opened();
    await (await other()).setKill(false, BY);
    expect(await all(...FOUR)).toEqual(FOUR.map(() => recorded));
    expect([await readOutput(), await rows()]).toEqual([
      ["before", ...ids],
      ["a", "b", "before", "c", "d"],
    ]);
    expect(await faults()).toEqual([]);
  });

  it("are retried where another process writes", async () => {
    const { all, batches, failures, rows, faults } = await opened();
    batches.push(0);
    failures.push(new LibsqlError("database is locked", "SQLITE_BUSY"));
    expect(await all(...FOUR)).toEqual(FOUR.map(() => recorded));
    expect(await rows()).toEqual(["a", "b", "before", "c", "d"]);
    expect(await faults()).toEqual([]);
  });

  it("fail alone where the outcome of a write is unknown, and it is not repeated", async () => {
    const { all, batches, failures, rows } = await opened();
    batches.push(0);
    failures.push(new LibsqlError("disk I/O error", "SQLITE_IOERR"));
    const answers = await all(...FOUR);
    expect(answers).toMatchObject([refusedBecause("unavailable"), recorded, recorded, recorded]);
    expect(await rows()).toEqual(["b", "before", "c", "d"]);
  });
});
