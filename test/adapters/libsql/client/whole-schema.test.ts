import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { fileConnection } from "../../../../cli/host/database/file-connection.ts";
import { madeSchema } from "../../../../cli/host/database/migrations.ts";
import type { Context } from "../../../../src/adapters/libsql/client/context.ts";
import { migrate } from "../../../../src/adapters/libsql/client/migrate.ts";
import { type Opening, openDatabase } from "../../../../src/adapters/libsql/client/open.ts";
import { virtualLocal } from "../../../support/local.ts";
import { migrations } from "../../../support/migrations.ts";
import { tempFolder } from "../../../support/temp.ts";

const newFile = () => join(tempFolder(), "one.db");

/** Of a file, and which statements it was asked for. */
async function opened(file: string, over: Partial<Opening> = {}) {
  const made = fileConnection(file);
  const requests: string[] = [];
  const hear = (one: Parameters<typeof made.execute>[0]) =>
    requests.push(typeof one === "string" ? one : one.sql);
  const client: typeof made = {
    ...made,
    execute: (one) => {
      hear(one);
      return made.execute(one);
    },
    batch: (all, mode) => {
      all.forEach(hear);
      return made.batch(all, mode);
    },
  };
  onTestFinished(() => made.close());
  const { local } = virtualLocal(0);
  return {
    requests,
    context: await openDatabase({ client, local, migrations, kind: "sandbox", ...over }),
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

const { whole } = await madeSchema();
const isWhole = (requests: readonly string[]) => requests.includes(whole[0] as string);

it("a new database created from the whole schema equals one built by migrations", async () => {
  const step = await opened(newFile());
  const once = await opened(newFile(), { whole });
  expect([isWhole(step.requests), isWhole(once.requests)]).toEqual([false, true]);
  expect(once.requests.filter((sql) => sql.startsWith("insert into migrations"))).toHaveLength(1);
  const content = await contentOf(once.context);
  expect(content).toEqual(await contentOf(step.context));
  expect(content.rows.migrations?.length).toBe(migrations.length);
});

it.each([1, migrations.length - 1, migrations.length])(
  "a database with %i migrations gets the others",
  async (count) => {
    const file = newFile();
    const { context: before } = await opened(file, { migrations: [], isChecked: true });
    await migrate(before, migrations.slice(0, count));
    const { requests, context } = await opened(file, { whole });
    expect(isWhole(requests)).toBe(false);
    expect(await contentOf(context)).toEqual(await contentOf((await opened(newFile())).context));
  },
);

it("a database with another program's tables does not count as new", async () => {
  const file = newFile();
  const other = fileConnection(file);
  await other.execute("create table notes (text text)");
  other.close();
  const { requests, context } = await opened(file, { whole });
  expect(isWhole(requests)).toBe(false);
  expect((await contentOf(context)).rows.notes).toEqual([]);
});

it("two that start at once create the schema once", async () => {
  const file = newFile();
  const both = await Promise.all([opened(file, { whole }), opened(file, { whole }), opened(file)]);
  const plain = await contentOf((await opened(newFile())).context);
  for (const { context } of both) expect(await contentOf(context)).toEqual(plain);
});

it("where the whole schema fails, migrations run one by one, or report why not", async () => {
  const { context } = await opened(newFile(), { whole: [...whole, "create table"] });
  expect(await contentOf(context)).toEqual(await contentOf((await opened(newFile())).context));
  const broken = { name: "9999_broken.sql", text: "create table" };
  const migrationsToo = { migrations: [...migrations, broken], whole: [...whole, "create table"] };
  await expect(opened(newFile(), migrationsToo)).rejects.toThrow();
});
