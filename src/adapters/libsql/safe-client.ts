import type { Client, InStatement, ResultSet } from "@libsql/client";
import { messageOf, StoreError } from "../../errors.ts";
import type { Local } from "../../ports.ts";

/** The only way to a database: two calls that either happened as they say or throw StoreError. */
export interface SafeClient {
  execute(statement: InStatement): Promise<ResultSet>;
  /** All statements or none. */
  batch(statements: InStatement[], mode: "write" | "read"): Promise<ResultSet[]>;
  close(): void;
}

const ATTEMPTS = 40;

/**
 * On a file, after one SQLITE_BUSY a connection reports later writes as done and never commits them
 * (libsql-client-ts#352). So calls go one at a time through one connection, none is interactive, and
 * a busy one is given a new connection before it is tried again: it had no lock and so wrote nothing.
 */
export async function safeClient(client: Client, local: Local): Promise<SafeClient> {
  if (client.protocol !== "file") return remote(client);
  const setUp = async () => {
    await client.execute("PRAGMA journal_mode = WAL");
    // Per connection: without it each commit waits for the disk, 14 times slower.
    await client.execute("PRAGMA synchronous = NORMAL");
  };
  const patiently = async <T>(call: () => Promise<T>): Promise<T> => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await call();
      } catch (error) {
        if (!isBusy(error) || attempt === ATTEMPTS) throw storeError(error);
        await local.sleep(backoff(attempt, local.randomText(1)));
        await client.reconnect();
        await setUp().catch(() => undefined);
      }
    }
  };
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(call: () => Promise<T>): Promise<T> => {
    const result = last.then(() => patiently(call));
    last = result.catch(() => undefined);
    return result;
  };
  await inTurn(setUp);
  return {
    execute: (statement) => inTurn(() => client.execute(statement)),
    batch: (statements, mode) => inTurn(() => client.batch(statements, mode)),
    close: () => client.close(),
  };
}

function remote(client: Client): SafeClient {
  const labelled = <T>(call: Promise<T>) =>
    call.catch((error: unknown) => {
      throw storeError(error);
    });
  return {
    execute: (statement) => labelled(client.execute(statement)),
    batch: (statements, mode) => labelled(client.batch(statements, mode)),
    close: () => client.close(),
  };
}

const codeOf = (error: unknown): string =>
  typeof error === "object" && error !== null && "code" in error ? String(error.code) : "";

const isBusy = (error: unknown): boolean => /^SQLITE_(BUSY|LOCKED)/.test(codeOf(error));

// 5 to 10 ms at first, growing to 100 to 200: two processes that met once do not meet in step again.
function backoff(attempt: number, random: string): number {
  const most = Math.min(200, 10 * 2 ** Math.min(attempt - 1, 5));
  return most * (0.5 + Number.parseInt(random, 36) / 72);
}

function storeError(error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const message = messageOf(error);
  const options = { cause: error };
  if (message.includes("fence_holds")) return new StoreError("fenced", "the lease is another's now", options);
  if (codeOf(error).startsWith("SQLITE_CONSTRAINT")) return new StoreError("constraint", message, options);
  return new StoreError("unavailable", message, options);
}
