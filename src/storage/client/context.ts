import type { InValue, ResultSet } from "@libsql/client";
import {
  Column,
  getTableColumns,
  is,
  Param,
  Placeholder,
  type SQL,
  type SQLWrapper,
  sql,
  type Table,
} from "drizzle-orm";
import { QueryBuilder, SQLiteAsyncDialect } from "drizzle-orm/sqlite-core";
import { type RemoteCallback, SQLiteRemoteSession, SqliteRemoteDatabase } from "drizzle-orm/sqlite-proxy";
import { StoreError } from "../../kernel/errors.ts";
import { STOP_FLAGS, type StopFlags } from "../../kernel/fields.ts";
import { lazy } from "../../kernel/lazy.ts";
import type { Millis } from "../../kernel/time.ts";
import type { AccountKey } from "../../model/account.ts";
import type { DatabaseUse } from "../../model/limits.ts";
import type { Changes, Lease } from "../../ports/stores/pass-store.ts";
import { accounts, fenceGuard, strategies } from "../tables/trading-tables.ts";
import type { SafeClient, Stamp } from "./call-queue.ts";

/** Common tools of all parts of the store. */
export interface Context {
  readonly client: SafeClient;
  /** Builds queries and runs reads. */
  readonly db: SqliteRemoteDatabase;
  /** Protocol time as an SQL expression. */
  readonly now: () => SQL<number>;
  /**
   * Returns a prepared statement whose text is built once on first use; `now` is protocol time in it. A module's
   * function is built once per process, for all its databases.
   */
  readonly prepare: (made: MakesText) => PreparedText;
  /** Returns data about the database without a read; `now` is protocol time. */
  readonly stamp: () => Promise<Stamp | undefined>;
  /** The program's migrations, and unknown ones in the database; undefined if another program applies them. */
  readonly version?: { readonly names: ReadonlySet<string>; newer: string | undefined };
  /** The newest event of people's actions that this process knows. */
  readonly newest: { ofPeople: ChainHead | undefined };
  /** Lets other work of this process run between two parts of a long read or write. */
  readonly pause: () => Promise<void>;
  /** Converts stored documents; those that do not change are parsed once. */
  readonly convert: Convert;
  /** Database usage of the current passes, by account. */
  readonly uses: Map<AccountKey, DatabaseUse>;
}

/** The newest event of a chain. */
export interface ChainHead {
  readonly seq: number;
  readonly hash: string;
}

type MakesText = (now: SQL<number>) => SQLWrapper;

/** Returns statements with one text; placeholders name the values. */
type PreparedText = (values?: Record<string, InValue>) => Statement;

export interface Statement {
  readonly sql: string;
  readonly args: InValue[];
}

/** SQLite's clock: the same clock for every process that shares the database. */
const databaseClock = sql<number>`cast(unixepoch('subsec') * 1000 as integer)`;

const dialect = qualifyingDialect();

/** Builds selects that are the same for every database. */
export const queries = new QueryBuilder(dialect);

const runQuery = <T>(_sql: string, _values: unknown[], act: () => Promise<T>): Promise<T> => act();

/** Throws the errors of its reads as they are. The library wraps them in errors whose message is the whole statement. */
class PlainSession extends SQLiteRemoteSession<NoSchema, NoSchema> {
  override prepareQuery(...query: Parameters<SQLiteRemoteSession<NoSchema, NoSchema>["prepareQuery"]>) {
    return Object.assign(super.prepareQuery(...query), { queryWithCache: runQuery });
  }
}

/** Builds statements that are the same for every database; it cannot run them. */
export const building = databaseOver(async () => {
  throw new TypeError("this statement is built here, and run elsewhere");
});

interface BuiltText {
  readonly sql: string;
  readonly fill: ReturnType<typeof fillerOf>;
}

const builtTexts = {
  live: new WeakMap<MakesText, BuiltText>(),
  simulated: new WeakMap<MakesText, BuiltText>(),
};

