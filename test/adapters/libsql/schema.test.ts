import { execFileSync } from "node:child_process";
import { cpSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { createClient } from "@libsql/client";
import { describe, expect, it } from "vitest";
import { nodeLocal } from "../../../cli/host/process/node-local.ts";
import { SettingsError } from "../../../src/kernel/errors.ts";
import { createContext } from "../../../src/storage/client/context.ts";
import { migrate } from "../../../src/storage/client/migrate.ts";
import { openDatabase, safeClient } from "../../../src/storage/client/safe-client.ts";
import { root } from "../../support/bundle.ts";
import { eachMigration as migrations } from "../../support/migrations.ts";
import { tempFolder } from "../../support/temp.ts";

const open = (url: string, kind: "live" | "sandbox" = "live") =>
  openDatabase({
    client: createClient({ url, concurrency: 1, timeout: 50 }),
    local: nodeLocal,
    migrations,
    kind,
  });

describe("migrations", () => {
  it("are applied once by many processes that start at the same time", async () => {
    const url = `file:${join(tempFolder(), "new.db")}`;
    const contexts = await Promise.all(Array.from({ length: 8 }, () => open(url)));
    const [first] = contexts;
    const applied = await first?.client.execute("select count(*) from migrations");
    expect(applied?.rows[0]?.[0]).toBe(migrations.length);
    for (const { client } of contexts) client.close();
  });

  it("apply nothing of one that fails halfway", async () => {
    const client = await safeClient(createClient({ url: "file::memory:", concurrency: 1 }), nodeLocal);
    const broken = {
      name: "0.sql",
      text: "create table a (x);--> statement-breakpoint\ncreate table a (x);",
    };
    await expect(migrate(createContext(client), [broken])).rejects.toThrow(/already exists/);
    const left = await client.execute("select count(*) from sqlite_master where name = 'a'");
    expect(left.rows[0]?.[0]).toBe(0);
  });

  it("that rename stored fields preserve their values", async () => {
    const client = await safeClient(
      createClient({ url: `file:${join(tempFolder(), "old.db")}`, concurrency: 1 }),
      nodeLocal,
    );
    const context = createContext(client);
    await migrate(
      context,
      migrations.filter(({ name }) => name < "0036"),
    );
    const insert = async (table: string, row: Readonly<Record<string, string>>) => {
      const { rows } = await client.execute(`pragma table_info(${table})`);
      const required = rows.filter((one) => one.notnull === 1 && one.dflt_value === null && one.pk === 0);
      const whole = { ...Object.fromEntries(required.map((one) => [String(one.name), "1"])), ...row };
      const names = Object.keys(whole);
      await client.execute({
        sql: `insert into ${table} (${names.join(", ")}) values (${names.map(() => "?").join(", ")})`,
        args: Object.values(whole),
      });
    };
    const memory = {
      marks: { "A/B": { seenAt: 4 } },
      elsewhere: { "A/B": { prices: [], askedAt: 5, bookAt: null } },
    };
    await insert("accounts", { account: "a", memory: JSON.stringify(memory) });
    await insert("channels", {
      name: "ops",
      held: JSON.stringify({ lines: ['"told":'], more: 0, told: { x: 7 } }),
    });
    const config = JSON.stringify({ rules: { asked: "0.001" } });
    const state = JSON.stringify({ heldUntil: 3, seen: [], exit: { held: "2" } });
    await insert("strategies", { id: "q", account: "a", config, edit: config, state });
    await migrate(context, migrations);
    const read = async (sql: string) =>
      Object.values((await client.execute(sql)).rows[0] ?? {}).map((text) => JSON.parse(String(text)));
    expect(await read("select memory from accounts")).toEqual([
      {
        marks: { "A/B": { observedAt: 4 } },
        elsewhere: { "A/B": { prices: [], requestedAt: 5, bookAt: null } },
      },
    ]);
    expect(await read("select digest from channels")).toEqual([
      { lines: ['"told":'], more: 0, sentAt: { x: 7 } },
    ]);
    expect(await read("select state from strategies")).toEqual([
      { recoversUntil: 3, recentPrices: [], exit: { baseAtStart: "2" } },
    ]);
    expect(await read("select config, edit from strategies")).toEqual(
      Array.from({ length: 2 }, () => ({ rules: { halfSpread: "0.001" } })),
    );
  });

  it("that recreate a table preserve its rows, their ids and references", async () => {
    const client = await safeClient(
      createClient({ url: `file:${join(tempFolder(), "old.db")}`, concurrency: 1 }),
      nodeLocal,
    );
    const context = createContext(client);
    const before = migrations.filter(({ name }) => name < "0022");
    await migrate(context, before);
    await client.batch(
      [
        "insert into accounts (account, memory) values ('a', '{}')",
        ...["x", "y"].map(
          (id) =>
            `insert into orders (client_id, account, kind, generation, slot, symbol, side, type, price, amount, state, filled, booked, booked_notional, booked_fees, gap, send_by, not_after, misses, created_at, settled) values ('${id}', 'a', 'hand', 0, 0, 'A/B', 'buy', 'limit', '1', '1', 'filled', '1', '1', '1', '{}', '0', 0, 0, 0, 0, 1)`,
        ),
        ...["x", "y"].map(
          (id, place) =>
            `insert into fills (rowid, account, symbol, trade_id, client_id, side, price, amount, notional, fees, at, superseded) values (${5 - place}, 'a', 'A/B', 't${id}', '${id}', 'buy', '1', '1', '1', '[]', 0, 0)`,
        ),
      ],
      "write",
    );
    const tell = async () =>
      (
        await client.execute("select f.rowid, f.*, o.* from fills f join orders o using (account, client_id)")
      ).rows
        .map(({ ...row }) => row)
        .sort((a, b) => Number(a.rowid) - Number(b.rowid));
    const rows = await tell();
    expect(rows).toHaveLength(2);
    await migrate(context, migrations);
    // A later migration gave orders a label.
    expect(await tell()).toEqual(rows.map((row) => ({ ...row, label: null })));
    expect((await client.execute("pragma foreign_key_check")).rows).toEqual([]);
    const orphan =
      "insert into fills (account, symbol, trade_id, client_id, side, price, amount, notional, fees, at, superseded) values ('b', 'A/B', 'z', 'x', 'buy', '1', '1', '1', '[]', 0, 0)";
    await expect(client.execute(orphan)).rejects.toThrow(/FOREIGN KEY/);
    await expect(client.execute("delete from fills")).rejects.toThrow(/append-only/);
    await expect(client.execute("update orders set price = '2'")).rejects.toThrow(/does not change/);
    client.close();
  });

  it("match the tables in the source", () => {
    const folder = tempFolder();
    cpSync(join(root, "drizzle"), join(folder, "drizzle"), { recursive: true });
    const before = readdirSync(join(folder, "drizzle")).length;
    const args = [
      "generate",
      "--dialect",
      "sqlite",
      "--schema",
      join(root, "src/storage/tables/*.ts"),
      "--out",
      "drizzle",
    ];
    const output = execFileSync(join(root, "node_modules/.bin/drizzle-kit"), args, {
      cwd: folder,
      encoding: "utf8",
    });
    expect(output).toContain("No schema changes");
    expect(readdirSync(join(folder, "drizzle"))).toHaveLength(before);
  });
});

describe("a database", () => {
  it("stores whether it is a sandbox, and rejects the other kind", async () => {
    const url = `file:${join(tempFolder(), "kind.db")}`;
    (await open(url, "sandbox")).client.close();
    await expect(open(url, "live")).rejects.toThrow(SettingsError);
    (await open(url, "sandbox")).client.close();
  });
});

describe("triggers", () => {
  const order =
    "insert into accounts (account, memory) values ('a', '{}');insert into orders values ('em1', 'a', null, 'hand', 0, 0, 'A/B', 'buy', 'limit', '1', '1', 'open', null, '0.5', '0', '0', '{}', '0', null, null, null, 0, 0, 0, null, null, null, 0, 0, null, 'gtc', null)";
  const event = "insert into events (account, at, kind, message) values ('a', 0, 'started', '')";
  const fill = "insert into fills values ('a', 'A/B', 't1', 'em1', null, 'buy', '1', '1', '1', '[]', 0, 0)";

  it.each([
    ["a state going back", "update orders set state = 'pending'"],
    ["a filled amount that falls", "update orders set filled = '0.4'"],
    ["another price", "update orders set price = '2'"],
    ["an order's end", "delete from orders"],
    ["another fill", "update fills set amount = '2'"],
    ["a fill's end", "delete from fills"],
    ["another event", "update events set message = 'x'"],
    ["an event's end", "delete from events"],
    ["the same trade twice", fill],
  ])("reject %s", async (_what, statement) => {
    const { client } = await open("file::memory:");
    for (const made of [...order.split(";"), event, fill]) await client.execute(made);
    await expect(client.execute(statement)).rejects.toThrow();
  });

  it("preserve a final state and let its filled amount rise", async () => {
    const { client } = await open("file::memory:");
    for (const made of order.split(";")) await client.execute(made);
    await client.execute("update orders set state = 'canceled'");
    await client.execute("update orders set filled = '1'");
    await expect(client.execute("update orders set state = 'open'")).rejects.toThrow(/no such edge/);
  });
});
