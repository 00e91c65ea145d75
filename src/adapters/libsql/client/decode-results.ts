import type { ResultSet, Row, Value } from "@libsql/client";
import { LibsqlBatchError, LibsqlError } from "@libsql/core/api";

/*
 * Parses the response of a libSQL server as the library does. github.com/tursodatabase/libsql, docs/HRANA_2_SPEC.md.
 */

const unreadAnswer = (what: string): LibsqlError =>
  new LibsqlError(`the server's response has no ${what}`, "HRANA_PROTO_ERROR");

/** Returns a field of a value that may not be an object. */
export const fieldIn = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;

function neededList(value: unknown, name: string): readonly unknown[] {
  const list = fieldIn(value, name);
  if (!Array.isArray(list)) throw unreadAnswer(name);
  return list;
}

/** Returns the result of each step of a batch, which is between the stored texts and the end. */
export function writeBatch(body: unknown, texts: number) {
  const items = neededList(body, "results");
  const refused = items.find((one) => fieldIn(one, "type") === "error");
  if (refused) throw describeError(fieldIn(refused, "error"));
  if (items.length !== texts + 2) throw unreadAnswer("result for each request");
  const response = fieldIn(items[texts], "response");
  if (fieldIn(response, "type") !== "batch") throw unreadAnswer("batch");
  const result = fieldIn(response, "result");
  return { results: neededList(result, "step_results"), errors: neededList(result, "step_errors") };
}

/** Describes the error of a batch's statement, or of the steps around the statements. */
export function describeError(output: unknown, place?: number): LibsqlError {
  const message = String(fieldIn(output, "message"));
  const code = String(fieldIn(output, "code") ?? "UNKNOWN");
  return place === undefined ? new LibsqlError(message, code) : new LibsqlBatchError(message, place, code);
}

/** Returns the error of a failed response. */
export async function failedAnswer(response: Response): Promise<LibsqlError> {
  const said = `the server returned status ${response.status}`;
  if (response.headers.get("content-type") !== "application/json") {
    await response.body?.cancel();
    return new LibsqlError(said, "SERVER_ERROR");
  }
  const output: unknown = await response.json();
  return fieldIn(output, "message") === undefined
    ? new LibsqlError(said, "SERVER_ERROR")
    : describeError(output);
}

export function decodeResult(output: unknown): ResultSet {
  const cols = neededList(output, "cols");
  const columns = cols.map((one) => String(fieldIn(one, "name") ?? ""));
  const columnTypes = cols.map((one) => String(fieldIn(one, "decltype") ?? ""));
  const rows = neededList(output, "rows").map((row) => decodeRow(columns, row));
  const rowsAffected = fieldIn(output, "affected_row_count");
  if (typeof rowsAffected !== "number") throw unreadAnswer("number of rows");
  const rowid = fieldIn(output, "last_insert_rowid");
  const lastInsertRowid = typeof rowid === "string" ? BigInt(rowid) : undefined;
  const set = { columns, columnTypes, rows, rowsAffected, lastInsertRowid };
  const toJSON = () => ({
    ...set,
    rows: rows.map((row) => Array.from(row)),
    lastInsertRowid: lastInsertRowid?.toString() ?? null,
  });
  return { ...set, toJSON };
}

/** Returns a row's values by position, and by name; of several columns with one name, the first. */
function decodeRow(columns: readonly string[], output: unknown): Row {
  if (!Array.isArray(output)) throw unreadAnswer("row");
  const row = Object.defineProperty({}, "length", { value: output.length }) as Row;
  for (const [index, one] of output.entries()) {
    const value = decodeValue(one);
    Object.defineProperty(row, index, { value });
    const name = columns[index];
    if (name !== undefined && !Object.hasOwn(row, name)) row[name] = value;
  }
  return row;
}

function decodeValue(output: unknown): Value {
  const value = fieldIn(output, "value");
  switch (fieldIn(output, "type")) {
    case "null":
      return null;
    case "text":
      if (typeof value === "string") return value;
      break;
    case "float":
      if (typeof value === "number") return value;
      break;
    case "integer":
      return decodeWhole(value);
    case "blob":
      return blobOf(fieldIn(output, "base64"));
  }
  throw unreadAnswer("value that can be read");
}

function decodeWhole(output: unknown): number {
  const value = Number(output);
  if (typeof output !== "string" || !Number.isSafeInteger(value))
    throw new RangeError("a whole number of the database is too large");
  return value;
}

function blobOf(base64: unknown): ArrayBuffer {
  if (typeof base64 !== "string") throw unreadAnswer("blob");
  return Uint8Array.from(atob(base64), (one) => one.charCodeAt(0)).buffer;
}
