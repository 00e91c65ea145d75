import { sql } from "drizzle-orm";
import type { Pair } from "../../../kernel/pair.ts";
import type { Millis } from "../../../kernel/time.ts";
import { type Context, statement } from "../../../storage/client/context.ts";
import { type Migration, migrationStatements } from "../../../storage/client/migrate.ts";
import { control } from "../../../storage/tables/tables.ts";
import { sandbox, shocks } from "../../../storage/tables/venue-tables.ts";

/** Multiplies a symbol's price by a factor from a market time on. */
export async function shock(
  { client, db }: Context,
  { symbol, factor, at }: { symbol: Pair; factor: number; at: Millis },
): Promise<void> {
  const insert = db.insert(shocks).values({ symbol, at, factor });
  const again = insert.onConflictDoUpdate({
    target: [shocks.symbol, shocks.at],
    set: { factor: sql`${shocks.factor} * ${factor}` },
  });
  await client.execute(statement(again));
}

/** Returns the file that a symbol's prices are replayed from; undefined if they are simulated. */
export async function replayedFile({ db }: Context, symbol: Pair): Promise<string | undefined> {
  const [row] = await db.select({ replays: sandbox.replays }).from(sandbox);
  return row?.replays.find((replay) => replay.symbol === symbol)?.file;
}

/** Advances market time, up to a total maximum. Returns the total so far. */
export async function letPass(
  { client, db }: Context,
  { by, most }: { by: Millis; most: Millis },
): Promise<Millis> {
  const update = db
    .update(sandbox)
    .set({ passed: sql`min(${sandbox.passed} + ${by}, ${most})` })
    .returning({ passed: sandbox.passed });
  const { rows } = await client.execute(statement(update));
  return Number(rows[0]?.[0]);
}

/** Resets a sandbox's whole database in one batch: strategies, orders, tokens and all. */
export async function reset({ client, db }: Context, migrations: readonly Migration[]): Promise<void> {
  const tables = await client.execute(
    "select name from sqlite_master where type = 'table' and name not like 'sqlite_%' and name not like 'libsql_%' and name <> 'migrations'",
  );
  const drops = tables.rows.map((row) => ({ sql: `drop table "${String(row[0])}"`, args: [] }));
  await client.batch(
    [
      { sql: "pragma defer_foreign_keys = on", args: [] },
      ...drops,
      { sql: "delete from migrations", args: [] },
      ...migrations.flatMap(migrationStatements),
      statement(db.insert(control).values({ id: 1, kind: "sandbox" })),
    ],
    "write",
  );
}
