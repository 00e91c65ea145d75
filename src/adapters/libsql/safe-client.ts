import type { Client, InStatement, ResultSet } from "@libsql/client";
import type { DatabaseUse } from "../../cost.ts";
import type { Local } from "../../ports.ts";
import { patient } from "./patient.ts";
import { type RemoteDatabase, remoteClient } from "./remote-client.ts";

/** The only way to a database: two calls that either happened as they say or throw StoreError. `use` is added to. */
export interface SafeClient {
  execute(statement: InStatement, use?: DatabaseUse): Promise<ResultSet>;
  /** All statements or none. */
  batch(statements: InStatement[], mode: "write" | "read", use?: DatabaseUse): Promise<ResultSet[]>;
  close(): void;
}

/** A connection to a file, or where a server is reached. */
export type Database = Client | RemoteDatabase;

const ATTEMPTS = 40;

/**
 * On a file, after one SQLITE_BUSY a connection reports later writes as done and never commits them
 * (libsql-client-ts#352). So calls go one at a time through one connection, none is interactive, and
 * a busy one is given a new connection before it is tried again: it had no lock and so wrote nothing.
 */
export async function safeClient(client: Database, local: Local): Promise<SafeClient> {
  if (!("protocol" in client)) return remoteClient(client, local);
  const setUp = async () => {
    await client.execute("PRAGMA journal_mode = WAL");
    // Per connection: without it each commit waits for the disk, 14 times slower.
    await client.execute("PRAGMA synchronous = NORMAL");
  };
  const again = async () => {
    await client.reconnect();
    await setUp().catch(() => undefined);
  };
  const patiently = <T>(call: () => Promise<T>) => patient(call, { local, attempts: ATTEMPTS, again });
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(call: () => Promise<T>): Promise<T> => {
    const result = last.then(() => patiently(call));
    last = result.catch(() => undefined);
    return result;
  };
  await inTurn(setUp);
  return {
    execute: (statement, use) => inTurn(() => counted(client.execute(statement), use)),
    batch: (statements, mode, use) => inTurn(() => counted(client.batch(statements, mode), use)),
    close: () => client.close(),
  };
}

// A file does not tell how many rows it has read.
function counted<T>(call: Promise<T>, use: DatabaseUse | undefined): Promise<T> {
  if (use)
    Object.assign(use, { databaseRequests: use.databaseRequests + 1, rowsRead: null, rowsWritten: null });
  return call;
}
