import type { InStatement, ResultSet } from "@libsql/client";
import { StoreError } from "../../kernel/errors.ts";
import type { DatabaseUse } from "../../model/usage.ts";
import type { Local } from "../../ports/local.ts";
import { callQueue, type QueueTurn } from "./call-queue.ts";
import { allOrNone, type Calls, type SafeClient, type Stamp, type Turned } from "./calls.ts";
import type { RemoteDatabase } from "./remote-client.ts";
import { isSelect, watchedCalls } from "./watched.ts";

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
export interface FileDatabase {
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
  const direct: Turned = {
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
