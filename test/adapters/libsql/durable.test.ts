import { join } from "node:path";
import { createClient } from "@libsql/client";
import { describe, expect, it, onTestFinished } from "vitest";
import { fileConnection } from "../../../cli/host/file-connection.ts";
import { nodeLocal } from "../../../cli/host/process/node-local.ts";
import type { SafeClient } from "../../../src/storage/client/call-queue.ts";
import { type Connection, openDatabase, safeClient } from "../../../src/storage/client/safe-client.ts";
import { migrations } from "../../support/migrations.ts";
import { tempFolder } from "../../support/temp.ts";

/** SQLite's own numbers: with FULL a commit is on the disk before it is told, with NORMAL it may not be. */
const [NORMAL, FULL] = [1, 2];

it.each([
  ["live", FULL],
  ["sandbox", NORMAL],
] as const)("commits to a file for a %s exchange wait for the disk as required", async (kind, mode) => {
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
  const lines: string[] = [];
  const connection: Connection = {
    ...made,
    execute(statement) {
      const text = typeof statement === "string" ? statement : statement.sql;
      lines.push(text);
      if (failing?.test(text) && lines.length > 3) return Promise.reject(new Error("refused"));
      return made.execute(statement);
    },
    reconnect() {
      lines.push("reconnect");
      return made.reconnect();
    },
  };
  const client = await safeClient({ connection, identity: () => "" }, nodeLocal);
  onTestFinished(() => client.close());
  await client.execute("create table one (id integer primary key)");
  const mode = async () => (await made.execute("pragma synchronous")).rows[0]?.[0];
  return { client, lines, mode, file };
}

describe("a write that need not wait for the disk", () => {
  const [LAX, STRICT] = ["PRAGMA synchronous = NORMAL", "PRAGMA synchronous = FULL"];
  const READ = "select 1";

  it("does not wait, and a durable write first resets that connection", async () => {
    const { client, lines, mode, file } = await heard(undefined);
    const from = lines.length;
    await client.unwaited({ sql: INSERT, args: [1] });
    await client.execute(READ);
    await client.unwaited({ sql: INSERT, args: [2] });
    expect(lines.slice(from)).toEqual([LAX, INSERT, READ, INSERT]);
    expect(await mode()).toBe(NORMAL);
    const next = lines.length;
    await client.execute({ sql: INSERT, args: [3] });
    expect(lines.slice(next)).toEqual([STRICT, INSERT]);
    expect(await mode()).toBe(FULL);
    const other = fileConnection(file);
    expect((await other.execute("select id from one")).rows.length).toBe(3);
    other.close();
  });

  it.each([
    ["one", (client: SafeClient) => client.execute({ sql: INSERT, args: [2] })],
    ["several", (client: SafeClient) => client.batch([{ sql: INSERT, args: [2] }], "write")],
    [
      "a turn of some",
      (client: SafeClient) => client.turn(async (calls) => [await calls.execute({ sql: INSERT, args: [2] })]),
    ],
  ])("does not change that another write waits: %s", async (_what, write) => {
    const { client, mode } = await heard(undefined);
    await client.unwaited({ sql: INSERT, args: [1] });
    await write(client);
    expect(await mode()).toBe(FULL);
  });

  it("can have several statements, all written or none", async () => {
    const { client } = await heard(undefined);
    const twice = client.unwaited({ sql: INSERT, args: [1] }, { sql: INSERT, args: [1] });
    await expect(twice).rejects.toMatchObject({ failure: "constraint" });
    expect((await client.execute("select id from one")).rows.length).toBe(0);
    await client.unwaited({ sql: INSERT, args: [1] }, { sql: INSERT, args: [2] });
    expect((await client.execute("select id from one")).rows.length).toBe(2);
  });

  it("does not change that the next one waits after it failed itself", async () => {
    const { client, mode } = await heard(undefined);
    await client.unwaited({ sql: INSERT, args: [1] });
    await expect(client.unwaited({ sql: INSERT, args: [1] })).rejects.toMatchObject({
      failure: "constraint",
    });
    await client.execute({ sql: INSERT, args: [2] });
    expect(await mode()).toBe(FULL);
  });

  it("reopens a connection whose durable mode cannot be restored", async () => {
    const { client, lines, mode } = await heard(/synchronous = FULL/);
    const from = lines.length;
    await client.unwaited({ sql: INSERT, args: [1] });
    await client.execute({ sql: INSERT, args: [2] });
    expect(lines.slice(from, from + 4)).toEqual([LAX, INSERT, STRICT, "reconnect"]);
    expect(lines.at(-1)).toBe(INSERT);
    expect(await mode()).toBe(FULL);
  });
});
