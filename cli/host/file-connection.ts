import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire as requireFrom } from "node:module";
import { join } from "node:path";
import { type InStatement, type InValue, LibsqlError, type ResultSet, type Row } from "@libsql/core/api";
import type Libsql from "libsql";
import { lazy } from "../../src/kernel/lazy.ts";
import { type SchemaAfter, schemaParts } from "../../src/storage/client/backup.ts";
import type { Stamp } from "../../src/storage/client/call-queue.ts";
import { createContext } from "../../src/storage/client/context.ts";
import { type Migration, migrate, type NewSchema } from "../../src/storage/client/migrate.ts";
import { type Connection, safeClient } from "../../src/storage/client/safe-client.ts";
import { packageFolder } from "./directories.ts";
import { nodeLocal } from "./process/node-local.ts";

/** Statements to prepare once: their text stays the same while their values change. */
const PREPARED_ONCE = /^\s*(select|insert|update|delete|with|begin|commit)\b/i;
/** The commit mode takes effect when the statement is prepared, so it must not be cached. */
const PACE = /^\s*pragma synchronous\b/i;
/** Schema changes have no values and no results and run once, so they are not prepared. */
const MAKES = /^\s*create\b/i;
/** Maximum number of prepared statements, because lists of different lengths create unlimited texts. */
const MAX_PREPARED_STATEMENTS = 200;

interface Prepared {
  readonly statement: Libsql.Statement;
  /** Names of its columns; undefined if it returns no rows. */
  readonly columns: readonly string[] | undefined;
}

/**
 * A connection to a file that prepares each statement once, which takes most of a small call's time. A failed
 * statement is never reused, because after SQLITE_BUSY it would report writes that are not committed; `reconnect`
 * drops all of them.
 */
export function fileConnection(file: string): Connection {
  const Database = libsql();
  let database = new Database(file, { timeout: 50 });
  const statements = statementCache((sql) => preparedOn(database, sql), forget);
  const stamps = stampsOf(() => database);
  let isClosed = false;

  function run(request: InStatement): ResultSet {
    const { sql, args } = typeof request === "string" ? { sql: request, args: [] } : request;
    try {
      const values = argumentsOf(args);
      return values.length === 0 && MAKES.test(sql) ? make(sql) : resultSetOf(statements.get(sql), values);
    } catch (error) {
      statements.drop(sql);
      throw libraryError(error);
    }
  }

  function make(sql: string): ResultSet {
    forget();
    database.exec(sql);
    return resultSet({});
  }

  function whole(requests: readonly InStatement[], mode: "write" | "read"): ResultSet[] {
    run(mode === "write" ? "BEGIN IMMEDIATE" : "BEGIN");
    try {
      const results = requests.map(run);
      run("COMMIT");
      return results;
    } catch (error) {
      endTransaction();
      throw error;
    }
  }

  function endTransaction(): void {
    try {
      // A closed database must not even be queried.
      if (!isClosed && database.inTransaction) database.exec("ROLLBACK");
    } catch {
      // The broken connection is replaced at the next call.
      again();
    }
  }

  function again(): void {
    close();
    database = new Database(file, { timeout: 50 });
    isClosed = false;
  }

  function forget(): void {
    statements.clear();
    stamps.reset();
  }

  function close(): void {
    forget();
    if (!isClosed) database.close();
    isClosed = true;
  }

  const whileOpen = <T>(call: () => T): T => {
    if (isClosed) throw new LibsqlError("The client is closed", "CLIENT_CLOSED");
    return call();
  };
  return {
    execute: async (statement) => whileOpen(() => run(statement)),
    batch: async (statements, mode) => whileOpen(() => whole(statements, mode)),
    stamp: async () => whileOpen(stamps.read),
    reconnect: async () => again(),
    close,
  };
}

/** Reads the connection's stamp; a reset counts as a change. */
function stampsOf(database: () => Libsql.Database) {
  let epoch = 0;
  let stamp: (() => Stamp) | undefined;
  return {
    read(): Stamp {
      try {
        stamp ??= changeStamp(database(), epoch);
        return stamp();
      } catch (error) {
        stamp = undefined;
        throw libraryError(error);
      }
    },
    reset(): void {
      epoch++;
      stamp = undefined;
    },
  };
}

/** Stores prepared statements by their text. `affect` runs before other statements. */
function statementCache(prepare: (sql: string) => Prepared, affect: () => void) {
  const kept = new Map<string, Prepared>();
  return {
    get(sql: string): Prepared {
      const known = kept.get(sql);
      if (known) return known;
      const isKept = PREPARED_ONCE.test(sql);
      // Any other statement can change the meaning of prepared ones.
      if (!isKept && !PACE.test(sql)) affect();
      const made = prepare(sql);
      const [oldest] = kept.keys();
      if (kept.size === MAX_PREPARED_STATEMENTS && oldest !== undefined) kept.delete(oldest);
      if (isKept) kept.set(sql, made);
      return made;
    },
    drop: (sql: string) => kept.delete(sql),
    clear: () => kept.clear(),
  };
}

