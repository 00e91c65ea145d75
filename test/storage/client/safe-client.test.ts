import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { describe, expect, it, onTestFinished } from "vitest";
import { fileConnection } from "../../../cli/host/file-connection.ts";
import { SettingsError, StoreError } from "../../../src/kernel/errors.ts";
import { newUse } from "../../../src/model/limits.ts";
import type { Tracer } from "../../../src/ports/within-time.ts";
import { statement } from "../../../src/storage/client/context.ts";
import { isNotNewer, pendingMigrations, refuseNewer } from "../../../src/storage/client/migrate.ts";
import {
  type Connection,
  type Durability,
  type Opening,
  openDatabase,
  safeClient,
  traced,
} from "../../../src/storage/client/safe-client.ts";
import { virtualLocal } from "../../support/local.ts";
import { eachMigration as migrations } from "../../support/migrations.ts";
import { tempFolder } from "../../support/temp.ts";

const INSERT = "insert into one default values";
const COUNT = "select count(*) from one";
const textOf = (statement: unknown) =>
  typeof statement === "string" ? statement : (statement as { sql: string }).sql;

/** A file as the command line opens it; what is asked of its connection is heard, and may fail. */
async function opened(durability?: Durability) {
  const file = join(tempFolder(), "one.db");
  const made = fileConnection(file);
  const lines: string[] = [];
  const failing: { code?: string | undefined; reconnect?: boolean } = {};
  let name: string | undefined = "the same";
  const tried = <T>(text: string, call: () => Promise<T>): Promise<T> => {
    lines.push(text);
    return failing.code === undefined
      ? call()
      : Promise.reject(Object.assign(new Error("it failed"), { code: failing.code }));
  };
  const connection: Connection = {
    execute: (statement) => tried(textOf(statement), () => made.execute(statement)),
    batch: (statements, mode) => tried(`batch to ${mode}`, () => made.batch(statements, mode)),
    async reconnect() {
      lines.push("reconnect");
      if (failing.reconnect) {
        made.close();
        throw Object.assign(new Error("unable to open database file"), { code: "SQLITE_CANTOPEN" });
      }
      await made.reconnect();
    },
    close: () => made.close(),
  };
  const { local } = virtualLocal(1_000_000);
  const client = await safeClient({ connection, identity: () => name }, local, durability);
  onTestFinished(() => client.close());
  await client.execute("create table one (id integer primary key)");
  const count = async () => Number((await client.execute(COUNT)).rows[0]?.[0]);
  const rename = (to: string | undefined) => {
    name = to;
  };
  return { client, lines, failing, count, rename, file };
}

