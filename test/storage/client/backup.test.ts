import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { fileConnection, schemaAfter } from "../../../cli/host/file-connection.ts";
import { createStore } from "../../../src/adapters/libsql/store.ts";
import { SettingsError } from "../../../src/kernel/errors.ts";
import { NO_STOP } from "../../../src/kernel/fields.ts";
import { NEW_ORDER } from "../../../src/model/order.ts";
import type { Strategy } from "../../../src/model/strategy.ts";
import { carryOver, checkBackup, copyInto, fold } from "../../../src/storage/client/backup.ts";
import { openDatabase, safeClient } from "../../../src/storage/client/safe-client.ts";
import { START } from "../../adapters/libsql/stores/opened.ts";
import { started } from "../../adapters/libsql/stores/rows.ts";
import { BY } from "../../support/by.ts";
import { d } from "../../support/grid.ts";
import { virtualLocal } from "../../support/local.ts";
import { eachMigration as migrations } from "../../support/migrations.ts";
import { tempFolder } from "../../support/temp.ts";

async function openFile(path: string) {
  const { local, now } = virtualLocal(START);
  const context = await openDatabase({
    client: fileConnection(path),
    local,
    migrations,
    kind: "sandbox",
    clock: now,
  });
  onTestFinished(() => context.client.close());
  const all = async (text: string) =>
    (await context.client.execute(text)).rows.map((row) => Array.from(row as ArrayLike<unknown>));
  return { context, client: context.client, store: createStore(context), all };
}

/** A database, and a way to put it back to what it was when it was copied: what that has then. */
async function copied(before: (one: Awaited<ReturnType<typeof openFile>>) => Promise<void>) {
  const folder = tempFolder();
  const [path, backup] = [join(folder, "now.db"), join(folder, "then.db")];
  const one = await openFile(path);
  await before(one);
  await copyInto(one.client, backup);
  const restored = async () => {
    await carryOver(one.client, backup);
    return openFile(backup);
  };
  return { ...one, backup, restored };
}

const token = (id: string) => ({ id, name: "", scope: "read" as const, expiresAt: null, hash: id });
const byHand = (clientId: string) => ({
  ...NEW_ORDER,
  clientId,
  account: "sandbox:mexc:",
  strategy: null,
  kind: "hand" as const,
  generation: 0,
  slot: 0,
  side: "buy" as const,
  type: "limit" as const,
  timeInForce: "gtc" as const,
  symbol: "BTC/USDT" as const,
  price: d("9"),
  amount: d("1"),
  createdAt: START,
  sendBy: 0,
  notAfter: 0,
});
const sandboxRow = (created: number, seed: number) =>
  `insert or replace into sandbox (id, origin, created, seed, speed, replays) values (1, 0, ${created}, ${seed}, 1, '[]')`;
const SINCE = "insert into venues (exchange, version, settled_at) values ('kraken', 1, 0)";

