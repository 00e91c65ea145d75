import { getTableName, type SQL, sql, type Table } from "drizzle-orm";
import { encode } from "../../kernel/codec.ts";
import { SettingsError } from "../../kernel/errors.ts";
import { NO_MEMORY } from "../../model/memory.ts";
import {
  agreements,
  liquidityMinutes,
  liquidityMisses,
  liquidityProofs,
  proofKeys,
} from "../tables/liquidity-tables.ts";
import { accounts, control, events, fills, orders, strategies } from "../tables/trading-tables.ts";
import {
  channels,
  credentials,
  limits,
  limitUses,
  messages,
  plans,
  requests,
  sandbox,
  shocks,
  tokens,
  venueBalances,
  venueFills,
  venueOrders,
  venues,
} from "../tables/venue-tables.ts";
import type { SafeClient } from "./call-queue.ts";
import { type Statement, statement } from "./context.ts";
import type { Migration } from "./migrate.ts";

/** Writes a consistent copy to a missing or empty file, while other processes continue to write. */
export async function copyInto(client: SafeClient, file: string): Promise<void> {
  await client.execute({ sql: "vacuum into ?", args: [file] });
}

/** Merges the write-ahead log into the database file. Throws StoreError if another process has it open. */
export async function fold(client: SafeClient): Promise<void> {
  await client.execute("pragma journal_mode = delete");
}

/** Returns the schema that these migrations create in an empty database. */
export type SchemaAfter = (migrations: readonly Migration[]) => Promise<readonly string[]>;

/**
 * Throws SettingsError if the file is not a complete database of this program, has a newer version, or contains
 * anything else: a trigger or a view would run as part of this program.
 */
export async function checkBackup(
  client: Pick<SafeClient, "execute">,
  known: readonly Migration[],
  schemaAfter: SchemaAfter,
): Promise<void> {
  const damaged = await client.execute("pragma quick_check(1)").then(
    ({ rows }) => (rows[0]?.[0] === "ok" ? undefined : String(rows[0]?.[0])),
    (error: unknown) => String(error),
  );
  if (damaged !== undefined) throw new SettingsError(`this backup is damaged: ${damaged}`);
  const tables = await client.execute(
    "select count(*) from sqlite_master where type = 'table' and name in ('migrations', 'control')",
  );
  if (tables.rows[0]?.[0] !== 2) throw new SettingsError("this is not a backup of an edgemaker database");
  const { rows } = await client.execute("select name from migrations");
  const newer = rows
    .map((row) => String(row[0]))
    .find((name) => !known.some((migration) => migration.name === name));
  if (newer !== undefined)
    throw new SettingsError(
      `this backup is from a newer version of edgemaker (migration ${newer}); update edgemaker first`,
    );
  const applied = new Set(rows.map((row) => String(row[0])));
  const ours = await schemaAfter(known.filter(({ name }) => applied.has(name)));
  const theirs = await schemaParts(client);
  const [strange] = theirs.filter((part) => !ours.includes(part));
  const [missing] = ours.filter((part) => !theirs.includes(part));
  if (strange !== undefined)
    throw new SettingsError(
      `edgemaker did not make this part of the backup, so restore another one: ${strange}`,
    );
  if (missing !== undefined)
    throw new SettingsError(`the backup is incomplete, so restore another one. It lacks ${missing}`);
}

/** Returns the definition of each table, index, trigger and view of a database, without SQLite's internal ones. */
export async function schemaParts(client: Pick<SafeClient, "execute">): Promise<readonly string[]> {
  const { rows } = await client.execute(
    "select type || ' ' || name || ' on ' || tbl_name || ': ' || sql from sqlite_master where sql is not null and not (type = 'table' and name in ('sqlite_sequence', 'sqlite_stat1', 'sqlite_stat4'))",
  );
  return rows.map((row) => String(row[0]));
}

/**
 * Copies from the replaced database to the backup what a restore must not undo: users' requests since then (stops,
 * pauses, the kill switch, limits, exchange keys, alert channels, ended tokens, manual orders, answered requests, used
 * plans, agreements, names), signed days with their samples, and the sandbox's venues, because real ones cannot go back
 * either.
 */
export async function carryOver(replaced: SafeClient, backup: string): Promise<void> {
  await replaced.execute({ sql: "attach database ? as backup", args: [backup] });
  try {
    const venuesToo = (await isSameSandbox(replaced))
      ? [venues, venueBalances, venueOrders, venueFills, shocks].flatMap(asNow).map(statement)
      : [];
    await replaced.batch([...peoplesWords(), ...venuesToo], "write");
  } finally {
    await replaced.execute("detach database backup");
  }
}

const was = (table: Table): SQL => sql`backup.${sql.identifier(getTableName(table))}`;
const since = (table: Table): SQL => sql`main.${sql.identifier(getTableName(table))}`;

