import { and, type Column, eq, gte, lt, type SQL, sql } from "drizzle-orm";
import { getTableConfig, type SQLiteTable } from "drizzle-orm/sqlite-core";
import { MINUTE } from "../../kernel/time.ts";
import type { AccountKey } from "../../model/account.ts";
import type { Span } from "../../model/fill.ts";
import type { WatchedPair } from "../../model/samples/promise.ts";
import { type Context, statement } from "../../storage/client/context.ts";
import { liquidityMinutes } from "../../storage/tables/liquidity-tables.ts";
import { fillMids } from "../../storage/tables/quality-tables.ts";
import { fills } from "../../storage/tables/tables.ts";

/** Bytes of a record besides its values: its header, its key and its place on the page. */
const BYTES_A_RECORD = 8;

/** Integers count by their digits, about twice their size, which makes up for the free space of pages. */
const bytesOfRecord = (columns: readonly Column[]): SQL => {
  const values = columns.map((column) => sql`coalesce(length(cast(${column} as blob)), 0) + 1`);
  return sql`${BYTES_A_RECORD} + ${sql.join(values, sql` + `)}`;
};

/** Returns the bytes of the rows that match, with their entries in every index. */
function bytesOfRows(table: SQLiteTable, isOf: SQL | undefined): SQL {
  const { columns, indexes, primaryKeys } = getTableConfig(table);
  const keys = [...primaryKeys, ...indexes.map(({ config }) => config)];
  const records = [columns, ...keys.map((key) => key.columns as Column[])].map(bytesOfRecord);
  return sql`(select coalesce(sum(${sql.join(records, sql` + `)}), 0) from ${table} where ${isOf})`;
}

/** Returns about how many bytes the samples and fills of a span take, with their indexes. `to` is exclusive. */
export async function storedBytes(
  { client }: Context,
  { exchange, symbol }: WatchedPair,
  account: AccountKey,
  { from, to }: Span,
): Promise<{ readonly samples: number; readonly fills: number }> {
  const { exchange: ofExchange, symbol: ofSymbol, minute } = liquidityMinutes;
  const isSample = and(
    ...[eq(ofExchange, exchange), eq(ofSymbol, symbol)],
    ...[gte(minute, Math.floor(from / MINUTE)), lt(minute, Math.floor(to / MINUTE))],
  );
  const isFill = (table: typeof fills | typeof fillMids) =>
    and(
      ...[eq(table.account, account), eq(table.symbol, symbol)],
      ...[gte(table.at, from), lt(table.at, to)],
    );
  const ofFills = sql`${bytesOfRows(fills, isFill(fills))} + ${bytesOfRows(fillMids, isFill(fillMids))}`;
  const [row] = (
    await client.execute(statement(sql`select ${bytesOfRows(liquidityMinutes, isSample)}, ${ofFills}`))
  ).rows;
  return { samples: Number(row?.[0]), fills: Number(row?.[1]) };
}