describe("user requests made since a restored backup", () => {
  it("include the kill switch with its options, the epoch, and the limits in force", async () => {
    const { store, client, restored } = await copied(async () => undefined);
    await store.panic({ cancels: true, sells: true }, BY);
    await client.execute("update control set epoch = 3, limits = 5");
    const { all } = await restored();
    expect(await all("select kill, cancels, sells, epoch, limits from control")).toEqual([[1, 1, 1, 3, 5]]);
  });

  it("never turn off a kill switch that was on, nor lower the epoch", async () => {
    const { client, restored } = await copied(async ({ store, client }) => {
      await store.panic({ cancels: true, sells: true }, BY);
      await client.execute("update control set epoch = 3, limits = 9");
    });
    await client.execute("update control set kill = 0, cancels = 0, sells = 0, epoch = 1, limits = 2");
    const { all } = await restored();
    expect(await all("select kill, cancels, sells, epoch, limits from control")).toEqual([[1, 1, 1, 3, 2]]);
  });

  it("include each stop and pause, as requested, for that strategy alone", async () => {
    const ids: string[] = [];
    const { store, restored } = await copied(async ({ store }) => {
      for (let made = 0; made < 4; made++)
        ids.push(((await store.createStrategy(started(), BY)) as Strategy).id);
      await store.setWants(ids[3] as string, "stop", NO_STOP, BY);
    });
    const [runs = "", paused = "", stopped = "", again = ""] = ids;
    await store.setWants(paused, "pause", NO_STOP, BY);
    await store.setWants(stopped, "stop", { ...NO_STOP, keepOrders: true, sellBase: true }, BY);
    const back = await restored();
    expect(
      await back.all("select id, wants, keep_orders, sell_base from strategies order by number, id"),
    ).toEqual([
      [runs, "run", 0, 0],
      [paused, "pause", 0, 0],
      [stopped, "stop", 1, 1],
      [again, "stop", 0, 0],
    ]);
  });

  it("include agreements, the names of strategies, and signed days with their minutes and key", async () => {
    const agreement = (name: string, version: number) =>
      `insert into agreements values ('${name}', ${version}, 0, 'user', null, 0, null, '[]', null)`;
    const minute = (at: number) =>
      `insert into liquidity_minutes (exchange, symbol, minute, samples, own_bids, own_asks, own_depth, depth, is_cut_short) values ('kraken', 'BTC/USDT', ${at}, 1, 1, 1, '0 0 0 0 0 0', '0 0 0 0 0 0', 0)`;
    const miss = (at: number) =>
      `insert into liquidity_misses values ('kraken', 'BTC/USDT', ${at}, 'exchange')`;
    const day = (at: number) =>
      `insert into liquidity_proofs values ('kraken', 'BTC/USDT', ${at}, '', 'hash ${at}', '', 'key')`;
    const ids: string[] = [];
    const { client, restored } = await copied(async ({ store, client }) => {
      for (let made = 0; made < 2; made++)
        ids.push(((await store.createStrategy(started(), BY)) as Strategy).id);
      await client.execute("update strategies set name = 'old'");
      for (const text of [agreement("a", 1), minute(5), day(0), minute(1445)]) await client.execute(text);
    });
    await client.execute({ sql: "update strategies set name = 'new' where id = ?", args: [ids[0] ?? ""] });
    await client.execute({ sql: "update strategies set name = null where id = ?", args: [ids[1] ?? ""] });
    const since = [agreement("a", 2), agreement("b", 1), minute(1446), miss(1447), day(1), minute(2885)];
    for (const text of since) await client.execute(text);
    await client.execute("insert into proof_keys values (1, 'key', 'kek', 'wrapped', 'private', 0)");
    const { all } = await restored();
    expect(await all("select name, version from agreements order by 1, 2")).toEqual([
      ["a", 1],
      ["a", 2],
      ["b", 1],
    ]);
    expect(await all("select name from strategies order by number")).toEqual([["new"], [null]]);
    expect(await all("select day, hash from liquidity_proofs order by day")).toEqual([
      [0, "hash 0"],
      [1, "hash 1"],
    ]);
    expect(await all("select minute from liquidity_minutes order by minute")).toEqual([
      [5],
      [1445],
      [1446],
      [2885],
    ]);
    expect(await all("select minute from liquidity_misses")).toEqual([[1447]]);
    expect(await all("select public_key from proof_keys")).toEqual([["key"]]);
  });

  it("do not run a strategy that was stopped at the time and runs now", async () => {
    const { client, restored } = await copied(async ({ store }) => {
      const { id } = (await store.createStrategy(started(), BY)) as Strategy;
      await store.setWants(id, "stop", NO_STOP, BY);
    });
    await client.execute("update strategies set wants = 'run'");
    expect(await (await restored()).all("select wants from strategies")).toEqual([["stop"]]);
  });

  it("include when each token first ended", async () => {
    const { store, client, restored } = await copied(async ({ store }) => {
      for (const id of ["a", "b", "c"]) await store.addToken(token(id), BY);
      await store.revokeToken("c", BY);
    });
    await store.revokeToken("b", BY);
    await client.execute("update tokens set revoked_at = 7 where id = 'c'");
    const { all } = await restored();
    expect(await all("select id, revoked_at from tokens order by id")).toEqual([
      ["a", null],
      ["b", START],
      ["c", START],
    ]);
  });

  it("include each manual order of its account, and no other", async () => {
    const { store, client, restored } = await copied(async () => undefined);
    await store.createStrategy(started(), BY);
    const limits = { terms: null, limit: d("9"), ended: [] };
    for (const id of ["one", "two"]) await store.recordByHand(byHand(id), limits, BY);
    await client.execute("update orders set kind = 'slot' where client_id = 'two'");
    const { all } = await restored();
    expect(await all("select client_id, account from orders")).toEqual([["one", "sandbox:mexc:"]]);
    expect(await all("select account from accounts")).toEqual([["sandbox:mexc:"]]);
  });

  it("include each answered request and current limit, and no shown plan", async () => {
    const request = (key: string, body: string) =>
      `insert or replace into requests (key, body_hash, status, body, created_at) values ('${key}', 'h', 200, '${body}', 0)`;
    const limit = (scope: string) => `insert into limits (scope, settings) values ('${scope}', '{}')`;
    const use = (day: number) =>
      `insert into limit_uses (scope, day, asset, notional, orders, at) values ('s', ${day}, 'USDT', 1, 1, 0)`;
    const { client, restored } = await copied(async ({ client }) => {
      for (const one of [request("then", "x"), limit("gone"), use(1)]) await client.execute(one);
      await client.execute(
        "insert into plans (id, binding, actor, tool, input, preview, created_at, expires_at) values ('p', '', '', '', '{}', '{}', 0, 0)",
      );
    });
    await client.batch(["delete from limits", "delete from limit_uses", "delete from plans"], "write");
    for (const one of [request("then", "y"), request("since", "z"), limit("new"), use(2)])
      await client.execute(one);
    const { all } = await restored();
    expect(await all("select key, body from requests order by key")).toEqual([
      ["since", "z"],
      ["then", "x"],
    ]);
    expect(await all("select scope from limits")).toEqual([["new"]]);
    expect(await all("select day from limit_uses")).toEqual([[2]]);
    expect(await all("select id from plans")).toEqual([]);
  });

  it("leave the limits of the backup in force, if the replaced database is another one", async () => {
    const { client, restored } = await copied(async ({ client }) => {
      await client.execute("insert into limits (scope, settings) values ('then', '{}'), ('both', '{}')");
      await client.execute(
        "insert into limit_uses (scope, day, asset, notional, orders, at) values ('then', 1, 'USDT', 9, 1, 0)",
      );
      await client.execute("update control set limits = 4");
    });
    await client.batch(
      [
        "delete from limits",
        "delete from limit_uses",
        "update control set limits = 1",
        "update migrations set applied_at = applied_at + 1",
        `insert into limits (scope, settings) values ('both', '{"openOrders":2}')`,
      ],
      "write",
    );
    const { all } = await restored();
    expect(await all("select scope, settings from limits order by scope")).toEqual([
      ["both", '{"openOrders":2}'],
      ["then", "{}"],
    ]);
    expect(await all("select scope, notional from limit_uses")).toEqual([["then", 9]]);
  });

  const keys = (account: string, secret: string) =>
    `insert or replace into credentials (account, kek, wrapped, key, secret, created_at) values ('${account}', 'k', 'w', 'key', '${secret}', 0)`;
  it.each([
    [
      "the same",
      0,
      [
        ["added", "c"],
        ["replaced", "b"],
      ],
    ],
    [
      "another",
      1,
      [
        ["added", "c"],
        ["removed", "a"],
        ["replaced", "b"],
      ],
    ],
  ] as const)(
    "include stored, replaced and removed exchange keys of %s database",
    async (_what, later, kept) => {
      const { client, restored } = await copied(async ({ client }) => {
        for (const account of ["removed", "replaced"]) await client.execute(keys(account, "a"));
      });
      await client.execute("delete from credentials where account = 'removed'");
      for (const statement of [keys("replaced", "b"), keys("added", "c")]) await client.execute(statement);
      await client.execute(`update migrations set applied_at = applied_at + ${later}`);
      const { all } = await restored();
      expect(await all("select account, secret from credentials order by account")).toEqual(kept);
    },
  );
});

