import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { newSchema } from "../../../cli/build/new-schema.mjs";
import { fileConnection } from "../../../cli/host/file-connection.ts";
import type { Context } from "../../../src/storage/client/context.ts";
import { migrate, readiness } from "../../../src/storage/client/migrate.ts";
import { type Connection, type Opening, openDatabase } from "../../../src/storage/client/safe-client.ts";
import { virtualLocal } from "../../support/local.ts";
import { eachMigration, migrations } from "../../support/migrations.ts";
import { tempFolder } from "../../support/temp.ts";

const newFile = () => join(tempFolder(), "one.db");

/** A database, and the batches and statements that it was asked for. */
async function opened(file: string, over: Partial<Opening> = {}) {
  const made = fileConnection(file);
  const batches: number[] = [];
  const statements: string[] = [];
  const client: typeof made = {
    ...made,
    batch: (all, mode) => {
      batches.push(all.length);
      statements.push(...all.map((one) => (typeof one === "string" ? one : one.sql)));
      return made.batch(all, mode);
    },
  };
  onTestFinished(() => made.close());
  const { local } = virtualLocal(0);
  return {
    batches,
    statements,
    context: await openDatabase({ client, local, migrations: eachMigration, kind: "sandbox", ...over }),
  };
}

/** Everything that a database holds but when it was made. */
async function contentOf({ client }: Context) {
  const { rows: parts } = await client.execute(
    "select type, name, tbl_name, sql from sqlite_master order by type, name",
  );
  const tables = parts.filter((row) => row.type === "table").map((row) => String(row.name));
  const rows = await Promise.all(
    tables.map(async (name) =>
      (await client.execute(`select * from "${name}"`)).rows.map((row) => ({ ...row, applied_at: 0 })),
    ),
  );
  return {
    parts: parts.map((row) => ({ ...row })),
    rows: Object.fromEntries(tables.map((name, at) => [name, rows[at]])),
  };
}

it("a new database gets all migrations at once", async () => {
  const { batches, context } = await opened(newFile());
  expect(batches).toHaveLength(1);
  expect((await contentOf(context)).rows.migrations?.length).toBe(eachMigration.length);
});

it("tests get the schema that the migrations create", async () => {
  const { context } = await opened(newFile(), { migrations });
  expect(await contentOf(context)).toEqual(await contentOf((await opened(newFile())).context));
});

/** The schema's rows as SQLite stores them, in their order. */
async function schemaOf({ client }: Context) {
  const { rows } = await client.execute("select type, name, tbl_name, sql from sqlite_schema order by rowid");
  return rows.map((row) => ({ ...row }));
}

const schema = newSchema();

it.each([
  ["a file", newFile],
  ["memory", () => ":memory:"],
])("a new database in %s gets in one step what the migrations create", async (_where, place) => {
  const { batches, statements, context } = await opened(place(), { schema });
  expect(batches).toEqual([1 + schema.statements.length]);
  expect(statements.filter((one) => /^(alter|update|drop)/i.test(one.trim()))).toEqual([]);
  const { context: stepwise } = await opened(place());
  expect(await schemaOf(context)).toEqual(await schemaOf(stepwise));
  expect(await contentOf(context)).toEqual(await contentOf(stepwise));
});

it("the schema of other migrations is not applied", async () => {
  for (const names of [schema.names.slice(1), [...schema.names].reverse(), [...schema.names, "later.sql"]]) {
    const { context } = await opened(newFile(), {
      schema: { names, statements: ["create table wrong (one)"] },
    });
    expect(await contentOf(context)).toEqual(await contentOf((await opened(newFile())).context));
  }
});

it("a database that lacks some migrations does not get the whole schema", async () => {
  const file = newFile();
  const { context: before } = await opened(file, { migrations: [], isChecked: true });
  await migrate(before, eachMigration.slice(0, -1));
  const { batches, context } = await opened(file, { schema });
  expect(batches).toHaveLength(1);
  expect(await contentOf(context)).toEqual(await contentOf((await opened(newFile())).context));
});

it.each([1, eachMigration.length - 1, eachMigration.length])(
  "a database with %i migrations gets the others, one by one",
  async (count) => {
    const file = newFile();
    const { context: before } = await opened(file, { migrations: [], isChecked: true });
    await migrate(before, eachMigration.slice(0, count));
    const { batches, context } = await opened(file);
    expect(batches).toHaveLength(eachMigration.length - count);
    expect(await contentOf(context)).toEqual(await contentOf((await opened(newFile())).context));
  },
);

it("a database with another program's tables gets them too", async () => {
  const file = newFile();
  const other = fileConnection(file);
  await other.execute("create table notes (text text)");
  other.close();
  expect((await contentOf((await opened(file)).context)).rows.notes).toEqual([]);
});

it.each([
  ["from migrations", {}],
  ["in one step", { schema }],
])("two that start at once create the schema once, %s", async (_how, over) => {
  const file = newFile();
  const both = await Promise.all([opened(file, over), opened(file), opened(file, over)]);
  const plain = await contentOf((await opened(newFile())).context);
  for (const { context } of both) expect(await contentOf(context)).toEqual(plain);
});

it("applies what is left if an older version creates the database at the same moment", async () => {
  const file = newFile();
  const older = await opened(file, { migrations: [], isChecked: true });
  const { context } = await opened(file, { migrations: [], isChecked: true });
  let isFirst = true;
  const batch: Context["client"]["batch"] = async (...of) => {
    if (isFirst) await migrate(older.context, eachMigration.slice(0, -2));
    isFirst = false;
    return context.client.batch(...of);
  };
  await migrate({ client: { ...context.client, batch } } as Context, eachMigration);
  const { batches, context: reopened } = await opened(file);
  expect(batches).toEqual([]);
  expect(await contentOf(reopened)).toEqual(await contentOf((await opened(newFile())).context));
});