function builtText(made: MakesText, clock: keyof typeof builtTexts): BuiltText {
  const known = builtTexts[clock].get(made);
  if (known) return known;
  const now = clock === "live" ? databaseClock : sql<number>`${sql.placeholder("now")}`;
  const { sql: text, args } = statement(made(now));
  const built = { sql: text, fill: fillerOf(args) };
  builtTexts[clock].set(made, built);
  return built;
}

/** Creates the context; `clock` replaces the database's clock if time is simulated. */
export function createContext(client: SafeClient, clock?: () => Millis): Context {
  const db = databaseOver(async (query, args: InValue[], method) => {
    const result = await client.execute({ sql: query, args });
    const rows = result.rows.map((row) => result.columns.map((_name, index) => row[index]));
    return { rows: method === "get" ? (rows[0] ?? []) : rows };
  });
  const now = clock ? () => sql<number>`${clock()}` : () => databaseClock;
  const prepare: Context["prepare"] =
    (made) =>
    (values = {}) => {
      const { sql: text, fill } = builtText(made, clock ? "simulated" : "live");
      return { sql: text, args: fill(clock ? { ...values, now: clock() } : values) };
    };
  const stamp = async () => {
    const output = await client.stamp();
    return output && clock ? { ...output, now: clock() } : output;
  };
  const pause = async () => undefined;
  const convert = convertedOnce(MAX_CONVERTED_LENGTH);
  return {
    client,
    db,
    now,
    prepare,
    stamp,
    pause,
    convert,
    newest: { ofPeople: undefined },
    uses: new Map(),
  };
}

/** Returns the variants of a statement; the text of each one is built once. */
export function eachWay<Way>(
  made: (now: SQL<number>, way: Way) => ReturnType<MakesText>,
): (way: Way) => MakesText {
  const ways = new Map<string, MakesText>();
  return (way) => {
    const key = JSON.stringify(way);
    const known = ways.get(key) ?? ((now) => made(now, way));
    ways.set(key, known);
    return known;
  };
}

/** Converts a query or a raw template to a statement of `client.batch`. */
export function statement(query: SQLWrapper): Statement {
  const { sql: text, params } = dialect.sqlToQuery(query.getSQL());
  return { sql: text, args: params as InValue[] };
}

/**
 * Returns a function that inserts values into a text's placeholders, whose positions are found once. Throws if a
 * value is missing.
 */
function fillerOf(params: readonly unknown[]): (values: Readonly<Record<string, InValue>>) => InValue[] {
  const fills = params.map((param): ((values: Readonly<Record<string, InValue>>) => unknown) => {
    if (is(param, Placeholder)) return (values) => namedIn(values, param.name);
    if (!is(param, Param) || !is(param.value, Placeholder)) return () => param;
    const { encoder, value } = param;
    return (values) => encoder.mapToDriverValue(namedIn(values, value.name));
  });
  return (values) => fills.map((fill) => fill(values) as InValue);
}

function namedIn(values: Readonly<Record<string, InValue>>, name: string): InValue {
  const value = values[name];
  if (value === undefined) throw new TypeError(`a statement lacks its value ${name}`);
  return value;
}

/**
 * Combines several selects over whole tables into one statement with one row; each column is the JSON text of one
 * select. That gives one snapshot, one statement to prepare, and one native value per select. Reading 40 orders value
 * by value takes longer than the rest of a pass. Built on first use; `placeholder` names the values.
 */
