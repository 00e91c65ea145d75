import type { InStatement, ResultSet } from "@libsql/client";
import { createClient } from "@libsql/client/http";
import { LibsqlBatchError, LibsqlError } from "@libsql/core/api";
import { decodeResult, describeError, writeBatch } from "./decode-results.ts";

/*
 * Sends a batch to a libSQL server in one request like the library, in a fifth of its time: the library keeps a
 * stream, a queue and a promise for each statement, and parses the response twice. Rare cases use the library.
 * github.com/tursodatabase/libsql, docs/HRANA_2_SPEC.md.
 */

/** URL and headers of a database's requests. */
interface RequestTarget {
  readonly address: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface RemoteAddress {
  readonly url: string;
  readonly authToken?: string | undefined;
}

const targets = new Map<string, RequestTarget>();

/** Returns the target as the library derives it, once per process, from a request that is not sent. */
export async function targetOf({ url, authToken }: RemoteAddress): Promise<RequestTarget> {
  const key = JSON.stringify([url, authToken]);
  const known = targets.get(key);
  if (known) return known;
  let found: RequestTarget | undefined;
  const notice = async ({ url: address, headers }: Request): Promise<Response> => {
    found = { address, headers: Object.fromEntries(headers) };
    return new Response(null, { status: 204 });
  };
  const client = createClient({ url, ...(authToken ? { authToken } : {}), fetch: notice });
  const failed: unknown = await client.execute("select 1").catch((error: unknown) => error);
  if (!found) throw failed;
  targets.set(key, found);
  return found;
}

type BatchMode = "write" | "read";
type PlainValue = string | number | null;

interface PlainStatement {
  readonly sql: string;
  readonly args: readonly PlainValue[];
}

const BEGIN: Readonly<Record<BatchMode, string>> = {
  write: "BEGIN IMMEDIATE",
  read: "BEGIN TRANSACTION READONLY",
};

/** Returns the statements if their values need no encoding; undefined otherwise. */
export function plainStatements(statements: readonly InStatement[]): PlainStatement[] | undefined {
  const plain: PlainStatement[] = [];
  for (const inStatement of statements) {
    const { sql, args = [] } = typeof inStatement === "string" ? { sql: inStatement } : inStatement;
    if (!Array.isArray(args) || !args.every(isPlainValue)) return undefined;
    plain.push({ sql, args });
  }
  return plain;
}

const isPlainValue = (value: unknown): value is PlainValue =>
  value === null || typeof value === "string" || (typeof value === "number" && Number.isFinite(value));

const sentValue = (value: PlainValue) =>
  value === null
    ? { type: "null" }
    : typeof value === "string"
      ? { type: "text", value }
      : { type: "float", value };

/** Returns the request body: statements in order, all or none. Each text is sent once. */
export function batchBody(statements: readonly PlainStatement[], mode: BatchMode): string {
  const ids = new Map<string, number>();
  for (const { sql } of statements) if (!ids.has(sql)) ids.set(sql, ids.size);
  const run = (sql: string, condition?: object) => ({ condition, stmt: { sql, want_rows: false } });
  const last = statements.length;
  const steps = [
    run(BEGIN[mode]),
    ...statements.map(({ sql, args }, index) => ({
      condition: { type: "ok", step: index },
      stmt: { sql_id: ids.get(sql), args: args.map(sentValue), want_rows: true },
    })),
    run("COMMIT", { type: "ok", step: last }),
    run("ROLLBACK", { type: "not", cond: { type: "ok", step: last + 1 } }),
  ];
  const texts = [...ids].map(([sql, sql_id]) => ({ type: "store_sql", sql_id, sql }));
  return JSON.stringify({ requests: [...texts, { type: "batch", batch: { steps } }, { type: "close" }] });
}

/** Returns the results of the statements in the library's format, from the response. Throws the library's errors. */
export function resultsOf(body: unknown, statements: readonly PlainStatement[]): ResultSet[] {
  const texts = new Set(statements.map(({ sql }) => sql)).size;
  const { results, errors } = writeBatch(body, texts);
  if (errors[0]) throw describeError(errors[0]);
  const sets = statements.map((_one, index) => {
    if (errors[index + 1]) throw describeError(errors[index + 1], index);
    const result = results[index + 1];
    if (!result) throw new LibsqlBatchError("its transaction was rolled back", index, "TRANSACTION_CLOSED");
    return decodeResult(result);
  });
  const last = statements.length + 1;
  if (errors[last]) throw describeError(errors[last]);
  // The library would treat it as done.
  if (!results[last]) throw new LibsqlError("the commit is unconfirmed", "TRANSACTION_CLOSED");
  return sets;
}