describe("a client of a file", () => {
  it.each([
    ["durable", "FULL"],
    ["fast", "NORMAL"],
    [undefined, "FULL"],
  ] as const)("sets up a %s connection before its first call", async (durability, mode) => {
    const { lines } = await opened(durability);
    expect(lines).toEqual([
      "PRAGMA journal_mode = WAL",
      `PRAGMA synchronous = ${mode}`,
      "create table one (id integer primary key)",
    ]);
  });

  it("does not change how a fast connection waits for the disk", async () => {
    const { client, lines } = await opened("fast");
    lines.length = 0;
    await client.unwaited(INSERT);
    expect(lines).toEqual([INSERT]);
  });

  it("sets up a connection again after reopening it", async () => {
    const { client, lines, failing, count } = await opened();
    lines.length = 0;
    failing.code = "SQLITE_FULL";
    await expect(client.execute(INSERT)).rejects.toThrow("its disk is full");
    failing.code = undefined;
    expect(await count()).toBe(0);
    expect(lines).toEqual([INSERT, "reconnect", "PRAGMA journal_mode = WAL", COUNT]);
  });

  it("continues once a file that could not be opened for a while can be opened again", async () => {
    const { client, failing, count } = await opened();
    Object.assign(failing, { code: "SQLITE_IOERR", reconnect: true });
    await expect(client.execute(INSERT)).rejects.toThrow("its disk cannot be read or written");
    failing.code = undefined;
    await expect(client.execute(INSERT)).rejects.toMatchObject({
      failure: "unavailable",
      message: "the database cannot be used: its file cannot be opened",
    });
    expect(client.trouble()).toBe("the database cannot be used: its file cannot be opened");
    failing.reconnect = false;
    await client.execute(INSERT);
    expect([await count(), client.trouble()]).toEqual([1, undefined]);
  });

  it("reopens a connection before its next use, where its file was missing when that was due", async () => {
    const { client, lines, failing, rename, count } = await opened();
    failing.code = "SQLITE_IOERR";
    const failed = expect(client.execute(INSERT)).rejects.toThrow("cannot be read or written");
    rename(undefined);
    await failed;
    failing.code = undefined;
    expect(lines).not.toContain("reconnect");
    await expect(client.execute(INSERT)).rejects.toThrow("its file is gone; restore it");
    rename("the same");
    lines.length = 0;
    await client.execute(INSERT);
    expect([lines[0], lines.at(-1), await count()]).toEqual(["reconnect", INSERT, 1]);
  });

  it("sends nothing to a deleted or replaced file, and continues with the original one", async () => {
    const { client, lines, rename, count } = await opened();
    lines.length = 0;
    rename(undefined);
    const gone = {
      failure: "unavailable",
      message: expect.stringContaining("its file is gone; restore it"),
    };
    await expect(client.execute(INSERT)).rejects.toMatchObject(gone);
    await expect(client.batch([INSERT], "write")).rejects.toMatchObject(gone);
    await expect(client.unwaited(INSERT)).rejects.toMatchObject(gone);
    await expect(client.turn((calls) => calls.batch([INSERT], "write"))).rejects.toMatchObject(gone);
    rename("another");
    await expect(client.fresh(COUNT)).rejects.toThrow(
      "its file was replaced while edgemaker was running; stop edgemaker",
    );
    expect(lines).toEqual([]);
    rename("the same");
    expect([await count(), client.trouble()]).toEqual([0, undefined]);
  });

  it("runs reads while another process writes, also in a batch, and nothing else", async () => {
    const { client, file } = await opened();
    await client.execute(INSERT);
    const other = fileConnection(file);
    onTestFinished(() => other.close());
    await other.execute("BEGIN IMMEDIATE");
    const done: string[] = [];
    const writing = client.batch([INSERT], "write").then(() => done.push("write"));
    const reading = client.batch([COUNT], "read").then(() => done.push("batch"));
    const selecting = client.execute(COUNT).then(() => done.push("select"));
    await Promise.all([reading, selecting]);
    expect(done).toEqual(["batch", "select"]);
    await other.execute("COMMIT");
    await writing;
    expect(done).toEqual(["batch", "select", "write"]);
  });

  it("runs a priority turn before all that wait, and no other", async () => {
    const { client } = await opened();
    const done: string[] = [];
    const turn = (name: string, isFirst?: boolean) =>
      client.turn(async (calls) => {
        done.push(name);
        return calls.batch([INSERT], "write");
      }, isFirst);
    await Promise.all([turn("a"), turn("b"), turn("c", false), turn("kill", true)]);
    expect(done).toEqual(["a", "kill", "b", "c"]);
  });

  it("restarts a turn from its beginning where another process blocked it", async () => {
    const { client, failing, count } = await opened();
    let tries = 0;
    await client.turn(async (calls) => {
      failing.code = ++tries === 1 ? "SQLITE_BUSY" : undefined;
      return calls.batch([INSERT], "write").finally(() => {
        failing.code = undefined;
      });
    });
    expect([tries, await count()]).toEqual([2, 1]);
  });

  it("takes each kind of write as the end of another process's lock", async () => {
    const { client, failing } = await opened();
    const ways = [
      () => client.execute(INSERT),
      () => client.unwaited(INSERT),
      () => client.batch([INSERT], "write"),
    ];
    for (const write of ways) {
      failing.code = "SQLITE_BUSY";
      const writing = write();
      while (client.keptWaiting() === 0) await Promise.resolve();
      failing.code = undefined;
      await writing;
      expect(client.keptWaiting()).toBe(0);
    }
  });

  it("reports that a call was made with an unknown number of rows read", async () => {
    const { client } = await opened();
    const use = newUse();
    await client.execute(COUNT, use);
    await client.fresh(COUNT, use);
    await client.batch([INSERT], "write", use);
    await client.turn(async (calls) => [await calls.execute(COUNT, use)]);
    expect(use).toMatchObject({ databaseRequests: 4, rowsRead: null, rowsWritten: null });
  });

  it("sends nothing once it is closed", async () => {
    const { client } = await opened();
    client.close();
    await expect(client.execute(COUNT)).rejects.toMatchObject({ failure: "unavailable" });
  });
});

