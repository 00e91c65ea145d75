import type { InStatement, ResultSet } from "@libsql/client";
import { createClient } from "@libsql/client/http";
import { SECOND } from "../../kernel/time.ts";
import type { DatabaseUse } from "../../model/limits.ts";
import type { Local } from "../../ports/within-time.ts";
import { allOrNone, type Calls, callQueue, patient, type TurnCalls } from "./call-queue.ts";

/** A libSQL server over HTTP. */
export interface RemoteDatabase {
  readonly url: string;
  readonly authToken?: string | undefined;
  readonly fetch: typeof fetch;
}

/** Maximum number of attempts on a busy server; each is a request that counts. */
const REMOTE_TRIES = 12;
const REMOTE_TIMEOUT = 10 * SECOND;

/**
 * Returns a client whose calls are one request each. It reads the row counts from the response, because the library
 * does not return them.
 */
export function remoteClient({ url, authToken, fetch }: RemoteDatabase, local: Local): Calls {
  const open = (use: DatabaseUse | undefined) =>
    createClient({
      url,
      ...(authToken ? { authToken } : {}),
      fetch: (request: Request) => ask(request, use),
    });

  const ask = async (request: Request, use: DatabaseUse | undefined): Promise<Response> => {
    if (use) use.databaseRequests++;
    const response = await fetch(request, { signal: AbortSignal.timeout(REMOTE_TIMEOUT) });
    if (!use || !response.ok) return response;
    const body: unknown = await response.json();
    countRows(use, body);
    // The library reads the body a second time. A response of a replaced global class refuses a plain assignment.
    return Object.defineProperty(response, "json", { value: async () => body });
  };

  const batch: TurnCalls["batch"] = (statements, mode, use) => open(use).batch(statements, mode);

  // The primary runs every batch that can write, whichever server receives it.
  const primary = async (statement: InStatement, use: DatabaseUse | undefined): Promise<ResultSet> => {
    const [result] = await batch([statement], "write", use);
    return result as ResultSet;
  };
  const direct: TurnCalls = { execute: primary, batch };
  // Of many simultaneous turns, all but one would be refused because of the others.
  const turns = callQueue({ local, again: async () => undefined });
  const patiently = <T>(call: () => Promise<T>) => patient(call, { local, attempts: REMOTE_TRIES });
  const execute: Calls["execute"] = (statement, use) => patiently(() => open(use).execute(statement));
  return {
    execute,
    unwaited: (...statements) =>
      allOrNone({ execute, batch: (requests, mode) => patiently(() => batch(requests, mode)) }, statements),
    fresh: (statement, use) => patiently(() => primary(statement, use)),
    batch: (statements, mode, use) => patiently(() => batch(statements, mode, use)),
    turn: (act, isFirst = false) => turns.run(() => act(direct), { isRead: false, isFirst }),
    stamp: async () => undefined,
    keptWaiting: () => 0,
    close: () => undefined,
  };
}

function countRows(use: DatabaseUse, body: unknown): void {
  const results = resultsIn(body);
  addUse(use, "rowsRead", rowsOfAll(results, "rows_read"));
  addUse(use, "rowsWritten", rowsOfAll(results, "rows_written"));
}

/** Returns the results of single statements and of a batch's statements in a response. */
const resultsIn = (body: unknown): readonly unknown[] =>
  listIn(body, "results").flatMap((one) => {
    const result = fieldIn(fieldIn(one, "response"), "result");
    return result === undefined ? [] : [result, ...listIn(result, "step_results")];
  });

const fieldIn = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;

const listIn = (value: unknown, name: string): readonly unknown[] => {
  const list = fieldIn(value, name);
  return Array.isArray(list) ? list : [];
};

/** Returns the total number of rows; null if the server does not report it. */
function rowsOfAll(results: readonly unknown[], name: string): number | null {
  const counts = results.map((one) => fieldIn(one, name)).filter((count) => typeof count === "number");
  return counts.length === 0 ? null : counts.reduce((sum, count) => sum + count, 0);
}

function addUse(use: DatabaseUse, name: "rowsRead" | "rowsWritten", count: number | null): void {
  const before = use[name];
  use[name] = before === null || count === null ? null : before + count;
}
