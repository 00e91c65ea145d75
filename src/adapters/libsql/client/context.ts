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
import { QueryBuilder } from "drizzle-orm/sqlite-core";
import type { SqliteRemoteDatabase } from "drizzle-orm/sqlite-proxy";
import { lazy } from "../../../kernel/lazy.ts";
import type { Millis } from "../../../kernel/time.ts";
import type { AccountKey } from "../../../model/account.ts";
import type { DatabaseUse } from "../../../model/usage.ts";
import type { SafeClient, Stamp } from "./calls.ts";
import { databaseOver, dialect } from "./dialect.ts";

/** What every part of the store works with. */
export interface Context {
  readonly client: SafeClient;
  /** Builds queries, and runs the reads among them. */
  readonly db: SqliteRemoteDatabase;
  /** Protocol time as an SQL expression. */
  readonly now: () => SQL<number>;
  /**
   * A statement whose text is built once, when it is first asked for; `now` stands for protocol time in it. What a
   * function of a module makes is built once in a process, however many databases it opens.
   */
  readonly prepare: (made: MakesText) => PreparedText;
  /** What is known of the database without reading it, `now` being protocol time. */
  readonly stamp: () => Promise<Stamp | undefined>;
  /** The migrations that this program has, and what the last look found beyond; undefined where another applies them. */
  readonly version?: { readonly names: ReadonlySet<string>; newer: string | undefined };
  /** Ends when what has arrived while the process was held up is known; undefined where nothing holds it up. */
  readonly heard?: (() => Promise<void>) | undefined;
  /** The newest event of what people do, as this process knows it. */
  readonly newest: { ofPeople: ChainHead | undefined };
  /** What the passes under way have asked of the database so far, by account. */
  readonly uses: Map<AccountKey, DatabaseUse>;
}

/** The newest event of a chain. */
export interface ChainHead {
  readonly seq: number;
  readonly hash: string;
}

type MakesText = (now: SQL<number>) => SQLWrapper;

/** Makes statements of one text; placeholders name what varies. */
export type PreparedText = (values?: Record<string, InValue>) => Statement;

export interface Statement {
  readonly sql: string;
  readonly args: InValue[];
}

/** SQLite's own clock: one clock for every process that shares the database. */
const databaseClock = sql<number>`cast(unixepoch('subsec') * 1000 as integer)`;

/** Builds selects that are the same on every database. */
export const queries = new QueryBuilder(dialect);

/** Builds statements that are the same on every database; it has none to run them on. */
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

/** `clock` replaces the database's, where time is simulated. */
export function createContext(client: SafeClient, clock?: () => Millis): Context {
  const db = databaseOver(async (query, args: InValue[], method) => {
    const result = await client.execute({ sql: query, args });
    const rows = result.rows.map((row) => result.columns.map((_name, place) => row[place]));
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
  return { client, db, now, prepare, stamp, newest: { ofPeople: undefined }, uses: new Map() };
}

/** Statements that are asked for in several ways: each way has a text of its own, built once. */
export function preparedTexts(
  prepare: Context["prepare"],
): (way: string, made: Parameters<Context["prepare"]>[0]) => PreparedText {
  const texts = new Map<string, PreparedText>();
  return (way, made) => {
    const known = texts.get(way) ?? prepare(made);
    texts.set(way, known);
    return known;
  };
}

/** The same, for a module: each way is made by a function of its own, which stays. */
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

/** A built query, or a raw template, as a statement of `client.batch`. */
export function statement(query: SQLWrapper): Statement {
  const { sql: text, params } = dialect.sqlToQuery(query.getSQL());
  return { sql: text, args: params as InValue[] };
}

/** Puts values in the places of a text: where they belong is found out once. Throws where one is missing. */
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
 * Several selects over whole tables as one statement of one row, each column the JSON text of one of
 * them: one snapshot, one statement to prepare, and one value each through the native binding. Read
 * value by value, 40 orders cost more than the rest of a pass. Built once, when it is first asked for;
 * `placeholder` names what varies.
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
    /** The rows of the select at a place, in its table's own types. */
    rows: <T extends Table>(table: T, result: ResultSet | undefined): T["$inferSelect"][] => {
      const place = selects().findIndex(([one]) => one === table);
      return rowsFrom(table, JSON.parse(String(result?.rows[0]?.[place] ?? "[]")) as unknown[][]);
    },
  };
}

const columnNamesOf = (table: Table): SQL =>
  sql.join(
    (Object.values(getTableColumns(table)) as Column[]).map(({ name }) => sql.identifier(name)),
    sql`, `,
  );

/** Whether a statement has answered any row. */
export const hasRows = (result: ResultSet | undefined): boolean => Boolean(result?.rows.length);

/** The rows of a plain select or of `returning()`, in the table's own types; its columns begin at place `from`. */
export const rowsOf = <T extends Table>(
  table: T,
  result: ResultSet | undefined,
  from = 0,
): T["$inferSelect"][] => rowsFrom(table, (result?.rows ?? []) as ArrayLike<unknown>[], from);

/** All columns of a table, in the order in which `rowsOf` reads them. */
export const selectedColumns = (table: Table): SQL =>
  sql.join(
    (Object.values(getTableColumns(table)) as Column[]).map((column) => sql`${column}`),
    sql`, `,
  );

/** The same of rows that are no result of their own: those of JSON. */
export function rowsFrom<T extends Table>(
  table: T,
  rows: readonly ArrayLike<unknown>[],
  from = 0,
): T["$inferSelect"][] {
  const readers = readersOf(table);
  return rows.map((row) => {
    const decoded: Record<string, unknown> = {};
    for (let place = 0; place < readers.length; place++) {
      const { key, read } = readers[place] as ColumnReader;
      const value = row[from + place];
      decoded[key] = value === null || value === undefined ? null : read ? read(value) : value;
    }
    return decoded as T["$inferSelect"];
  });
}

interface ColumnReader {
  readonly key: string;
  /** Undefined where the value is taken as it is. */
  readonly read: ((value: unknown) => unknown) | undefined;
}

const knownReaders = new WeakMap<Table, readonly ColumnReader[]>();

/** How a table's columns are read, in their order. */
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
