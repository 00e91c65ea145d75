import type { InStatement, ResultSet } from "@libsql/client";
import { StoreError } from "../../../kernel/errors.ts";
import type { DatabaseUse } from "../../../model/usage.ts";
import type { Local } from "../../../ports/local.ts";
import { callQueue, type QueueTurn } from "./call-queue.ts";
import { allOrNone, type Calls, type SafeClient, type Stamp, type Turned } from "./calls.ts";
import type { RemoteDatabase } from "./remote-client.ts";
import { isSelect, watchedCalls } from "./watched.ts";

/** One connection to a database, whose calls go one at a time. */
export interface Connection {
  execute(statement: InStatement): Promise<ResultSet>;
  /** All statements or none. */
  batch(statements: InStatement[], mode: "write" | "read"): Promise<ResultSet[]>;
  /** Of the database as it is now; absent where nothing tells its changes. */
  stamp?(): Promise<Stamp>;
  /** Gives up whatever the connection has and opens it again. */
  reconnect(): void | Promise<void>;
  close(): void;
}

/** A connection to a file, together with what tells whether that file is still the one that has its name. */
export interface FileDatabase {
  readonly connection: Connection;
  /** Undefined when there is no file of this name. */
  readonly identity: () => string | undefined;
}

/** A connection, or where a server is reached. */
export type Database = Connection | FileDatabase | RemoteDatabase;

/**
 * How much a commit to a file outlives: `durable` ones a power cut too. What an order on a real exchange rests on has
 * to; where the exchange is in the same file, both lose the same.
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
 * On a file, after one SQLITE_BUSY a connection reports later writes as done and never commits them
 * (libsql-client-ts#352). So calls go one at a time through one connection, none is interactive, and
 * a busy one is given a new connection before it is tried again.
 */
async function fileClient(
  { connection, identity }: FileDatabase,
  local: Local,
  durability: Durability,
): Promise<Calls> {
  const opened = identity();
  const isDurable = durability === "durable";
  // Per connection. With NORMAL no commit waits for the disk, and a power cut takes the last ones.
  const waitForDisk = (isWaiting: boolean) =>
    connection.execute(`PRAGMA synchronous = ${isWaiting ? "FULL" : "NORMAL"}`);
  /** The connection may have been told not to wait: nothing durable is written before it is told otherwise. */
  let isLax = false;
  const setUp = async () => {
    await connection.execute("PRAGMA journal_mode = WAL");
    await waitForDisk(isDurable);
  };
  /** As long as it is not opened again, nothing may be asked of it. */
  let isLost = false;
  const reopen = async () => {
    await connection.reconnect();
    [isLost, isLax] = [false, false];
    await setUp().catch(() => undefined);
  };
  const again = async () => {
    isLost = true;
    try {
      // Opening a name that has no file would make an empty one.
      if (identity() === opened) await reopen();
    } catch {
      // The next call tries again, and says why it cannot.
    }
  };
  const queue = callQueue({ local, again });
  /** One that cannot be told to wait is opened again, and then does. */
  const waitAgain = async () => {
    await waitForDisk(true).catch(again);
    isLax = false;
    if (isLost) await reopen();
  };
  const inTurn = <T>(call: () => Promise<T>, turn: QueueTurn & { readonly isLax?: boolean }): Promise<T> =>
    queue.run(async () => {
      refuseAnother(identity(), opened);
      if (isLost) await reopen();
      if (isLax && !turn.isRead && !turn.isLax) await waitAgain();
      return call();
    }, turn);
  const write = { isRead: false, isFirst: false };
  const direct: Turned = {
    execute: (statement, use) => counted(connection.execute(statement), use),
    batch: (statements, mode, use) => counted(connection.batch(statements, mode), use),
  };
  await inTurn(setUp, write);
  const execute: Calls["execute"] = (statement, use) =>
    inTurn(() => counted(connection.execute(statement), use), { ...write, isRead: isSelect(statement) });
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
        ? inTurn(() => withoutDisk(statements), { ...write, isLax: true })
        : inTurn(() => allOrNone(direct, statements), write),
    fresh: execute,
    batch: (statements, mode, use) =>
      inTurn(() => direct.batch(statements, mode, use), { ...write, isRead: mode === "read" }),
    turn: (act, isFirst = false) => inTurn(() => act(direct), { isRead: false, isFirst }),
    stamp: async () => (connection.stamp ? inTurn(connection.stamp, { ...write, isRead: true }) : undefined),
    keptWaiting: queue.keptWaiting,
    close: () => connection.close(),
  };
}

/** What is written to a file without a name is nowhere. Put back, it goes on; another one may be behind or ahead. */
function refuseAnother(now: string | undefined, opened: string | undefined): void {
  if (now === opened) return;
  const what =
    now === undefined
      ? "its file is gone; restore it"
      : "its file was replaced while edgemaker was running; stop edgemaker, and run edgemaker db restore";
  throw new StoreError("unavailable", `the database cannot be used: ${what}`);
}

// A file does not tell how many rows it has read.
function counted<T>(call: Promise<T>, use: DatabaseUse | undefined): Promise<T> {
  if (use)
    Object.assign(use, { databaseRequests: use.databaseRequests + 1, rowsRead: null, rowsWritten: null });
  return call;
}
