import { join } from "node:path";
import { createClient } from "@libsql/client";
import { describe, expect, it, onTestFinished } from "vitest";
import { fileConnection } from "../../../cli/host/database/file-connection.ts";
import { nodeLocal } from "../../../cli/host/process/node-local.ts";
import { openDatabase } from "../../../src/adapters/libsql/client/open.ts";
import { type Connection, safeClient } from "../../../src/adapters/libsql/client/safe-client.ts";
import { migrations } from "../../support/migrations.ts";
import { tempFolder } from "../../support/temp.ts";

/** SQLite's own numbers: with FULL a commit is on the disk before it is told, with NORMAL it may not be. */
const [NORMAL, FULL] = [1, 2];

it.each([
  ["live", FULL],
  ["sandbox", NORMAL],
] as const)("commits to a file for a %s exchange wait for the disk as they have to", async (kind, mode) => {
  const client = createClient({ url: `file:${join(tempFolder(), "store.db")}`, concurrency: 1 });
  const context = await openDatabase({ client, local: nodeLocal, migrations, kind });
  onTestFinished(() => context.client.close());
  const { rows } = await context.client.execute("pragma synchronous");
  expect(rows[0]?.[0]).toBe(mode);
});

const INSERT = "insert into one (id) values (?)";

async function heard(failing: RegExp | undefined) {
  const file = join(tempFolder(), "store.db");
  const made = fileConnection(file);
  const told: string[] = [];
  const connection: Connection = {
    ...made,
    execute(statement) {
      const text = typeof statement === "string" ? statement : statement.sql;
      told.push(text);
      if (failing?.test(text) && told.length > 3) return Promise.reject(new Error("refused"));
      return made.execute(statement);
    },
    reconnect() {
      told.push("reconnect");
      return made.reconnect();
    },
  };
  const client = await safeClient({ connection, identity: () => "" }, nodeLocal);
  onTestFinished(() => client.close());
  await client.execute("create table one (id integer primary key)");
  const mode = async () => (await made.execute("pragma synchronous")).rows[0]?.[0];
  return { client, told, mode, file };
}

describe("a write that need not wait for the disk", () => {
  const PACED = ["PRAGMA synchronous = NORMAL", INSERT, "PRAGMA synchronous = FULL"];

  it("does not, and whoever comes next does", async () => {
    const { client, told, mode, file } = await heard(undefined);
    const from = told.length;
    await client.unwaited({ sql: INSERT, args: [1] });
    expect(told.slice(from)).toEqual(PACED);
    expect(await mode()).toBe(FULL);
    const other = fileConnection(file);
    expect((await other.execute("select id from one")).rows.length).toBe(1);
    other.close();
  });

  it("leaves the next one waiting where it has failed itself", async () => {
    const { client, mode } = await heard(undefined);
    await client.unwaited({ sql: INSERT, args: [1] });
    await expect(client.unwaited({ sql: INSERT, args: [1] })).rejects.toMatchObject({
      failure: "constraint",
    });
    expect(await mode()).toBe(FULL);
  });

  it("is the last one of a connection that cannot be told to wait again", async () => {
    const { client, told, mode } = await heard(/synchronous = FULL/);
    const from = told.length;
    await client.unwaited({ sql: INSERT, args: [1] });
    expect(told.slice(from, from + 4)).toEqual([...PACED, "reconnect"]);
    expect(await mode()).toBe(FULL);
  });
});