/** A file that may be opened several times, and which of its connections were closed. */
function file() {
  const path = join(tempFolder(), "one.db");
  const closed: string[] = [];
  const open = async (name: string, over: Partial<Opening> = {}) => {
    const made = fileConnection(path);
    const close = () => {
      closed.push(name);
      made.close();
    };
    const { local } = virtualLocal(0);
    const client = { ...made, close };
    onTestFinished(() => made.close());
    return openDatabase({ client, local, migrations, kind: "sandbox", ...over });
  };
  return { path, closed, open };
}

const tablesOf = async ({ client }: Awaited<ReturnType<typeof openDatabase>>) =>
  (await client.execute("select name from sqlite_master where type = 'table'")).rows.length;

describe("an opened database", () => {
  it.each([
    ["live", "sandbox", /^this database is for live exchanges and cannot be used for a sandbox/],
    ["sandbox", "live", /^this database is a sandbox and cannot be used for live exchanges/],
  ] as const)(
    "for %s does not serve the other kind, unless that was checked before",
    async (kind, other, message) => {
      const { closed, open } = file();
      await open("first", { kind });
      await open("same", { kind });
      const refused = open("other", { kind: other });
      await expect(refused).rejects.toThrow(message);
      await expect(refused).rejects.toThrow(SettingsError);
      await open("checked", { kind: other, isChecked: true });
      expect(closed).toEqual(["other"]);
    },
  );

  it.each([
    ["live", 2],
    ["sandbox", 1],
  ] as const)("for %s waits for its disk as required", async (kind, mode) => {
    const { client } = await file().open("one", { kind });
    expect((await client.execute("pragma synchronous")).rows[0]?.[0]).toBe(mode);
  });

  it("is left unchanged where another program applies its missing migrations", async () => {
    const context = await file().open("none", { migrations: [], isChecked: true });
    expect([await tablesOf(context), context.version]).toEqual([0, undefined]);
  });

  it("is accepted where its kind is not set yet", async () => {
    const { open } = file();
    const { client } = await open("first");
    await client.execute("delete from control");
    await open("live", { migrations: [], kind: "live" });
    expect((await client.execute("select 1 from control")).rows).toEqual([]);
  });

  it("is rejected for an older program, and closed", async () => {
    const { closed, open } = file();
    await open("new");
    const refused = open("old", { migrations: migrations.slice(0, -1) });
    await expect(refused).rejects.toThrow(SettingsError);
    await expect(refused).rejects.toThrow(/a newer edgemaker migrated this database .to /);
    expect(closed).toEqual(["old"]);
  });

  it("is rejected where the file is of another kind", async () => {
    const { path, open } = file();
    writeFileSync(path, "a text that is no database, and longer than a header. ".repeat(40));
    const refused = open("text");
    await expect(refused).rejects.toThrow("this file is not a database; choose another one with --db");
    await expect(refused).rejects.toThrow(SettingsError);
  });

  it("reports other reasons that prevent opening it", async () => {
    const full = Object.assign(new Error("failed"), { code: "SQLITE_FULL" });
    const client = { ...fileConnection(":memory:"), execute: () => Promise.reject(full) };
    onTestFinished(() => client.close());
    const refused = file().open("full", { client });
    await expect(refused).rejects.toThrow("its disk is full");
    await expect(refused).rejects.toThrow(StoreError);
  });
});

