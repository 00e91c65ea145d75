import type { InStatement, ResultSet } from "@libsql/client";
import { sql } from "drizzle-orm";
import { messageOf, SettingsError, StoreError } from "../../kernel/errors.ts";
import { type Millis, SECOND } from "../../kernel/time.ts";
import type { DatabaseUse } from "../../model/limits.ts";
import { type Local, letOthersRun, type SpanAttributes, type Tracer } from "../../ports/within-time.ts";
import { control } from "../tables/trading-tables.ts";
import {
  allOrNone,
  type Calls,
  callQueue,
  codeOf,
  type QueueTurn,
  type SafeClient,
  type Stamp,
  type TurnCalls,
} from "./call-queue.ts";
import { type Context, createContext, statement } from "./context.ts";
import {
  type Migration,
  migrate,
  type NewSchema,
  refuseNewer,
  refuseOlder,
  versionFault,
} from "./migrate.ts";
import type { RemoteDatabase } from "./remote-client.ts";

/** One connection to a database; its calls are serial. */
export interface Connection {
  execute(statement: InStatement): Promise<ResultSet>;
  /** Runs all statements or none. */
  batch(statements: InStatement[], mode: "write" | "read"): Promise<ResultSet[]>;
  /** Returns the current stamp; absent if changes cannot be detected. */
  stamp?(): Promise<Stamp>;
  /** Closes the connection without regard to pending work, and opens it again. */
  reconnect(): void | Promise<void>;
  close(): void;
}

/** A connection to a file, and a check that the file still has its name. */
interface FileDatabase {
  readonly connection: Connection;
  /** Undefined if there is no file with this name. */
  readonly identity: () => string | undefined;
}

/** A connection, a file, or the address of a server. */
export type Database = Connection | FileDatabase | RemoteDatabase;

/**
 * What a commit to a file survives: `durable` ones survive a power failure. Orders on real exchanges need that; if
 * the exchange is simulated in the same file, both lose the same.
 */
export type Durability = "durable" | "fast";

export async function safeClient(
  client: Database,
  local: Local,
  durability: Durability = "durable",
): Promise<SafeClient> {
  if ("connection" in client) return watchedCalls(await fileClient(client, local, durability), local);
  if ("execute" in client)
    return watchedCalls(
      await fileClient({ connection: client, identity: () => "" }, local, durability),
      local,
    );
  const { remoteClient } = await import("./remote-client.ts");
  return watchedCalls(remoteClient(client, local), local);
}

/**
 * After one SQLITE_BUSY, a connection to a file reports later writes as done and never commits them
 * (libsql-client-ts#352). So calls are serial on one connection, no transaction is interactive, and a busy connection
 * is replaced before the retry.
 */
async function fileClient(
  { connection, identity }: FileDatabase,
  local: Local,
  durability: Durability,
): Promise<Calls> {
  const opened = identity();
  const isDurable = durability === "durable";
  // Per connection. With NORMAL, commits do not wait for the disk, and a power failure loses the last ones.
  const waitForDisk = (isWaiting: boolean) =>
    connection.execute(`PRAGMA synchronous = ${isWaiting ? "FULL" : "NORMAL"}`);
  /** Whether the connection may not wait for the disk; no durable write runs before it does. */
  let isLax = false;
  const setUp = async () => {
    await connection.execute("PRAGMA journal_mode = WAL");
    await waitForDisk(isDurable);
  };
  /** Whether the connection must be opened again before any call. */
  let isLost = false;
  const reopen = async () => {
    await connection.reconnect();
    [isLost, isLax] = [false, false];
    await setUp().catch(() => undefined);
  };
  const again = async () => {
    isLost = true;
    try {
      // Opening a missing file would create an empty one.
      if (identity() === opened) await reopen();
    } catch {
      // The next call tries again, and reports the reason.
    }
  };
  const queue = callQueue({ local, again });
  /** Makes the connection wait for the disk again; reopens it if that fails. */
  const waitAgain = async () => {
    await waitForDisk(true).catch(again);
    isLax = false;
    if (isLost) await reopen();
  };
  const inTurn = <T>(call: () => Promise<T>, context: QueueTurn & { readonly isLax?: boolean }): Promise<T> =>
    queue.run(async () => {
      refuseAnother(identity(), opened);
      if (isLost) await reopen();
      if (isLax && !context.isRead && !context.isLax) await waitAgain();
      return call();
    }, context);
  const direct: TurnCalls = {
    execute: (statement, use) => counted(connection.execute(statement), use),
    batch: (statements, mode, use) => counted(connection.batch(statements, mode), use),
  };
  await inTurn(setUp, WRITE);
  const execute: Calls["execute"] = (statement, use) =>
    inTurn(() => counted(connection.execute(statement), use), { ...WRITE, isRead: isSelect(statement) });
  const withoutDisk = async (statements: InStatement[]): Promise<ResultSet[]> => {
    if (!isLax) {
      isLax = true;
      await waitForDisk(false);
    }
    return allOrNone(direct, statements);
  };
  return {
    execute,
    unwaited: (...statements) =>
      isDurable
        ? inTurn(() => withoutDisk(statements), { ...WRITE, isLax: true })
        : inTurn(() => allOrNone(direct, statements), WRITE),
    fresh: execute,
    batch: (statements, mode, use) =>
      inTurn(() => direct.batch(statements, mode, use), { ...WRITE, isRead: mode === "read" }),
    turn: (act, isFirst = false) => inTurn(() => act(direct), { isRead: false, isFirst }),
    stamp: async () => (connection.stamp ? inTurn(connection.stamp, { ...WRITE, isRead: true }) : undefined),
    keptWaiting: queue.keptWaiting,
    close: () => connection.close(),
  };
}

