import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { describe, expect, it, onTestFinished } from "vitest";
import { fileConnection } from "../../../cli/host/database/file-connection.ts";
import { SettingsError, StoreError } from "../../../src/kernel/errors.ts";
import { statement } from "../../../src/storage/client/context.ts";
import { isNotNewer, pendingMigrations, refuseNewer } from "../../../src/storage/client/migrate.ts";
import { type Opening, openDatabase } from "../../../src/storage/client/safe-client.ts";
import { virtualLocal } from "../../support/local.ts";
import { eachMigration as migrations } from "../../support/migrations.ts";
import { tempFolder } from "../../support/temp.ts";

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