describe("alert channels after a restore", () => {
  const channel = (name: string, secrets: string) =>
    `insert or replace into channels (name, kind, level, is_daily, reported_day, created_at, kek, wrapped, secrets, event_id, fill_id, digest) values ('${name}', 'ntfy', 'info', 0, 0, 0, 'k', 'w', '${secrets}', (select max(id) from events), 7, '{}')`;
  const message = (id: string, name: string) =>
    `insert into messages (id, channel, state, message) values ('${id}', '${name}', 'pending', '{}')`;

  it.each([
    [
      "the same",
      0,
      [
        ["added", "c"],
        ["changed", "b"],
      ],
    ],
    [
      "another",
      1,
      [
        ["added", "c"],
        ["changed", "b"],
        ["removed", "a"],
      ],
    ],
  ] as const)("are those of now, over %s database", async (_what, later, kept) => {
    const { client, restored } = await copied(async ({ client, store }) => {
      await store.addToken(token("a"), BY);
      for (const name of ["removed", "changed"]) await client.execute(channel(name, "a"));
      for (const name of ["removed", "changed"]) await client.execute(message(name, name));
    });
    await client.execute("delete from channels where name = 'removed'");
    for (const statement of [channel("changed", "b"), channel("added", "c")]) await client.execute(statement);
    await client.execute(`update migrations set applied_at = applied_at + ${later}`);
    const { all } = await restored();
    expect(await all("select name, secrets from channels order by name")).toEqual(kept);
    const names = kept.map(([name]) => name).filter((name) => name !== "added");
    expect(await all("select channel from messages order by channel")).toEqual(names.map((name) => [name]));
  });

  it("get the events that follow the restore", async () => {
    const { client, store, restored } = await copied(async ({ store }) => store.addToken(token("a"), BY));
    for (const id of ["b", "c", "d"]) await store.addToken(token(id), BY);
    await client.execute(channel("added", "{}"));
    const back = await restored();
    expect(await back.all("select event_id, fill_id from channels")).toEqual([[1, 0]]);
    await back.store.addToken(token("e"), BY);
    expect(await back.all("select message from events where id > (select event_id from channels)")).toEqual([
      ["created e, which has scope read"],
    ]);
  });
});