const WRITE = { isRead: false, isFirst: false };

/**
 * Refuses a file that was moved or replaced, because writes to it would be lost. It works again when the original is
 * back.
 */
function refuseAnother(now: string | undefined, opened: string | undefined): void {
  if (now === opened) return;
  const what =
    now === undefined
      ? "its file is gone; restore it"
      : "its file was replaced while edgemaker was running; stop edgemaker, and run edgemaker db restore";
  throw new StoreError("unavailable", `the database cannot be used: ${what}`);
}

// A file does not report how many rows it has read.
function counted<T>(call: Promise<T>, use: DatabaseUse | undefined): Promise<T> {
  if (use)
    Object.assign(use, { databaseRequests: use.databaseRequests + 1, rowsRead: null, rowsWritten: null });
  return call;
}

/** A lock that lasts longer is reported as a problem. */
const LONG_LOCK: Millis = 2 * SECOND;

/** Wraps the calls and records results. The next successful write clears a failed one. */
function watchedCalls(calls: Calls, local: Local): SafeClient {
  let writtenAt = Number.NEGATIVE_INFINITY;
  let failed: { readonly message: string; readonly isRead: boolean } | undefined;

  async function watch<T extends ResultSet | ResultSet[]>(isRead: boolean, call: Promise<T>): Promise<T> {
    // A full disk accepts a write that changes no row.
    return watchFor(isRead, call, (result) => [result].flat().some(({ rowsAffected }) => rowsAffected > 0));
  }

  async function watchFor<T>(isRead: boolean, call: Promise<T>, writes: (result: T) => boolean): Promise<T> {
    try {
      const result = await call;
      const hasWritten = writes(result);
      if (hasWritten) writtenAt = local.monotonic();
      if (hasWritten || failed?.isRead) failed = undefined;
      return result;
    } catch (error) {
      if (error instanceof StoreError && error.failure === "unavailable")
        failed = { message: error.message, isRead };
      throw error;
    }
  }

  return {
    ...calls,
    execute: (statement, use) => watch(isSelect(statement), calls.execute(statement, use)),
    unwaited: (...statements) => watch(false, calls.unwaited(...statements)),
    fresh: (statement, use) => watch(true, calls.fresh(statement, use)),
    batch: (statements, mode, use) => watch(mode === "read", calls.batch(statements, mode, use)),
    stamp: () => watchFor(true, calls.stamp(), () => false),
    turn: (act, isFirst) => watch(false, calls.turn(act, isFirst)),
    trouble() {
      if (failed) return failed.message;
      const waited = calls.keptWaiting();
      if (waited < LONG_LOCK) return undefined;
      return `the database cannot be written: another process has held its lock for ${Math.round(waited / SECOND)} s`;
    },
    sinceWrite: () => local.monotonic() - writtenAt,
  };
}

export const isSelect = (statement: InStatement): boolean =>
  /^\s*select\b/i.test(typeof statement === "string" ? statement : statement.sql);

