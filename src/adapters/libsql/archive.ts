import { type SQL, type SQLWrapper, sql, type Table } from "drizzle-orm";
import { getTableConfig, type SQLiteTable } from "drizzle-orm/sqlite-core";
import { DAY, MINUTE, type Millis } from "../../kernel/time.ts";
import type { SafeClient } from "../../storage/client/call-queue.ts";
import { type Context, statement } from "../../storage/client/context.ts";
import { archives, liquidityMinutes, liquidityMisses } from "../../storage/tables/liquidity-tables.ts";
import { events, orders } from "../../storage/tables/trading-tables.ts";

/** Rows of one table that can be archived. */
interface OldTable {
  readonly name: "orders" | "liquidityMinutes" | "liquidityMisses" | "events";
  readonly table: SQLiteTable;
  /** Columns that identify a row. */
  readonly key: readonly string[];
  /** Its time in milliseconds. */
  readonly at: SQL<Millis>;
  readonly mayGo: SQL;
}

/** Orders without fills; an order with a fill belongs to the ledger, and a manual one to its request, so those stay. */
const UNFILLED_ORDERS: OldTable = {
  name: "orders",
  table: orders,
  key: ["account", "client_id"],
  at: sql`coalesce(${orders.endedAt}, ${orders.createdAt})`,
  mayGo: sql`${orders.settled} = 1 and ${orders.kind} <> 'hand' and ${orders.strategy} is not null and ${orders.state} in ('canceled', 'expired', 'rejected') and ${orders.filled} = '0' and ${orders.booked} = '0' and not exists (select 1 from fills where fills.account = ${orders.account} and fills.client_id = ${orders.clientId})`,
};

const samplesOf = (
  name: "liquidityMinutes" | "liquidityMisses",
  table: typeof liquidityMinutes | typeof liquidityMisses,
): OldTable => ({
  name,
  table,
  key: ["exchange", "symbol", "minute"],
  at: sql`${table.minute} * ${sql.raw(String(MINUTE))}`,
  mayGo: sql`1`,
});

const MOVED: readonly OldTable[] = [
  UNFILLED_ORDERS,
  samplesOf("liquidityMinutes", liquidityMinutes),
  samplesOf("liquidityMisses", liquidityMisses),
];

/** Events are deleted when a checkpoint signs a new start of their chain; here they are only copied. */
const CHAINED_EVENTS: OldTable = {
  name: "events",
  table: events,
  key: ["id"],
  at: sql`${events.at}`,
  mayGo: sql`${events.chain} is not null`,
};

/** Number of a table's rows per year. */
export interface OldRows {
  readonly year: number;
  readonly name: OldTable["name"];
  readonly rows: number;
}

const yearOf = (at: SQL): SQL => sql`cast(strftime('%Y', ${at} / 1000, 'unixepoch') as integer)`;
const isMovable = ({ at, mayGo }: OldTable, before: Millis): SQL => sql`${at} < ${before} and ${mayGo}`;

/** Counts rows older than a time that can be moved, by year; changes nothing. */
export async function oldRows({ client }: Context, before: Millis): Promise<readonly OldRows[]> {
  const found: OldRows[] = [];
  for (const kept of [...MOVED, CHAINED_EVENTS]) {
    const counted = sql`select ${yearOf(kept.at)}, count(*) from ${kept.table} where ${isMovable(kept, before)} group by 1 order by 1`;
    const { rows } = await client.execute(statement(counted));
    for (const row of rows) found.push({ year: Number(row[0]), name: kept.name, rows: Number(row[1]) });
  }
  return found;
}

/** Archive of a year: a database file to which rows are only added. */
export interface Archive {
  readonly year: number;
  /** Its name for messages. */
  readonly file: string;
  readonly client: SafeClient;
}

/**
 * Moves a year's old rows to its archive: copies and commits them there, then deletes them here. An interruption
 * leaves rows in both, which the next run overwrites.
 */
export async function moveYear(
  context: Context,
  archive: Archive,
  before: Millis,
): Promise<Readonly<Partial<Record<OldTable["name"], number>>>> {
  const { year, file } = archive;
  const mark = sql`insert into ${archives} (year, file, before) values (${year}, ${file}, ${before}) on conflict (year) do update set file = excluded.file, before = max(before, excluded.before)`;
  await context.client.execute(statement(mark));
  const moved: Partial<Record<OldTable["name"], number>> = {};
  for (const kept of MOVED) {
    const rows = await copied(context, archive, kept, before, (keys) => deleted(context, kept, keys, before));
    moved[kept.name] = rows;
  }
  // Copies some more than are deleted, because the checkpoint uses its own clock.
  await copied(context, archive, CHAINED_EVENTS, before + DAY);
  return moved;
}

type RowKeys = readonly (readonly SQLWrapper[])[];
const ROWS_AT_ONCE = 200;

/** Copies part by part, each committed before its rows are processed here; returns the number of rows. */
async function copied(
  { client }: Context,
  archive: Archive,
  kept: OldTable,
  before: Millis,
  then: (keys: RowKeys) => Promise<unknown> = async () => undefined,
): Promise<number> {
  const names = await sameTable(archive.client, kept);
  const columns = sql.join(
    names.map((name) => sql.identifier(name)),
    sql`, `,
  );
  const table = sql.identifier(getTableConfig(kept.table).name);
  let [last, count] = [0, 0];
  for (;;) {
    const movable = sql`select rowid, ${columns} from ${kept.table} where ${isMovable(kept, before)} and ${yearOf(kept.at)} = ${archive.year} and rowid > ${last} order by rowid limit ${ROWS_AT_ONCE}`;
    const { rows } = await client.execute(statement(movable));
    if (rows.length === 0) return count;
    const values = rows.map((row) => names.map((_, index) => sql`${row[index + 1] ?? null}`));
    await archive.client.batch(
      values.map((row) =>
        statement(sql`insert or replace into ${table} (${columns}) values (${sql.join(row, sql`, `)})`),
      ),
      "write",
    );
    await then(values.map((row) => kept.key.map((name) => row[names.indexOf(name)] as SQL)));
    last = Number(rows.at(-1)?.[0]);
    count += rows.length;
  }
}

const deleted = ({ client }: Context, kept: OldTable, keys: RowKeys, before: Millis) =>
  client.batch(
    keys.map((key) => {
      const same = kept.key.map((name, index) => sql`${sql.identifier(name)} = ${key[index] as SQLWrapper}`);
      return statement(
        sql`delete from ${kept.table as Table} where ${sql.join(same, sql` and `)} and ${isMovable(kept, before)}`,
      );
    }),
    "write",
  );

/** Creates or extends the archive's table to match ours; returns the column names. */
async function sameTable(client: SafeClient, { table, key }: OldTable): Promise<readonly string[]> {
  const { name, columns } = getTableConfig(table);
  const typed = columns.map((column) => sql`${sql.identifier(column.name)} ${sql.raw(column.getSQLType())}`);
  const keys = sql.join(
    key.map((one) => sql.identifier(one)),
    sql`, `,
  );
  await client.execute(
    statement(
      sql`create table if not exists ${sql.identifier(name)} (${sql.join(typed, sql`, `)}, primary key (${keys}))`,
    ),
  );
  const { rows } = await client.execute(statement(sql`select name from pragma_table_info(${name})`));
  const known = new Set(rows.map((row) => String(row[0])));
  for (const [index, column] of columns.entries())
    if (!known.has(column.name))
      await client.execute(statement(sql`alter table ${sql.identifier(name)} add column ${typed[index]}`));
  return columns.map((column) => column.name);
}
