/** What is told again without a read is never old, whoever has changed the database meanwhile. */
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { createStore } from "../../../src/adapters/libsql/store.ts";
import type { Store } from "../../../src/ports/stores/store.ts";
import { type Connection, openDatabase } from "../../../src/storage/client/safe-client.ts";
import { BY } from "../../support/by.ts";
import { connectionTo } from "../../support/connection.ts";
import { virtualLocal } from "../../support/local.ts";
import { migrations } from "../../support/migrations.ts";
import { makeFolder } from "../../support/temp.ts";
import { START } from "./stores/opened.ts";
import { started } from "./stores/rows.ts";

const token = (id: string, expiresAt: number | null = null) => ({
  id,
  name: id,
  hash: `hash of ${id}`,
  scope: "trade" as const,
  expiresAt,
});

/** Processes on one file: each counts the statements that it has run. */
function processes() {
  const folder = makeFolder();
  const file = join(folder.path, "kept.db");
  const time = virtualLocal(START);
  const closing: (() => void)[] = [];
  const end = () => {
    for (const close of closing) close();
    folder.remove();
  };
  async function another({ stamped = true } = {}) {
    const inner = connectionTo(file);
    let reads = 0;
    const connection: Connection = {
      ...inner,
      execute(statement) {
        reads++;
        return inner.execute(statement);
      },
      ...(stamped ? {} : { stamp: undefined as never }),
    };
    const context = await openDatabase({
      client: connection,
      local: time.local,
      migrations,
      kind: "sandbox",
      clock: time.now,
    });
    closing.push(() => context.client.close());
    const store = createStore(context);
    const readsOf = async (ask: () => Promise<unknown>) => {
      const before = reads;
      await ask();
      return reads - before;
    };
    return { store, connection, readsOf };
  }
  return { another, time, end };
}

/** All that is kept, as a process tells it. */
const readOutput = async (store: Store) => ({
  running: await store.strategies({ stopped: false }),
  all: await store.strategies({ stopped: true, page: { limit: 3 } }),
  tokens: [await store.tokenByHash("hash of a"), await store.tokenByHash("hash of b")],
  killed: await store.killed(),
});

type Deed = (store: Store, connection: Connection) => Promise<unknown>;

/** Each of what may change an answer, by way of a store or past it. */
const DEEDS: Readonly<Record<string, Deed>> = {
  start: (store) => store.createStrategy(started(), BY),
  pause: async (store) => {
    const [first] = await store.strategies({ stopped: false });
    if (first) await store.setPaused(first.strategy.id, { keepOrders: true }, BY);
  },
  stop: (_, connection) =>
    connection.execute("update strategies set status = 'stopped' where number % 2 = 0"),
  forget: (_, connection) => connection.batch(["delete from strategies", "delete from tokens"], "write"),
  "add a": (store) => store.addToken(token("a"), BY).catch(() => undefined),
  "add b": (store) => store.addToken(token("b", START + 3), BY).catch(() => undefined),
  "revoke a": (store) => store.revokeToken("a", BY),
  kill: (store) => store.setKill(true, BY),
  trade: (store) => store.setKill(false, BY),
  "change and take back": (_, connection) =>
    connection
      .batch(["update control set kill = 1 - kill", "insert into fence_guard values (0)"], "write")
      .catch(() => undefined),
  reconnect: async (_, connection) => connection.reconnect(),
  "change the table": (_, connection) =>
    connection.batch(["alter table tokens add column more", "alter table tokens drop column more"], "write"),
};

describe("the read cache of a database", () => {
  it("matches a process without a cache after any sequence of actions of two processes", async () => {
    const deed = fc.record({ what: fc.constantFrom(...Object.keys(DEEDS)), by: fc.nat(1), later: fc.nat(1) });
    await fc.assert(
      fc.asyncProperty(fc.array(deed, { maxLength: 12 }), async (deeds) => {
        const { another, time, end } = processes();
        const [one, other] = [await another(), await another()];
        const plain = await another({ stamped: false });
        for (const { what, by, later } of deeds) {
          const { store, connection } = by === 0 ? one : other;
          await DEEDS[what]?.(store, connection);
          time.pass(later);
          const now = await readOutput(plain.store);
          // The second time it is kept.
          for (const { store } of [one, other, one, other]) expect(await readOutput(store)).toEqual(now);
        }
        end();
      }),
      { numRuns: 40 },
    );
  });

  it("reads once until anything is written", async () => {
    const { another, end } = processes();
    onTestFinished(end);
    const [one, other] = [await another(), await another()];
    await one.store.createStrategy(started(), BY);
    const ask = () => readOutput(one.store);
    expect([await one.readsOf(ask), await one.readsOf(ask)]).not.toContain(0);
    await one.store.addToken(token("a"), BY);
    await one.store.addToken(token("b"), BY);
    expect([await one.readsOf(ask), await one.readsOf(ask)]).toEqual([3, 0]);
    await other.connection.execute("update control set epoch = epoch + 1");
    expect([await one.readsOf(ask), await one.readsOf(ask)]).toEqual([3, 0]);
    await one.connection.execute("update control set epoch = epoch + 1");
    expect([await one.readsOf(ask), await one.readsOf(ask)]).toEqual([3, 0]);
  });

  it("does not cache a result that changed during the read", async () => {
    const { another, end } = processes();
    onTestFinished(end);
    const [one, other] = [await another(), await another()];
    const requests = [one.store.killed(), one.store.killed()];
    await other.store.setKill(true, BY);
    await Promise.all(requests);
    expect(await one.store.killed()).toBe(true);
  });

  it("does not block folding the log into the file", async () => {
    const { another, end } = processes();
    onTestFinished(end);
    const [one, other] = [await another(), await another()];
    await readOutput(one.store);
    await readOutput(one.store);
    await other.store.setKill(true, BY);
    const { rows } = await other.connection.execute("pragma wal_checkpoint(truncate)");
    expect(Number(rows[0]?.[0])).toBe(0);
  });

  it("evaluates times at the moment of each read", async () => {
    const { another, time, end } = processes();
    onTestFinished(end);
    const { store } = await another();
    await store.createStrategy(started(), BY);
    await store.addToken(token("b", START + 3), BY);
    const ask = async () => {
      const [view] = await store.strategies({});
      return [view?.now, (await store.tokenByHash("hash of b"))?.id];
    };
    expect([await ask(), await ask()]).toEqual([
      [START, "b"],
      [START, "b"],
    ]);
    time.pass(2);
    expect(await ask()).toEqual([START + 2, "b"]);
    time.pass(1);
    expect(await ask()).toEqual([START + 3, undefined]);
  });
});
