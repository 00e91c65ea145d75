import type { SQL } from "drizzle-orm";
import { SQLiteAsyncDialect } from "drizzle-orm/sqlite-core";
import { type RemoteCallback, SQLiteRemoteSession, SqliteRemoteDatabase } from "drizzle-orm/sqlite-proxy";

/**
 * Returns a dialect that qualifies every column with its table. The library omits the table in a statement on one
 * table, so a subquery among the columns would compare its own table with itself.
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

/** Throws the errors of its reads as they are. The library wraps them in errors whose message is the whole statement. */
class PlainSession extends SQLiteRemoteSession<NoSchema, NoSchema> {
  override prepareQuery(...query: Parameters<SQLiteRemoteSession<NoSchema, NoSchema>["prepareQuery"]>) {
    return Object.assign(super.prepareQuery(...query), { queryWithCache: runQuery });
  }
}

const runQuery = <T>(_sql: string, _values: unknown[], act: () => Promise<T>): Promise<T> => act();

/** Returns a database that runs its statements with `run`. */
export function databaseOver(run: RemoteCallback): SqliteRemoteDatabase {
  const session = new PlainSession(run, dialect, undefined);
  return new SqliteRemoteDatabase("async", dialect, session, undefined);
}