describe("a sandbox's venues", () => {
  it.each([
    ["the same", [5, 1], 1],
    ["another that was made at another time", [6, 1], 0],
    ["another by its seed", [5, 2], 0],
  ] as const)(
    "go back no further than real ones do, where it is %s",
    async (_what, [created, seed], kept) => {
      const { client, restored } = await copied(
        async ({ client }) => void (await client.execute(sandboxRow(5, 1))),
      );
      await client.execute(sandboxRow(created, seed));
      await client.execute(SINCE);
      expect((await (await restored()).all("select exchange from venues")).length).toBe(kept);
    },
  );

  it("are none where there is no sandbox", async () => {
    const { client, restored } = await copied(async () => undefined);
    await client.execute(SINCE);
    expect(await (await restored()).all("select exchange from venues")).toEqual([]);
  });
});

describe("a backup", () => {
  it("is closed once its contents are written, and where that fails", async () => {
    const { client, backup, restored } = await copied(async () => undefined);
    const attached = async () =>
      (await client.execute("pragma database_list")).rows.map(({ name }) => name).includes("backup");
    await restored();
    expect(await attached()).toBe(false);
    const other = await safeClient(fileConnection(backup), virtualLocal(0).local);
    await other.execute("drop table plans");
    other.close();
    await expect(carryOver(client, backup)).rejects.toThrow("plans");
    expect(await attached()).toBe(false);
  });

  it("is one file after its log is folded in", async () => {
    const { client } = await copied(async () => undefined);
    const mode = async () => (await client.execute("pragma journal_mode")).rows[0]?.[0];
    expect(await mode()).toBe("wal");
    await fold(client);
    expect(await mode()).toBe("delete");
  });

  it("is complete, of this program, and not of a newer one", async () => {
    const { client } = await copied(async () => undefined);
    await checkBackup(client, migrations, schemaAfter);
    const newer = checkBackup(client, migrations.slice(0, -1), schemaAfter);
    await expect(newer).rejects.toThrow(SettingsError);
    await expect(newer).rejects.toThrow(
      `this backup is from a newer version of edgemaker (migration ${migrations.at(-1)?.name}`,
    );
    await client.execute("drop table control");
    const other = checkBackup(client, migrations, schemaAfter);
    await expect(other).rejects.toThrow(SettingsError);
    await expect(other).rejects.toThrow("this is not a backup of an edgemaker database");
  });

  it("reports that it is damaged", async () => {
    const path = join(tempFolder(), "damaged.db");
    const { client } = await openFile(path);
    // A row of an index that its table has not: seen by a check alone.
    await client.execute("create table damaged (id integer primary key, note text not null)");
    await client.execute("insert into damaged values (1, 'a')");
    await client.execute("pragma writable_schema = 1");
    await client.execute(
      "update sqlite_master set sql = 'create table damaged (id integer primary key, note text not null, more text not null)' where name = 'damaged'",
    );
    await client.execute("pragma writable_schema = 0");
    client.close();
    const again = await safeClient(fileConnection(path), virtualLocal(0).local);
    onTestFinished(() => again.close());
    const damaged = checkBackup(again, migrations, schemaAfter);
    await expect(damaged).rejects.toThrow(SettingsError);
    await expect(damaged).rejects.toThrow(/^this backup is damaged: NULL value in damaged\.more/);
  });

  it("reports that it is not a database", async () => {
    const path = join(tempFolder(), "text.db");
    const connection = fileConnection(path);
    const client = await safeClient(connection, virtualLocal(0).local);
    onTestFinished(() => client.close());
    writeFileSync(path, "a text that is no database, and longer than a header. ".repeat(200));
    await expect(checkBackup(client, migrations, schemaAfter)).rejects.toThrow(
      /^this backup is damaged: .*not a database/,
    );
  });
});