const asNow = (table: Table): SQL[] => [
  sql`delete from ${was(table)}`,
  sql`insert into ${was(table)} select * from ${since(table)}`,
];

/** Only a backup and its own database were migrated at the same times. */
const IS_SAME_DATABASE = sql`exists(select 1 from backup.migrations join main.migrations using (name, applied_at))`;

/** Rows of another database, such as a new one on a new machine, only replace and add: what it lacks was not removed. */
const asSet = (table: Table): SQL[] => [
  sql`delete from ${was(table)} where ${IS_SAME_DATABASE}`,
  sql`insert or replace into ${was(table)} select * from ${since(table)}`,
];

/** A channel that counts events of the replaced database would skip as many of the restored one. */
function channelsAtEnd(): SQL[] {
  const last = (column: SQL, newest: SQL) =>
    sql`iif(${IS_SAME_DATABASE}, min(${column}, ${newest}), ${newest})`;
  const event = last(sql`event_id`, sql`coalesce((select max(id) from ${was(events)}), 0)`);
  const fill = last(sql`fill_id`, sql`coalesce((select max(rowid) from ${was(fills)}), 0)`);
  return [
    sql`update ${was(channels)} set event_id = ${event}, fill_id = ${fill} where name in (select name from ${since(channels)})`,
    sql`delete from ${was(messages)} where channel not in (select name from ${was(channels)})`,
  ];
}

/** Two days before the newest sample of the backup: older ones have not changed since. All samples of another database. */
const CHANGED_SINCE = sql`iif(${IS_SAME_DATABASE}, coalesce((select max(minute) from ${was(liquidityMinutes)}), 0) - 2880, 0)`;

/** Samples, and the days signed since. They were published, so they are not signed again with other rows. */
const samplesAndProofs = (): SQL[] => [
  // A trigger of the backup ignores minutes of days that it has signed.
  ...[liquidityMinutes, liquidityMisses].map(
    (table) =>
      sql`insert or replace into ${was(table)} select * from ${since(table)} where minute >= ${CHANGED_SINCE}`,
  ),
  // Only where they continue the chain of the backup.
  sql`insert or ignore into ${was(liquidityProofs)} select * from ${since(liquidityProofs)} as later where not exists(select 1 from ${was(liquidityProofs)} as signed where signed.exchange = later.exchange and signed.symbol = later.symbol and not exists(select 1 from ${since(liquidityProofs)} as same where same.exchange = signed.exchange and same.symbol = signed.symbol and same.hash = signed.hash))`,
  sql`insert or replace into ${was(proofKeys)} select * from ${since(proofKeys)} as later where not exists(select 1 from ${was(proofKeys)} as was where was.public_key <> later.public_key)`,
];

const peoplesWords = (): Statement[] =>
  [
    sql`update ${was(control)} as was set kill = max(was.kill, since.kill), cancels = max(was.cancels, since.cancels), sells = max(was.sells, since.sells), epoch = max(was.epoch, since.epoch), limits = since.limits from ${since(control)} as since`,
    sql`update ${was(strategies)} as was set wants = since.wants, keep_orders = since.keep_orders, sell_base = since.sell_base from ${since(strategies)} as since where since.id = was.id and since.wants <> 'run' and was.status <> 'stopped'`,
    // A database that had lost this stop went on trading: its orders are still open, so the stop runs again.
    sql`update ${was(strategies)} as was set status = since.status, phase = since.phase, stopped_at = null from ${since(strategies)} as since where since.id = was.id and was.status = 'stopped' and since.status <> 'stopped'`,
    sql`update ${was(strategies)} as was set name = since.name from ${since(strategies)} as since where since.id = was.id`,
    sql`insert or ignore into ${was(agreements)} select * from ${since(agreements)}`,
    ...samplesAndProofs(),
    sql`update ${was(tokens)} as was set revoked_at = since.revoked_at from ${since(tokens)} as since where since.id = was.id and was.revoked_at is null`,
    // A request whose process died runs again; its order's id is already used, so no second order is placed.
    sql`insert or ignore into ${was(accounts)} (account, memory) select distinct account, ${encode(NO_MEMORY)} from ${since(orders)} where kind = 'hand'`,
    sql`insert or ignore into ${was(orders)} select * from ${since(orders)} where kind = 'hand'`,
    sql`insert or ignore into ${was(requests)} select * from ${since(requests)}`,
    // Limits, keys and channels are users' settings, and the day's usage must not become free again.
    ...[limits, limitUses, credentials, channels].flatMap(asSet),
    ...channelsAtEnd(),
    // A plan that was shown before the backup could have been executed since.
    sql`delete from ${was(plans)}`,
  ].map(statement);

async function isSameSandbox(replaced: SafeClient): Promise<boolean> {
  const same = sql`select 1 from ${was(sandbox)} as was join ${since(sandbox)} as since on since.created = was.created and since.seed = was.seed`;
  return (await replaced.execute(statement(same))).rows.length > 0;
}