export function bundle(made: () => readonly (readonly [Table, SQLWrapper])[]) {
  const selects = lazy(made);
  const built = lazy(() => {
    const columns = selects().map(
      ([table, query]) => sql`(select json_group_array(json_array(${columnNamesOf(table)})) from (${query}))`,
    );
    const query = dialect.sqlToQuery(sql`select ${sql.join(columns, sql`, `)}`);
    return { sql: query.sql, fill: fillerOf(query.params) };
  });
  return {
    with: (values: Record<string, InValue>): Statement => ({ sql: built().sql, args: built().fill(values) }),
    /** Returns the rows of the select at a position, in its table's types. */
    rows: <T extends Table>(
      table: T,
      result: ResultSet | undefined,
      convert?: Convert,
    ): T["$inferSelect"][] => {
      const index = selects().findIndex(([one]) => one === table);
      return rowsFrom(table, JSON.parse(String(result?.rows[0]?.[index] ?? "[]")) as unknown[][], convert);
    },
  };
}

const columnNamesOf = (table: Table): SQL =>
  sql.join(
    (Object.values(getTableColumns(table)) as Column[]).map(({ name }) => sql.identifier(name)),
    sql`, `,
  );

/** Returns whether a statement returned any row. */
export const hasRows = (result: ResultSet | undefined): boolean => Boolean(result?.rows.length);

const knownReaders = new WeakMap<Table, readonly ColumnReader[]>();

/** Returns the rows of a plain select or of `returning()`, in the table's types. */
export const rowsOf = <T extends Table>(table: T, result: ResultSet | undefined): T["$inferSelect"][] =>
  rowsFrom(table, (result?.rows ?? []) as ArrayLike<unknown>[]);

/** Returns all columns of a table, in the order in which `rowsOf` reads them. */
export const selectedColumns = (table: Table): SQL =>
  sql.join(
    (Object.values(getTableColumns(table)) as Column[]).map((column) => sql`${column}`),
    sql`, `,
  );

/** Maximum length of all texts whose values are remembered. */
const MAX_CONVERTED_LENGTH = 8_000_000;

/** Converts a stored value with its column's converter. */
type Convert = (value: unknown, read: (value: unknown) => unknown) => unknown;

const convertAnew: Convert = (value, read) => read(value);

/**
 * Converts each text once while it is among the newest texts of `maxLength` characters together: most strategies do not
 * change between two reads. Nobody may change the values.
 */
function convertedOnce(maxLength: number): Convert {
  const known = new Map<string, unknown>();
  let length = 0;
  return (text, read) => {
    if (typeof text !== "string") return read(text);
    const found = known.get(text);
    if (found !== undefined) return found;
    const made = read(text);
    known.set(text, made);
    length += text.length;
    for (const [oldest] of known) {
      if (length <= maxLength) break;
      known.delete(oldest);
      length -= oldest.length;
    }
    return made;
  };
}

/** Does the same for rows from JSON instead of a result. */
export function rowsFrom<T extends Table>(
  table: T,
  rows: readonly ArrayLike<unknown>[],
  convert = convertAnew,
): T["$inferSelect"][] {
  const readers = readersOf(table);
  return rows.map((row) => {
    const decoded: Record<string, unknown> = {};
    for (let index = 0; index < readers.length; index++) {
      const { key, read } = readers[index] as ColumnReader;
      const value = row[index];
      decoded[key] = value === null || value === undefined ? null : read ? convert(value, read) : value;
    }
    return decoded as T["$inferSelect"];
  });
}

interface ColumnReader {
  readonly key: string;
  /** Undefined if the value needs no conversion. */
  readonly read: ((value: unknown) => unknown) | undefined;
}

/** Returns the converters of a table's columns, in order. */
function readersOf(table: Table): readonly ColumnReader[] {
  const known = knownReaders.get(table);
  if (known) return known;
  const asItIs = Column.prototype.mapFromDriverValue;
  const made = (Object.entries(getTableColumns(table)) as [string, Column][]).map(([key, column]) => ({
    key,
    read:
      column.mapFromDriverValue === asItIs ? undefined : (value: unknown) => column.mapFromDriverValue(value),
  }));
  knownReaders.set(table, made);
  return made;
}

