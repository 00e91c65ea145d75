import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fileConnection } from "../../../cli/host/file-connection.ts";
import { nodeLocal } from "../../../cli/host/process/node-local.ts";
import { safeClient } from "../../../src/storage/client/safe-client.ts";
import { tempFolder } from "../../support/temp.ts";

const INSERT = "insert into one (id, note) values (?, ?)";
const ALL = "select id, note from one order by id";

async function opened() {
  const file = join(tempFolder(), "kept.db");
  const connection = fileConnection(file);
  await connection.execute("PRAGMA journal_mode = WAL");
  await connection.execute("create table one (id integer primary key, note)");
  return { file, connection };
}

const notesOf = async (file: string): Promise<unknown[]> => {
  const other = fileConnection(file);
  const { rows } = await other.execute(ALL);
  other.close();
  return rows.map(({ note }) => note);
};

describe("a connection with cached statements", () => {
  // libsql-client-ts#352: run again, the refused statement reports a write that nobody else ever sees.
  it("stores the writes of a statement that another process's lock blocked before", async () => {
    const { file, connection } = await opened();
    const client = await safeClient({ connection, identity: () => "" }, nodeLocal);
    await client.execute({ sql: INSERT, args: [1, "before"] });
    const other = fileConnection(file);
    await other.execute("BEGIN IMMEDIATE");
    const refused = client.execute({ sql: INSERT, args: [2, "refused at first"] });
    while (client.keptWaiting() === 0) await nodeLocal.sleep(1);
    await other.execute("COMMIT");
    await refused;
    await client.execute({ sql: INSERT, args: [3, "after"] });
    await client.batch([{ sql: INSERT, args: [4, "in a batch"] }], "write");
    expect(await notesOf(file)).toEqual(["before", "refused at first", "after", "in a batch"]);
    other.close();
    client.close();
  });

  it("reruns a statement that violated a constraint, also in a batch that is rolled back", async () => {
    const { file, connection } = await opened();
    await connection.execute({ sql: INSERT, args: [1, "a"] });
    await expect(connection.execute({ sql: INSERT, args: [1, "b"] })).rejects.toMatchObject({
      code: "SQLITE_CONSTRAINT",
    });
    const twice = [2, 2].map((id) => ({ sql: INSERT, args: [id, "c"] }));
    await expect(connection.batch(twice, "write")).rejects.toMatchObject({ code: "SQLITE_CONSTRAINT" });
    await connection.execute({ sql: INSERT, args: [2, "d"] });
    expect(await notesOf(file)).toEqual(["a", "d"]);
    connection.close();
  });

  it("creates a schema in one batch or not at all, with the library's error code", async () => {
    const { connection } = await opened();
    const two = "create table two (id integer)";
    const index = "create index by_note on one (note)";
    await expect(connection.batch([two, index, two], "write")).rejects.toMatchObject({
      code: "SQLITE_ERROR",
      message: expect.stringContaining("table two already exists"),
    });
    await expect(connection.execute("select * from two")).rejects.toThrow("no such table: two");
    await connection.batch([index, two], "write");
    expect((await connection.execute("select * from two")).columns).toEqual(["id"]);
    await connection.execute({ sql: "create table three as select ? as id", args: [3] });
    expect((await connection.execute("select * from three")).rows[0]?.id).toBe(3);
    connection.close();
  });

  it("reads a column correctly after the table was changed", async () => {
    const { connection } = await opened();
    await connection.execute({ sql: INSERT, args: [1, "a"] });
    await connection.execute("select * from one");
    await connection.execute("alter table one add column more text default 'new'");
    expect((await connection.execute("select * from one")).rows[0]).toMatchObject({ id: 1, more: "new" });
    connection.close();
  });

  it.each([
    ["a number", 1.5, 1.5],
    ["a whole number", 9_007_199_254_740_991, 9_007_199_254_740_991],
    ["a text", "é", "é"],
    ["nothing", null, null],
    ["a word of yes", true, 1],
  ])("stores %s and reads it back", async (_what, value, text) => {
    const { connection } = await opened();
    await connection.execute({ sql: INSERT, args: [1, value] });
    const { rows, columns } = await connection.execute(ALL);
    expect([rows[0]?.[1], rows[0]?.note, columns]).toEqual([text, text, ["id", "note"]]);
    connection.close();
  });

  it("rejects a number that it cannot represent", async () => {
    const { connection } = await opened();
    await connection.execute({ sql: INSERT, args: [1, 9_007_199_254_740_993n] });
    await expect(connection.execute(ALL)).rejects.toThrow(RangeError);
    await expect(connection.execute({ sql: INSERT, args: [2, Number.NaN] })).rejects.toThrow(TypeError);
    connection.close();
  });

  it("accepts any number of different texts", async () => {
    const { connection } = await opened();
    for (let count = 1; count <= 500; count++) {
      const { rows } = await connection.execute({
        sql: `select ${count} where ? in (${Array(count).fill("?").join(", ")})`,
        args: Array(count + 1).fill(7),
      });
      expect(rows[0]?.[0]).toBe(count);
    }
    connection.close();
  });

  it("does nothing once it is closed", async () => {
    const { connection } = await opened();
    connection.close();
    connection.close();
    await expect(connection.execute(ALL)).rejects.toThrow("closed");
    await connection.reconnect();
    expect((await connection.execute(ALL)).rows).toEqual([]);
    connection.close();
  });
});