export interface Opening {
  readonly client: Database;
  readonly local: Local;
  /** Migrations to apply first; empty if another program applies them. */
  readonly migrations: readonly Migration[];
  /** What the migrations create in a new database. */
  readonly schema?: NewSchema | undefined;
  /** Whether it can migrate a database that an older program created (default true). */
  readonly mayMigrate?: boolean | undefined;
  readonly kind: "live" | "sandbox";
  /** The migration that the database must have as its newest one, if another program applies them. */
  readonly newest?: string | undefined;
  /** Whether the database's kind and version were already checked. */
  readonly isChecked?: boolean | undefined;
  /** Replaces the database's clock if time is simulated. */
  readonly clock?: () => Millis;
  readonly tracer?: Tracer | undefined;
}

/** Opens a database of this kind, or marks a new one as such. Throws if it is of the other kind. */
export async function openDatabase({
  client,
  local,
  migrations,
  schema,
  mayMigrate = true,
  kind,
  newest,
  isChecked,
  clock,
  tracer,
}: Opening): Promise<Context> {
  const names = new Set(migrations.map(({ name }) => name));
  const safe = await safeClient(client, local, kind === "live" ? "durable" : "fast").catch(noDatabase);
  const context: Context = {
    ...createContext(traced(safe, tracer), clock),
    pause: () => letOthersRun(local),
    ...(names.size > 0 ? { version: { names, newer: undefined } } : {}),
  };
  if (migrations.length > 0) {
    const refuse = (error: unknown) => {
      context.client.close();
      throw new SettingsError(messageOf(error), { cause: error });
    };
    if (!mayMigrate) await refuseOlder(context, migrations).catch(refuse);
    await migrate(context, migrations, schema);
    await refuseNewer(context).catch(refuse);
  }
  const { db } = context;
  if (migrations.length > 0) {
    await context.client.execute(statement(db.insert(control).values({ id: 1, kind }).onConflictDoNothing()));
  }
  if (isChecked) return context;
  const last = newest === undefined ? sql`''` : sql`(select max(name) from migrations)`;
  const result = await context.client.execute(
    statement(sql`select ${control.kind}, ${last} from ${control}`),
  );
  const [found, migrated] = [result.rows[0]?.[0], String(result.rows[0]?.[1] ?? "")];
  const fault = newest === undefined ? undefined : versionFault(migrated, newest);
  if (fault !== undefined) {
    context.client.close();
    throw new SettingsError(fault, { isPublic: true });
  }
  if (found !== undefined && found !== kind) {
    const [is, request] =
      kind === "live" ? ["a sandbox", "live exchanges"] : ["for live exchanges", "a sandbox"];
    context.client.close();
    throw new SettingsError(
      `this database is ${is} and cannot be used for ${request}; choose another one with --db`,
    );
  }
  return context;
}

function noDatabase(error: unknown): never {
  if (!(error instanceof StoreError) || codeOf(error.cause) !== "SQLITE_NOTADB") throw error;
  throw new SettingsError("this file is not a database; choose another one with --db", { cause: error });
}

/** Traces each call, including its wait in the queue. Only the first word of a statement is recorded. */
export function traced(client: SafeClient, tracer: Tracer | undefined): SafeClient {
  if (!tracer) return client;
  const measured = <T>(verb: string, call: () => Promise<T>, more: SpanAttributes = {}): Promise<T> =>
    tracer.span(`db ${verb}`, { "db.system.name": "sqlite", "db.operation.name": verb, ...more }, call);
  return {
    ...client,
    execute: (statement, use) => measured(verbOf(statement), () => client.execute(statement, use)),
    unwaited: (...statements) =>
      measured(statements.map(verbOf).at(-1) ?? "", () => client.unwaited(...statements)),
    fresh: (statement, use) => measured(verbOf(statement), () => client.fresh(statement, use)),
    batch: (statements, mode, use) =>
      measured("BATCH", () => client.batch(statements, mode, use), {
        "db.operation.batch.size": statements.length,
      }),
    stamp: () => measured("STAMP", client.stamp),
    turn: (act, isFirst) => measured("TURN", () => client.turn(act, isFirst)),
  };
}

const verbOf = (statement: InStatement): string =>
  (/^\s*(\w+)/.exec(typeof statement === "string" ? statement : statement.sql)?.[1] ?? "").toUpperCase();