/** A method of a store, with the context as its first argument. */
export type StoreMethod<Method extends (...values: never) => unknown> = (
  context: Context,
  ...values: Parameters<Method>
) => ReturnType<Method>;

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

type NoSchema = Record<string, never>;

/** Returns a database that runs its statements with `run`. */
function databaseOver(run: RemoteCallback): SqliteRemoteDatabase {
  const session = new PlainSession(run, dialect, undefined);
  return new SqliteRemoteDatabase("async", dialect, session, undefined);
}

const lease = {
  account: sql.placeholder("account"),
  token: sql.placeholder("token"),
  owner: sql.placeholder("owner"),
};

/** Fails if a condition is false or unknown; if it is true, nothing is written. */
export const refusedUnless = (holds: SQL): SQL =>
  sql`insert into ${fenceGuard} select 0 where (${holds}) is not 1`;

const unlessLeased = () =>
  refusedUnless(
    sql`exists(select 1 from ${accounts} where ${accounts.account} = ${lease.account} and ${accounts.token} = ${lease.token} and ${accounts.owner} = ${lease.owner})`,
  );

/**
 * Returns the statements as one batch that fails without effect if the lease is no longer ours. An update without
 * rows would not end a batch; an insert that violates a constraint does.
 */
export const guarded = (
  { prepare }: Context,
  { account, token, owner }: Lease,
  statements: readonly Statement[],
): Statement[] => [prepare(unlessLeased)({ account, token, owner }), ...statements];

const sameFlags = (flags: StopFlags): SQL =>
  sql.join(STOP_FLAGS.map((flag) => sql` and ${strategies[flag]} = ${flags[flag]}`));

/** Statements that end their batch if a condition is false. */
export const unless = (holds: SQL): Statement[] => [statement(refusedUnless(holds))];

/** Statements that end their batch if a person has requested something else meanwhile. */
export const wishUnchanged = ({ id, wants, keepOrders, ...flags }: NonNullable<Changes["wish"]>) =>
  unless(
    sql`exists(select 1 from ${strategies} where ${strategies.id} = ${id} and ${strategies.wants} = ${wants} and ${strategies.keepOrders} = ${keepOrders}${sameFlags(flags)})`,
  );

/** Returns whether a batch was written; false if one of its conditions was false. */
export const isWritten = (batch: Promise<unknown>): Promise<boolean> =>
  batch.then(
    () => true,
    (error: unknown) => {
      if (error instanceof StoreError && error.failure === "fenced") return false;
      throw error;
    },
  );

interface KeptForm<Reported> {
  /** Maximum number of cached responses. */
  readonly maxEntries: number;
  /** Whether a response is small enough and requested often enough to cache. */
  readonly isWorth: (result: Reported) => boolean;
}

/** A response, and the protocol time at which it was repeated from the cache; undefined if it was just read. */
interface KeptView<Reported> {
  readonly value: Reported;
  readonly now: Millis | undefined;
}

/**
 * Caches reads, and repeats a response while no process has changed the database. If changes cannot be detected,
 * every request reads. A response must not depend on the time, except for parts that the caller computes.
 */
export function cachedReads<Reported>(
  { stamp }: Pick<Context, "stamp">,
  { maxEntries, isWorth }: KeptForm<Reported>,
) {
  let since: string | undefined;
  const kept = new Map<string, Reported>();
  return async (key: string, read: () => Promise<Reported>): Promise<KeptView<Reported>> => {
    // Before the read, so a change between the two makes the stamp too old, never too new.
    const found = await stamp();
    if (!found) return { value: await read(), now: undefined };
    if (found.changes !== since) kept.clear();
    since = found.changes;
    const known = kept.get(key);
    if (known !== undefined) return { value: known, now: found.now };
    const result = await read();
    if (since === found.changes && isWorth(result)) {
      if (kept.size === maxEntries) kept.clear();
      kept.set(key, result);
    }
    return { value: result, now: undefined };
  };
}
