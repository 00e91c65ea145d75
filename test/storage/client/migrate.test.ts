import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { newSchema } from "../../../cli/build/new-schema.mjs";
import { fileConnection } from "../../../cli/host/database/file-connection.ts";
import type { Context } from "../../../src/storage/client/context.ts";
import { migrate } from "../../../src/storage/client/migrate.ts";
import { type Opening, openDatabase } from "../../../src/storage/client/safe-client.ts";
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
