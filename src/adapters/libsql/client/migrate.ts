import { type SQL, sql } from "drizzle-orm";
import { StoreError } from "../../../kernel/errors.ts";
import { type Context, type Statement, statement } from "./context.ts";

/** One generated file in `drizzle/`, ordered by name. */
export interface Migration {
  readonly name: string;
  readonly text: string;
}

/** Statements that create the schema after all migrations in an empty database. */
export type WholeSchema = readonly string[];

const BREAK = "--> statement-breakpoint";

/** Refuses a database with unknown migrations, because a newer program has used it. */
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

/** Returns the same as a condition of a batch. */
export function isNotNewer({ version }: Context): SQL {
  if (!version) return sql`1`;
  const last = [...version.names].sort().at(-1) ?? "";
  return sql`coalesce((select max(name) from migrations), '') <= ${last}`;
}

/**
 * Applies missing migrations, each in one batch with the row that records it; if two processes start at once, only
 * one applies it. A new database gets the complete schema, if it is known.
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

/**
 * Creates the schema in one batch, starting with the rows of all migrations. Returns false if that failed; applying
 * them individually then shows the reason.
 */
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

/** Returns the schema of a database after all migrations. */
export async function wholeSchemaOf({ client }: Pick<Context, "client">): Promise<WholeSchema> {
  const { rows } = await client.execute(
    "select sql from sqlite_master where sql is not null and name not like 'sqlite_%' and tbl_name <> 'migrations' order by rowid",
  );
  return rows.map((row) => String(row[0]));
}

/** Returns migrations that a database lacks; all of them if it is new. */
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

/**
 * Returns one migration's statements, starting with the row that records it; the second time, that row rejects them
 * all.
 */
export const migrationStatements = ({ name, text }: Migration): Statement[] => [
  statement(
    sql`insert into migrations (name, applied_at) values (${name}, cast(unixepoch('subsec') * 1000 as integer))`,
  ),
  ...text.split(BREAK).map((part) => ({ sql: part.trim(), args: [] })),
];
