import type { SQL } from "drizzle-orm";
import { SQLiteAsyncDialect } from "drizzle-orm/sqlite-core";
import { type RemoteCallback, SQLiteRemoteSession, SqliteRemoteDatabase } from "drizzle-orm/sqlite-proxy";

/**
 * Names the table of every column. The library leaves it out in a statement on one table, so that a subquery among the
 * columns compares its own table with itself.
 */
function qualifyingDialect(): SQLiteAsyncDialect {
  const made = new SQLiteAsyncDialect();
  const parts = made as unknown as { buildSelection(fields: unknown): SQL };
  const build = parts.buildSelection.bind(made);
  parts.buildSelection = (fields) => build(fields);
  return made;
}

export const dialect = qualifyingDialect();

type NoSchema = Record<string, never>;

/** A database whose statements `run` executes. */
export function databaseOver(run: RemoteCallback): SqliteRemoteDatabase {
  const session = new SQLiteRemoteSession<NoSchema, NoSchema>(run, dialect, undefined);
  return new SqliteRemoteDatabase("async", dialect, session, undefined);
}
