import type { InValue, ResultSet } from "@libsql/client";
import { type Column, getTableColumns, type Query, type SQL, sql, type Table } from "drizzle-orm";
import { SQLiteAsyncDialect } from "drizzle-orm/sqlite-core";
import { drizzle, type SqliteRemoteDatabase } from "drizzle-orm/sqlite-proxy";
import type { Millis } from "../../kernel/time.ts";
import type { SafeClient } from "./safe-client.ts";

/** What every part of the store works with. */
export interface Context {
  readonly client: SafeClient;
  /** Builds queries, and runs the reads among them. */
  readonly db: SqliteRemoteDatabase;
  /** Protocol time as an SQL expression. */
  readonly now: () => SQL<number>;
}

export interface Statement {
  readonly sql: string;
  readonly args: InValue[];
}

/** SQLite's own clock: one clock for every process that shares the database. */
const databaseClock = sql<number>`cast(unixepoch('subsec') * 1000 as integer)`;
const dialect = new SQLiteAsyncDialect();

/** `clock` replaces the database's, where time is simulated. */
export function createContext(client: SafeClient, clock?: () => Millis): Context {
  const db = drizzle(async (query, args: InValue[], method) => {
    const result = await client.execute({ sql: query, args });
    const rows = result.rows.map((row) => result.columns.map((_name, place) => row[place]));
    return { rows: method === "get" ? (rows[0] ?? []) : rows };
  });
  return { client, db, now: clock ? () => sql<number>`${clock()}` : () => databaseClock };
}

/** A built query, or a raw template, as a statement of `client.batch`. */
export function statement(query: { toSQL(): Query } | SQL): Statement {
  const { sql: text, params } = "toSQL" in query ? query.toSQL() : dialect.sqlToQuery(query);
  return { sql: text, args: params as InValue[] };
}

/** Rows of a `select()` over one whole table, in the table's own types. */
export function rowsOf<T extends Table>(table: T, result: ResultSet | undefined): T["$inferSelect"][] {
  const columns = Object.entries(getTableColumns(table)) as [string, Column][];
  return (result?.rows ?? []).map((row) => {
    const decoded: Record<string, unknown> = {};
    for (const [place, [key, column]] of columns.entries()) {
      const value = row[place];
      decoded[key] = value === null || value === undefined ? null : column.mapFromDriverValue(value);
    }
    return decoded as T["$inferSelect"];
  });
}