it("reports why a migration fails", async () => {
  const broken = { name: "9999_broken.sql", text: "create table" };
  await expect(opened(newFile(), { migrations: [...eachMigration, broken] })).rejects.toThrow(/incomplete/);
});

/** A database whose batches may fail, or have no answer until the test ends. */
async function countRequests() {
  const made = fileConnection(join(tempFolder(), "one.db"));
  const time = virtualLocal(1_000_000);
  const state: { code?: string; hangs?: boolean; probes: number } = { probes: 0 };
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const connection: Connection = {
    ...made,
    async batch(statements, mode) {
      state.probes++;
      if (state.hangs) await ended;
      if (state.code) throw Object.assign(new Error("it failed"), { code: state.code });
      return made.batch(statements, mode);
    },
  };
  const context = await openDatabase({
    client: connection,
    local: time.local,
    migrations,
    kind: "sandbox",
  });
  onTestFinished(() => {
    end();
    context.client.close();
  });
  state.probes = 0;
  return { time, state, context, ready: readiness(context), client: context.client };
}

describe("a database's readiness", () => {
  it("is checked with a write that is rolled back, where the last write is more than 5 s ago", async () => {
    const { time, state, ready, client } = await countRequests();
    time.pass(5000 - client.sinceWrite());
    await ready();
    expect(state.probes).toBe(0);
    time.pass(1);
    await ready();
    expect([state.probes, client.sinceWrite()]).toEqual([1, 0]);
    expect((await client.execute("select count(*) from fence_guard")).rows[0]?.[0]).toBe(0);
    await ready();
    expect(state.probes).toBe(1);
    time.pass(5001);
    await ready();
    expect(state.probes).toBe(2);
  });

  it("is checked once for all simultaneous callers", async () => {
    const { time, state, ready } = await countRequests();
    time.pass(6000);
    await Promise.all([ready(), ready(), ready()]);
    expect(state.probes).toBe(1);
  });

  it("is lost with a reason where a write fails, and returns once a write succeeds", async () => {
    const { time, state, ready } = await countRequests();
    time.pass(6000);
    state.code = "SQLITE_FULL";
    const full = { failure: "unavailable", message: "the database cannot be used: its disk is full" };
    await expect(ready()).rejects.toMatchObject(full);
    await expect(ready()).rejects.toMatchObject(full);
    expect(state.probes).toBe(2);
    delete state.code;
    await ready();
    expect(state.probes).toBe(3);
  });

  it("is checked at once after known trouble, however recent its last write is", async () => {
    const { state, ready, client } = await countRequests();
    state.code = "SQLITE_FULL";
    await expect(client.batch(["delete from fence_guard"], "write")).rejects.toThrow("its disk is full");
    await expect(ready()).rejects.toThrow("its disk is full");
    delete state.code;
    await ready();
    expect(client.trouble()).toBeUndefined();
  });

  it("does not wait for a database without response, and reports its known trouble", async () => {
    const one = await countRequests();
    one.time.pass(6000);
    one.state.hangs = true;
    const other = await countRequests();
    other.state.code = "SQLITE_FULL";
    await expect(other.client.batch(["delete from fence_guard"], "write")).rejects.toThrow();
    other.time.pass(6000);
    delete other.state.code;
    other.state.hangs = true;
    const late = { failure: "unavailable", message: "the database has accepted no write for 2 s" };
    const full = { failure: "unavailable", message: "the database cannot be used: its disk is full" };
    await Promise.all([
      expect(one.ready()).rejects.toMatchObject(late),
      expect(other.ready()).rejects.toMatchObject(full),
    ]);
  });

  it("requires the migrations", async () => {
    const { ready, client } = await countRequests();
    await client.execute("delete from control");
    await expect(ready()).rejects.toMatchObject({
      failure: "unavailable",
      message: "the database is not migrated",
    });
  });

  it("requires a program that is not older than the database", async () => {
    const { ready, client, context } = await countRequests();
    await client.execute("insert into migrations (name, applied_at) values ('9999_later', 0)");
    await expect(ready()).rejects.toThrow("a newer edgemaker migrated this database (to 9999_later");
    expect(context.version?.newer).toMatch(/9999_later/);
    await client.execute("delete from migrations where name = '9999_later'");
    await ready();
    expect(context.version?.newer).toBeUndefined();
  });
});

describe("a Worker's database", () => {
  const [newest = { name: "" }] = eachMigration.slice(-1);
  const asWorker = { migrations: [], newest: newest.name };

  it("is used with the version's newest migration, after one read", async () => {
    const file = newFile();
    (await opened(file)).context.client.close();
    const { batches } = await opened(file, asWorker);
    expect(batches).toEqual([]);
  });

  it("is refused with the way back if a newer program migrated it, or if it lacks migrations", async () => {
    const file = newFile();
    const { context } = await opened(file);
    await context.client.execute("insert into migrations (name, applied_at) values ('9999_later.sql', 1)");
    await expect(opened(file, asWorker)).rejects.toThrow(
      "a newer edgemaker migrated this database (to 9999_later.sql); deploy the newer version again, or restore an older backup",
    );
    const older = newFile();
    await opened(older, { migrations: eachMigration.slice(0, -1) });
    const before = eachMigration.at(-2)?.name;
    await expect(opened(older, asWorker)).rejects.toThrow(
      `an older edgemaker uses this database (migrated to ${before}), and this version needs ${newest.name}; run \`edgemaker deploy\`, or \`edgemaker db migrate\` with its URL`,
    );
  });
});
