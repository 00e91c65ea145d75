import { type SQL, sql } from "drizzle-orm";
import { StoreError } from "../../../kernel/errors.ts";
import { type Context, type Statement, statement } from "./context.ts";

/** One generated file of `drizzle/`, in the order of its name. */
export interface Migration {
  readonly name: string;
  readonly text: string;
}

/** Statements that make at once what all migrations come to on a database that has had none. */
export type WholeSchema = readonly string[];

const BREAK = "--> statement-breakpoint";

/** What a database has had that this program does not know: it is older than whoever has last worked on it. */
export async function refuseNewer(
  { client, version }: Context,
  calls: Pick<Context["client"], "execute"> = client,
): Promise<void> {
  if (!version) return;
  const { rows } = await calls.execute("select name from migrations order by name desc limit 1");
  const name = String(rows[0]?.[0] ?? "");
  const isKnown = name === "" || version.names.has(name);
  version.newer = isKnown
    ? undefined
    : `a newer edgemaker migrated this database (to ${name}); update edgemaker, or restore an older backup`;
  if (version.newer !== undefined) throw new StoreError("unavailable", version.newer);
}

/** The same as what has to hold of a batch. */
export function isNotNewer({ version }: Context): SQL {
  if (!version) return sql`1`;
  const last = [...version.names].sort().at(-1) ?? "";
  return sql`coalesce((select max(name) from migrations), '') <= ${last}`;
}

/**
 * Applies what is missing, each migration in one batch together with the row that says so:
 * of two processes that start at once, one applies it and the other finds it done. A new database is made whole, where
 * what that takes is known.
 */
export async function migrate(
  context: Context,
  migrations: readonly Migration[],
  whole?: WholeSchema,
): Promise<void> {
  const { client } = context;
  await client.execute(
    "create table if not exists migrations (name text primary key not null, applied_at integer not null)",
  );
  const pending = await pendingMigrations(context, migrations);
  const isWhole =
    whole !== undefined &&
    pending.length === migrations.length &&
    (await isNew(context)) &&
    (await makeWhole(context, migrations, whole));
  for (const migration of isWhole ? [] : pending) {
    await client.batch(migrationStatements(migration), "write").catch(async (error: unknown) => {
      const result = await client.execute(
        statement(sql`select 1 from migrations where name = ${migration.name}`),
      );
      if (result.rows.length === 0) throw error;
    });
  }
}

async function isNew({ client }: Context): Promise<boolean> {
  const { rows } = await client.execute(
    "select 1 from sqlite_master where tbl_name <> 'migrations' and name not like 'sqlite_%' limit 1",
  );
  return rows.length === 0;
}

/** In one batch, led by the rows of all migrations. False where that failed: one after the other, they tell why. */
async function makeWhole(
  { client }: Context,
  migrations: readonly Migration[],
  whole: WholeSchema,
): Promise<boolean> {
  const rows = sql.join(
    migrations.map(({ name }) => sql`(${name}, cast(unixepoch('subsec') * 1000 as integer))`),
    sql`, `,
  );
  const done = statement(sql`insert into migrations (name, applied_at) values ${rows}`);
  return client.batch([done, ...whole.map((made) => ({ sql: made, args: [] }))], "write").then(
    () => true,
    () => false,
  );
}

/** The schema of a database that has had all migrations and nothing else. */
export async function wholeSchemaOf({ client }: Pick<Context, "client">): Promise<WholeSchema> {
  const { rows } = await client.execute(
    "select sql from sqlite_master where sql is not null and name not like 'sqlite_%' and tbl_name <> 'migrations' order by rowid",
  );
  return rows.map((row) => String(row[0]));
}

/** Those that a database has not had yet; all of them where it is new. */
export async function pendingMigrations(
  { client }: { readonly client: Pick<Context["client"], "execute"> },
  migrations: readonly Migration[],
): Promise<readonly Migration[]> {
  const tables = await client.execute("select 1 from sqlite_master where name = 'migrations'");
  if (tables.rows.length === 0) return migrations;
  const { rows } = await client.execute("select name from migrations");
  const done = new Set(rows.map((row) => String(row[0])));
  return migrations.filter(({ name }) => !done.has(name));
}

/** One migration's statements, led by the row that says it is done: a second time, that row refuses them all. */
export const migrationStatements = ({ name, text }: Migration): Statement[] => [
  statement(
    sql`insert into migrations (name, applied_at) values (${name}, cast(unixepoch('subsec') * 1000 as integer))`,
  ),
  ...text.split(BREAK).map((part) => ({ sql: part.trim(), args: [] })),
];