function preparedOn(database: Libsql.Database, sql: string): Prepared {
  const statement = database.prepare(sql);
  // As numbers, they would be rounded silently.
  statement.safeIntegers(true);
  if (!statement.reader) return { statement, columns: undefined };
  statement.raw(true);
  return { statement, columns: statement.columns().map(({ name }) => name) };
}

function resultSetOf({ statement, columns }: Prepared, values: readonly unknown[]): ResultSet {
  if (columns === undefined) {
    const { changes, lastInsertRowid } = statement.run(values);
    return resultSet({ rowsAffected: changes, lastInsertRowid: BigInt(lastInsertRowid) });
  }
  const items = statement.all(values) as unknown[][];
  return resultSet({ columns: [...columns], rows: items.map((row) => rowFrom(row, columns)) });
}

const resultSet = (result: Partial<ResultSet>): ResultSet => ({
  columns: [],
  columnTypes: [],
  rows: [],
  rowsAffected: 0,
  lastInsertRowid: undefined,
  toJSON: () => result,
  ...result,
});

/** Builds a row with values by name, and by position in hidden properties; of several columns with one name, the first. */
function rowFrom(items: readonly unknown[], columns: readonly string[]): Row {
  const values = items.map(formatValue);
  const row = Object.create(Object.assign(Object.create(null), values, { length: values.length }));
  for (const [at, name] of columns.entries()) if (!Object.hasOwn(row, name)) row[name] = values[at];
  return row;
}

function formatValue(value: unknown): unknown {
  if (value instanceof Uint8Array) return value.slice().buffer;
  if (typeof value !== "bigint") return value;
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new RangeError("the database contains a number that is too large");
  return number;
}

function argumentsOf(args: Exclude<InStatement, string>["args"]): readonly unknown[] {
  if (args === undefined) return [];
  if (!Array.isArray(args)) throw new TypeError("statement arguments must be positional");
  return args.map(valueStored);
}

function valueStored(value: InValue): unknown {
  if (typeof value === "boolean") return value ? 1 : 0;
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  if (value instanceof Date) return value.getTime();
  if (value === undefined || (typeof value === "number" && !Number.isFinite(value)))
    throw new TypeError("undefined cannot be stored");
  return value;
}

/** Converts an error to the library's format, for servers and files alike. */
function libraryError(error: unknown): unknown {
  if (!(error instanceof libsql().SqliteError)) return error;
  const { message, code, rawCode } = error as typeof error & { readonly rawCode?: number };
  return new LibsqlError(message, /^SQLITE_[A-Z]+/.exec(code)?.[0] ?? code, code, rawCode, error);
}

/** Number that changes after each commit of another connection to the same file, but not after our own. */
const OF_OTHERS = "pragma data_version";
/** Number of rows that this connection has changed, committed or not, and the time. */
const OF_OURS = "select total_changes(), cast(unixepoch('subsec') * 1000 as integer)";

/**
 * Returns a stamp that shows whether the file has changed, in a tenth of a read's time. `epoch` belongs to this
 * connection.
 */
function changeStamp(database: Libsql.Database, epoch: number): () => Stamp {
  const [others, ours] = [OF_OTHERS, OF_OURS].map((sql) => database.prepare(sql).raw(true)) as [
    Libsql.Statement,
    Libsql.Statement,
  ];
  return () => {
    const [version] = others.get() as [number];
    const [changed, now] = ours.get() as [number, number];
    return { changes: `${epoch} ${version} ${changed}`, now };
  };
}

/** libSQL's database class for files. Its native part is loaded on first use. */
const libsql: () => typeof Libsql = lazy((): typeof Libsql => requireFrom(import.meta.url)("libsql"));

export function readMigrations(): Migration[] {
  const folder = join(packageFolder(), "drizzle");
  const names = readdirSync(folder).filter((name) => name.endsWith(".sql"));
  return names.sort().map((name) => ({
    name,
    // Read on use: most databases lack no migration.
    get text() {
      return readFileSync(join(folder, name), "utf8");
    },
  }));
}

/** Returns the schema of a new database that the build stored; undefined without a build. */
export function readNewSchema(): NewSchema | undefined {
  const file = new URL("schema.json", import.meta.url);
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
}

/** Returns the schema of a database after these migrations. */
export const schemaAfter: SchemaAfter = async (migrations) => {
  const context = createContext(await safeClient(fileConnection(":memory:"), nodeLocal));
  try {
    await migrate(context, migrations);
    return await schemaParts(context.client);
  } finally {
    context.client.close();
  }
};
