import { describe, expect, it, onTestFinished } from "vitest";
import { fileConnection } from "../../../cli/host/file-connection.ts";
import { type Connection, isSelect, safeClient } from "../../../src/storage/client/safe-client.ts";
import { virtualLocal } from "../../support/local.ts";

const START = 1_000_000;
const INSERT = "insert into one default values";
const NO_ROW = "delete from one where id = 99";
const READ = "select id from one";
const TROUBLE = "the database cannot be used: its disk is full";

/** A database in memory behind a disk that can be full, and be in use for a while. */
async function watched() {
  const made = fileConnection(":memory:");
  const time = virtualLocal(START);
  let failing: string | undefined;
  const tried = <T>(call: () => Promise<T>): Promise<T> =>
    failing === undefined ? call() : Promise.reject(Object.assign(new Error("failed"), { code: failing }));
  const connection: Connection = {
    execute: (statement) => tried(() => made.execute(statement)),
    batch: (statements, mode) => tried(() => made.batch(statements, mode)),
    // Opened anew, a database in memory would be another one.
    reconnect: () => undefined,
    close: () => made.close(),
  };
  const client = await safeClient(connection, time.local);
  onTestFinished(() => client.close());
  await client.execute("create table one (id integer primary key)");
  /** The call with a disk that fails so. */
  const fails = async (call: () => Promise<unknown>, code = "SQLITE_FULL") => {
    failing = code;
    await call().catch(() => undefined);
    failing = undefined;
  };
  return { client, time, fails };
}

type Client = Awaited<ReturnType<typeof watched>>["client"];

const WRITES: readonly [string, (client: Client) => Promise<unknown>][] = [
  ["a statement", (client) => client.execute(INSERT)],
  ["a statement that need not wait", (client) => client.unwaited(INSERT)],
  ["a batch", (client) => client.batch([NO_ROW, INSERT], "write")],
  ["a turn", (client) => client.turn((calls) => calls.batch([INSERT], "write"))],
];
const READS: readonly [string, (client: Client) => Promise<unknown>][] = [
  ["a select", (client) => client.execute(READ)],
  ["a fresh select", (client) => client.fresh(READ)],
  ["a batch that reads", (client) => client.batch([READ], "read")],
];
const NOTHING_WRITTEN: readonly [string, (client: Client) => Promise<unknown>][] = [
  ["a statement of no row", (client) => client.execute(NO_ROW)],
  ["a statement of no row that need not wait", (client) => client.unwaited(NO_ROW)],
  ["a batch of no row", (client) => client.batch([NO_ROW, NO_ROW], "write")],
  ["a turn of no row", (client) => client.turn((calls) => calls.batch([NO_ROW], "write"))],
];

describe("a watched database", () => {
  it("has no trouble at first, and no known write", async () => {
    const { client } = await watched();
    expect([client.trouble(), client.sinceWrite()]).toEqual([undefined, Number.POSITIVE_INFINITY]);
  });

  it.each(WRITES)("is in trouble after %s has failed, until something is written", async (_what, write) => {
    const { client, fails } = await watched();
    await fails(() => write(client));
    expect(client.trouble()).toBe(TROUBLE);
    for (const [, read] of [...READS, ...NOTHING_WRITTEN]) await read(client);
    expect(client.trouble()).toBe(TROUBLE);
    await write(client);
    expect(client.trouble()).toBeUndefined();
  });

  it.each(READS)("is in trouble after %s has failed, until anything succeeds", async (_what, read) => {
    for (const [, next] of [...READS, ...NOTHING_WRITTEN, ...WRITES]) {
      const { client, fails } = await watched();
      await fails(() => read(client));
      expect(client.trouble()).toBe(TROUBLE);
      await next(client);
      expect(client.trouble()).toBeUndefined();
    }
  });

  it("is not in trouble where a statement was rejected for its content", async () => {
    const { client, fails } = await watched();
    await fails(() => client.execute(INSERT), "SQLITE_CONSTRAINT");
    expect(client.trouble()).toBeUndefined();
  });

  it("passes a failure on to its caller", async () => {
    const { client } = await watched();
    await expect(client.execute("insert into none values (1)")).rejects.toMatchObject({
      failure: "unavailable",
    });
    await expect(client.batch([READ, "select x from none"], "read")).rejects.toThrow("none");
  });

  it.each(WRITES)("knows since when %s is written", async (_what, write) => {
    const { client, time } = await watched();
    await write(client);
    time.pass(700);
    expect(client.sinceWrite()).toBe(700);
  });

  it("does not count a call that changed no row as a write", async () => {
    const { client } = await watched();
    for (const [, call] of [...READS, ...NOTHING_WRITTEN]) await call(client);
    expect(client.sinceWrite()).toBe(Number.POSITIVE_INFINITY);
  });

  it.each([
    [1999, false],
    [2000, true],
    [3600, true],
  ])(
    "is in trouble once another process has blocked writes for two seconds: %d ms",
    async (lockedFor, isLong) => {
      const { client, time } = await watched();
      let tries = 0;
      const observed: (string | undefined)[] = [];
      const writing = client.turn(async (calls) => {
        if (++tries === 1) throw Object.assign(new Error("locked"), { code: "SQLITE_BUSY" });
        return calls.batch([INSERT], "write");
      });
      const reading = client.fresh(READ).then(() => {
        time.pass(lockedFor - client.keptWaiting());
        observed.push(client.trouble());
      });
      await Promise.all([writing, reading]);
      const output = `the database cannot be written: another process has held its lock for ${Math.round(lockedFor / 1000)} s`;
      expect(observed).toEqual([isLong ? output : undefined]);
      expect(client.trouble()).toBeUndefined();
    },
  );
});

it.each([
  ["select 1", true],
  ["  \n SELECT 1", true],
  ["selected", false],
  ["insert into one select 1", false],
])("%o reads: %s", (text, isRead) => {
  expect([isSelect(text), isSelect({ sql: text, args: [] })]).toEqual([isRead, isRead]);
});
