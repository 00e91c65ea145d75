import { describe, expect, it } from "vitest";
import { failedAnswer } from "../../../../src/adapters/libsql/client/decode-results.ts";
import {
  batchBody,
  plainStatements,
  resultsOf,
  targetOf,
} from "../../../../src/adapters/libsql/client/pipeline.ts";

const plain = (...texts: string[]) => plainStatements(texts) ?? [];
const ok = (type: string, more: object = {}) => ({ type: "ok", response: { type, ...more } });
const done = { cols: [], rows: [], affected_row_count: 0, last_insert_rowid: null };

/** An answer to two statements of two texts, with what a test has otherwise. */
function answer({
  results = [done, done, done, done, null],
  errors = [null, null, null, null, null],
}: {
  readonly results?: readonly unknown[];
  readonly errors?: readonly unknown[];
}) {
  const batch = ok("batch", { result: { step_results: results, step_errors: errors } });
  return { results: [ok("store_sql"), ok("store_sql"), batch, ok("close")] };
}

describe("the address of requests", () => {
  it.each([
    ["http://127.0.0.1:8080", undefined, "http://127.0.0.1:8080/v2/pipeline", undefined],
    ["libsql://db.test", "a", "https://db.test/v2/pipeline", "Bearer a"],
    ["libsql://db.test:81?tls=0&authToken=b", undefined, "http://db.test:81/v2/pipeline", "Bearer b"],
    ["https://db.test", "", "https://db.test/v2/pipeline", undefined],
  ])("is the one that the library derives from %s", async (url, authToken, address, authorization) => {
    const found = await targetOf({ url, authToken });
    expect(found.address).toBe(address);
    expect(found.headers.authorization).toBe(authorization);
    expect(await targetOf({ url, authToken })).toBe(found);
  });

  it("does not exist for an address that the library rejects", async () => {
    await expect(targetOf({ url: "libsql://db.test?hello=1" })).rejects.toMatchObject({
      code: "URL_PARAM_NOT_SUPPORTED",
    });
  });
});

describe("statements without special encoding", () => {
  it("have texts, finite numbers and nulls as values", () => {
    const args = ["a", 1.5, null];
    expect(plainStatements(["select 1", { sql: "select ?, ?, ?", args }])).toEqual([
      { sql: "select 1", args: [] },
      { sql: "select ?, ?, ?", args },
    ]);
  });

  it.each([[[1n]], [[true]], [[new Uint8Array(1)]], [[Number.NaN]], [{ a: 1 }]])(
    "do not include those with %o",
    (args) => {
      expect(plainStatements([{ sql: "select ?", args }])).toBeUndefined();
    },
  );

  it("are sent with each text once, and complete all or nothing", () => {
    const statements = [...plain("a", "b"), { sql: "a", args: ["x", 2, null] }];
    const { requests } = JSON.parse(batchBody(statements, "write"));
    expect(requests.map(({ type, sql }: { type: string; sql?: string }) => sql ?? type)).toEqual([
      "a",
      "b",
      "batch",
      "close",
    ]);
    const { steps } = requests[2].batch;
    expect(
      steps.map(({ stmt }: { stmt: { sql?: string; sql_id?: number } }) => stmt.sql ?? stmt.sql_id),
    ).toEqual(["BEGIN IMMEDIATE", 0, 1, 0, "COMMIT", "ROLLBACK"]);
    expect(steps.map(({ condition }: { condition?: object }) => condition)).toEqual([
      undefined,
      ...[0, 1, 2, 3].map((step) => ({ type: "ok", step })),
      { type: "not", cond: { type: "ok", step: 4 } },
    ]);
    expect(steps[3].stmt.args).toEqual([
      { type: "text", value: "x" },
      { type: "float", value: 2 },
      { type: "null" },
    ]);
  });
});

