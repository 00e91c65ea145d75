import { createClient, type InStatement, type ResultSet } from "@libsql/client";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { nodeLocal } from "../../../cli/host/process/node-local.ts";
import { StoreError } from "../../../src/kernel/errors.ts";
import { newUse } from "../../../src/model/limits.ts";
import { codeOf } from "../../../src/storage/client/call-queue.ts";
import { safeClient } from "../../../src/storage/client/safe-client.ts";
import { inWaves } from "../../support/in-waves.ts";
import { type Sqld, startSqld } from "../../support/sqld.ts";

describe("a libSQL server", () => {
  let sqld: Sqld;
  beforeAll(async () => {
    sqld = await startSqld();
  });
  afterAll(() => sqld.stop());

  const open = () => safeClient({ url: sqld.url, fetch }, nodeLocal);

  it("stores every write of many concurrent ones, though it handles one at a time", async () => {
    const client = await open();
    await client.execute("create table counts (id integer primary key, count integer not null)");
    await client.execute("insert into counts values (1, 0)");
    const add = "update counts set count = count + 1 where id = 1";
    await inWaves(
      Array.from({ length: 120 }, () => () => client.batch([add, add], "write")),
      20,
    );
    const { rows } = await client.execute("select count from counts");
    expect(Number(rows[0]?.[0])).toBe(240);
  });

  it("is retried while it is busy with another write", async () => {
    const error = { message: "SQLite error: database is locked", code: "SQLITE_BUSY" };
    const closed = { type: "ok", response: { type: "close" } };
    let busy = 2;
    const sometimes: typeof fetch = async (request, init) =>
      busy-- > 0 ? Response.json({ results: [{ type: "error", error }, closed] }) : fetch(request, init);
    const client = await safeClient({ url: sqld.url, fetch: sometimes }, nodeLocal);
    const use = newUse();
    const { rows } = await client.execute("select 7", use);
    expect(Number(rows[0]?.[0])).toBe(7);
    expect(use.databaseRequests).toBe(3);
  });

  it("reports how many rows a call has read and written", async () => {
    const client = await open();
    const use = newUse();
    await client.execute("create table rows (id integer primary key)");
    await client.batch(["insert into rows values (1)", "insert into rows values (2)"], "write", use);
    await client.execute("select * from rows", use);
    expect(use).toMatchObject({ databaseRequests: 2, rowsWritten: 2 });
    expect(use.rowsRead).toBeGreaterThanOrEqual(2);
  });

  it("answers our own requests as it answers the library's", async () => {
    const own = await open();
    const theirs = createClient({ url: sqld.url });
    const kept = "create table kept (a integer primary key, b text unique, c real, d blob) strict";
    await own.execute(kept);
    const add = "insert into kept values (?, ?, ?, ?) returning *, a as again";
    const batches: InStatement[][] = [
      [
        { sql: add, args: [1, "a", 1.5, null] },
        "select *, x'0102' as bytes, a as b from kept",
        "select 9007199254740991",
      ],
      ["update kept set b = 'b' where a = 1", "delete from kept where a = 2", "delete from kept"],
      [{ sql: add, args: [2, "a", 1, null] }, { sql: add, args: [3, "a", 1, null] }, "select 1"],
      ["select 1", "no sql", "select 2"],
      ["select * from kept"],
      ["commit", "select 1"],
      ["select 9007199254740993"],
      [
        { sql: "select ?", args: [new Uint8Array(2)] },
        { sql: "select :a", args: { a: 1 } },
      ],
    ];
    const readOutput = (done: Promise<readonly ResultSet[]>) =>
      done.then(
        (sets) =>
          sets.map(({ toJSON, rows, ...set }) => ({
            ...set,
            rows: rows.map((row) => [Array.from(row), { ...row }]),
          })),
        (error: unknown) => {
          const cause = error instanceof StoreError ? error.cause : error;
          return codeOf(cause) || (cause as Error).name;
        },
      );
    for (const batch of batches) {
      const before = await readOutput(theirs.batch(batch, "write"));
      await theirs.execute("delete from kept");
      expect(await readOutput(own.batch(batch, "write"))).toEqual(before);
      expect(
        await readOutput(own.turn((calls) => calls.batch(["delete from kept"], "write"))),
      ).toBeInstanceOf(Array);
    }
    theirs.close();
  });

  it("is unavailable, and nothing worse, when it does not respond", async () => {
    const client = await safeClient({ url: "http://127.0.0.1:9", fetch }, nodeLocal);
    await expect(client.execute("select 1")).rejects.toMatchObject({ failure: "unavailable" });
  });
});
