import { sql } from "drizzle-orm";
import { type Context, type Statement, statement } from "./context.ts";

/** One generated file of `drizzle/`, in the order of its name. */
export interface Migration {
  readonly name: string;
  readonly text: string;
}

const BREAK = "--> statement-breakpoint";

/**
 * Applies what is missing, each migration in one batch together with the row that says so:
 * of two processes that start at once, one applies it and the other finds it done.
 */
export async function migrate({ client }: Context, migrations: readonly Migration[]): Promise<void> {
  await client.execute(
    "create table if not exists migrations (name text primary key not null, applied_at integer not null)",
  );
  const done = new Set(
    (await client.execute("select name from migrations")).rows.map((row) => String(row[0])),
  );
  for (const migration of migrations) {
    if (done.has(migration.name)) continue;
    await client.batch(migrationStatements(migration), "write").catch(async (error: unknown) => {
      const result = await client.execute(
        statement(sql`select 1 from migrations where name = ${migration.name}`),
      );
      if (result.rows.length === 0) throw error;
    });
  }
}

/** One migration's statements, led by the row that says it is done: a second time, that row refuses them all. */
export const migrationStatements = ({ name, text }: Migration): Statement[] => [
  statement(
    sql`insert into migrations (name, applied_at) values (${name}, cast(unixepoch('subsec') * 1000 as integer))`,
  ),
  ...text.split(BREAK).map((part) => ({ sql: part.trim(), args: [] })),
];
