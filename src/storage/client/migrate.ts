import { type SQL, sql } from "drizzle-orm";
import { StoreError } from "../../kernel/errors.ts";
import { lazy } from "../../kernel/lazy.ts";
import { pluralize } from "../../kernel/plain-text.ts";
import { type Millis, SECOND } from "../../kernel/time.ts";
import { control, fenceGuard } from "../tables/trading-tables.ts";
import { type Context, type Statement, statement } from "./context.ts";

/** One generated file in `drizzle/`, ordered by name. */
export interface Migration {
  readonly name: string;
  readonly text: string;
}

/** What migrations create together, so a new database needs none of the changes between them. */
export interface NewSchema {
  /** Names of these migrations, in order. */
  readonly names: readonly string[];
  readonly statements: readonly string[];
}

const BREAK = "--> statement-breakpoint";

/** Workers contain no migrations, and know their version by this name. */
export const NEWEST_MIGRATION = "0049_order_labels.sql";

/** Returns why a program with this newest migration cannot use a database; undefined if it can. */
export function versionFault(found: string, newest: string): string | undefined {
  if (found === newest) return undefined;
  return found > newest
    ? `a newer edgemaker migrated this database (to ${found}); deploy the newer version again, or restore an older backup`
    : `an older edgemaker uses this database (${found === "" ? "without a migration" : `migrated to ${found}`}), and this version needs ${newest}; run \`edgemaker deploy\`, or \`edgemaker db migrate\` with its URL`;
}

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

/** Refuses a database that lacks some of the migrations, because a running server of an older version could not go on. */
export async function refuseOlder(
  context: Pick<Context, "client">,
  migrations: readonly Migration[],
): Promise<void> {
  const { length } = await pendingMigrations(context, migrations);
  if (length === 0 || length === migrations.length) return;
  throw new StoreError(
    "unavailable",
    `an older edgemaker uses this database, and it lacks ${pluralize(length, "migration")}; stop its server, and run \`edgemaker db migrate\` or \`edgemaker serve\``,
  );
}

/** Returns the same as a condition of a batch. */
export function isNotNewer({ version }: Context): SQL {
  if (!version) return sql`1`;
  const last = [...version.names].sort().at(-1) ?? "";
  return sql`coalesce((select max(name) from migrations), '') <= ${last}`;
}

/**
 * Applies missing migrations, each in one batch with the row that records it, or all at once to a new database,
 * which gets their `schema` if there is one. If processes start at once, only one of them applies each migration; a
 * newer version then applies what is left.
 */
export async function migrate(
  context: Context,
  migrations: readonly Migration[],
  schema?: NewSchema,
): Promise<void> {
  const { client } = context;
  await client.execute(
    "create table if not exists migrations (name text primary key not null, applied_at integer not null)",
  );
  const pending = await pendingMigrations(context, migrations);
  const batches = pending.length === migrations.length ? [pending] : pending.map((one) => [one]);
  for (const batch of batches) {
    const statements =
      schema && createsAll(schema, batch) ? schemaStatements(schema) : batch.flatMap(migrationStatements);
    await client.batch(statements, "write").catch(async (error: unknown) => {
      const left = await pendingMigrations(context, batch);
      if (left.length === batch.length) throw error;
      if (left.length > 0) await migrate(context, left);
    });
  }
}

const createsAll = ({ names }: NewSchema, migrations: readonly Migration[]): boolean =>
  names.length === migrations.length && migrations.every(({ name }, at) => name === names[at]);

/** Returns the statements of a whole schema, starting with the rows that record its migrations. */
const schemaStatements = ({ names, statements }: NewSchema): Statement[] => [
  statement(
    sql`insert into migrations (name, applied_at) select value, cast(unixepoch('subsec') * 1000 as integer) from json_each(${JSON.stringify(names)})`,
  ),
  ...statements.map((part) => ({ sql: part, args: [] })),
];

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

/** How long a confirmed write proves that the next one would work. */
const FRESH_WRITE_MS: Millis = 5 * SECOND;
/** Maximum wait of a readiness check for a lock. */
const MAX_READINESS_WAIT_MS: Millis = 2 * SECOND;

/** Checks that the database can be read and written and has a known version; throws `unavailable` with the reason. */
export function readiness(context: Context): () => Promise<void> {
  const { client, db } = context;
  let probing: Promise<unknown> | undefined;

  // A row that is inserted and removed: a full disk or a lock does not show in a read, nor in an update that changes
  // nothing.
  const write = lazy(() => [db.insert(fenceGuard).values({ ok: 1 }), db.delete(fenceGuard)].map(statement));
  const probe = () => {
    probing ??= client.batch(write(), "write").finally(() => {
      probing = undefined;
    });
    return probing;
  };

  return async function ready() {
    const known = client.trouble();
    if (known === undefined && client.sinceWrite() > FRESH_WRITE_MS) {
      await Promise.race([probe(), failWhenLate()]);
    } else if (known !== undefined) {
      // This detects the end of a problem.
      await Promise.race([probe().catch(() => undefined), failWhenLate()]).catch(() => undefined);
    }
    const trouble = client.trouble();
    if (trouble !== undefined) throw new StoreError("unavailable", trouble);
    const result = await client.execute(statement(sql`select ${control.kind} from ${control}`));
    if (result.rows.length === 0) throw new StoreError("unavailable", "the database is not migrated");
    await refuseNewer(context);
  };
}

async function failWhenLate(): Promise<never> {
  await new Promise((resolve) => setTimeout(resolve, MAX_READINESS_WAIT_MS));
  throw new StoreError(
    "unavailable",
    `the database has accepted no write for ${MAX_READINESS_WAIT_MS / SECOND} s`,
  );
}