describe("the response to a batch", () => {
  const error = { message: "no", code: "SQLITE_CONSTRAINT" };
  const calls = plain("a", "b");

  it("contains each statement's result", () => {
    const row = [
      { type: "integer", value: "7" },
      { type: "float", value: 1.5 },
      { type: "text", value: "t" },
      { type: "null" },
      { type: "blob", base64: "AQI=" },
    ];
    const cols = ["i", "f", "t", "n", null].map((name) => ({ name, decltype: name && "ANY" }));
    const output = { cols, rows: [row], affected_row_count: 3, last_insert_rowid: "9" };
    const [first, second] = resultsOf(answer({ results: [done, output, done, done, null] }), calls);
    expect(first).toMatchObject({
      columns: ["i", "f", "t", "n", ""],
      columnTypes: ["ANY", "ANY", "ANY", "ANY", ""],
      rowsAffected: 3,
      lastInsertRowid: 9n,
    });
    const values = [7, 1.5, "t", null, Uint8Array.of(1, 2).buffer];
    expect(Array.from(first?.rows[0] as ArrayLike<unknown>)).toEqual(values);
    expect(first?.rows[0]).toMatchObject({ i: 7, f: 1.5, t: "t", n: null });
    expect(first?.toJSON()).toMatchObject({ rows: [values], lastInsertRowid: "9" });
    expect(second).toMatchObject({ columns: [], rows: [], rowsAffected: 0, lastInsertRowid: undefined });
  });

  it.each([
    ["the transaction did not begin", [error], { name: "LibsqlError", code: error.code }],
    [
      "a statement failed",
      [null, null, error],
      { name: "LibsqlBatchError", code: error.code, statementIndex: 1 },
    ],
    ["nobody tells why", [null, null, { message: "no" }], { code: "UNKNOWN", message: "UNKNOWN: no" }],
    ["it was not committed", [null, null, null, error], { name: "LibsqlError", code: error.code }],
  ])("is an error where %s", (_why, errors, output) => {
    expect(() => resultsOf(answer({ errors }), calls)).toThrow(expect.objectContaining(output));
  });

  it.each([
    [[done, done, null, null, done], 1],
    [[null, null, null, null, done], 0],
  ])("is an error where a statement was not run: %#", (results, statementIndex) => {
    const output = { code: "TRANSACTION_CLOSED", statementIndex };
    expect(() => resultsOf(answer({ results }), calls)).toThrow(expect.objectContaining(output));
  });

  it("is an error where the commit is unconfirmed", () => {
    const output = { code: "TRANSACTION_CLOSED" };
    expect(() => resultsOf(answer({ results: [done, done, done, null, done] }), calls)).toThrow(
      expect.objectContaining(output),
    );
  });

  it("is an error where the request was refused as a whole", () => {
    const refused = { results: [ok("store_sql"), { type: "error", error }, ok("close")] };
    expect(() => resultsOf(refused, calls)).toThrow(
      expect.objectContaining({ code: error.code, message: "SQLITE_CONSTRAINT: no" }),
    );
  });

  const withRow = (row: unknown) =>
    answer({ results: [done, { ...done, cols: [{ name: "a" }], rows: [row] }, done, done, null] });
  it.each([
    null,
    7,
    {},
    { results: [] },
    { results: [ok("batch"), ok("close")] },
    { results: [ok("store_sql"), ok("store_sql"), ok("execute"), ok("close")] },
    { results: [ok("store_sql"), ok("store_sql"), ok("batch", { result: {} }), ok("close")] },
    answer({ results: [done, { ...done, rows: null }, done, done, null] }),
    answer({ results: [done, { ...done, cols: 1 }, done, done, null] }),
    answer({ results: [done, { ...done, affected_row_count: "1" }, done, done, null] }),
    withRow("a"),
    withRow([{ type: "text", value: 1 }]),
    withRow([{ type: "float", value: "1" }]),
    withRow([{ type: "blob", base64: 1 }]),
    withRow([{ type: "new" }]),
    withRow([null]),
  ])("is an error where it cannot be read: %j", (body) => {
    expect(() => resultsOf(body, calls)).toThrow(expect.objectContaining({ code: "HRANA_PROTO_ERROR" }));
  });

  it.each(["9007199254740993", 7, undefined])("is an error where a whole number is %o", (value) => {
    expect(() => resultsOf(withRow([{ type: "integer", value }]), calls)).toThrow(RangeError);
  });
});

describe("an invalid response", () => {
  it.each([
    [new Response("<html>", { status: 502 }), "SERVER_ERROR"],
    [Response.json({}, { status: 500 }), "SERVER_ERROR"],
    [Response.json({ message: "busy", code: "SQLITE_BUSY" }, { status: 500 }), "SQLITE_BUSY"],
  ])("is an error with a code: %#", async (response, code) => {
    expect(await failedAnswer(response)).toMatchObject({ name: "LibsqlError", code });
  });
});