describe("a database's migrations", () => {
  it("are all pending where it is new, and only the missing ones afterwards", async () => {
    const { open } = file();
    const context = await open("none", { migrations: [], isChecked: true });
    expect(await pendingMigrations(context, migrations)).toEqual(migrations);
    await open("some", { migrations: migrations.slice(0, -2) });
    expect(await pendingMigrations(context, migrations)).toEqual(migrations.slice(-2));
    await open("all");
    expect(await pendingMigrations(context, migrations)).toEqual([]);
  });

  it("are not read by a program that applies none", async () => {
    const { open } = file();
    const { client } = await open("first");
    await client.execute("insert into migrations (name, applied_at) values ('9999_later', 0)");
    const context = await open("none", { migrations: [] });
    await refuseNewer(context);
    const { rows } = await client.execute(statement(sql`select ${isNotNewer(context)}`));
    expect(rows[0]?.[0]).toBe(1);
  });

  it("are not newer where unknown, or as new as the program", async () => {
    const context = await file().open("one");
    const isLocked = async () =>
      (await context.client.execute(statement(sql`select ${isNotNewer(context)}`))).rows[0]?.[0];
    await refuseNewer(context);
    expect(await isLocked()).toBe(1);
    await context.client.execute("insert into migrations (name, applied_at) values ('9999_later', 0)");
    await expect(refuseNewer(context)).rejects.toThrow("9999_later");
    expect(await isLocked()).toBe(0);
    await context.client.execute("delete from migrations");
    await refuseNewer(context);
    expect(await isLocked()).toBe(1);
  });

  it("are applied once by two that open it at the same time; a failure is reported", async () => {
    const { open } = file();
    const [one] = await Promise.all([open("one"), open("two")]);
    const { rows } = await one.client.execute("select count(*) from migrations");
    expect(rows[0]?.[0]).toBe(migrations.length);
    const broken = { name: "9999_broken", text: "insert into none values (1)" };
    await expect(open("broken", { migrations: [...migrations, broken] })).rejects.toThrow("none");
    expect((await one.client.execute("select 1 from migrations where name = '9999_broken'")).rows).toEqual(
      [],
    );
  });
});

const SPAN = { set: () => undefined, rename: () => undefined, fail: () => undefined };

it("measures each call under its statement's verb, and records nothing else of it", async () => {
  const spans: unknown[] = [];
  const tracer: Tracer = {
    span(name, attributes, work) {
      spans.push([name, attributes]);
      return work(SPAN);
    },
  };
  const client = await safeClient(fileConnection(":memory:"), virtualLocal(0).local);
  onTestFinished(() => client.close());
  expect(traced(client, undefined)).toBe(client);
  const measured = traced(client, tracer);
  await measured.execute("create table one (id integer primary key)");
  await measured.unwaited({ sql: "  insert into one values (?)", args: [7] });
  const insert = "insert into one default values";
  await measured.batch([insert, insert], "write");
  await measured.turn((calls) => calls.batch([insert], "write"));
  expect((await measured.fresh("Select count(*) from one")).rows[0]?.[0]).toBe(4);
  await measured.execute("/* none */ select 1");
  const of = (verb: string, more = {}) => [
    `db ${verb}`,
    { "db.system.name": "sqlite", "db.operation.name": verb, ...more },
  ];
  expect(spans).toEqual([
    of("CREATE"),
    of("INSERT"),
    of("BATCH", { "db.operation.batch.size": 2 }),
    of("TURN"),
    of("SELECT"),
    of(""),
  ]);
  expect([measured.trouble(), measured.keptWaiting()]).toEqual([undefined, 0]);
});
