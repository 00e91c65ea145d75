import { existsSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { fileConnection } from "../../cli/host/file-connection.ts";
import { nodeLocal } from "../../cli/host/process/node-local.ts";
import { createStore } from "../../src/adapters/libsql/store.ts";
import type { SafeClient } from "../../src/storage/client/call-queue.ts";
import { createContext } from "../../src/storage/client/context.ts";
import { openDatabase, safeClient } from "../../src/storage/client/safe-client.ts";
import { edgemaker, serve } from "../support/command.ts";
import { eachMigration } from "../support/migrations.ts";
import { tempFolder } from "../support/temp.ts";

const [last = { name: "" }] = eachMigration.slice(-1);

/** A folder with a database that lacks the last migration, as the release before it left it. */
async function olderDatabase() {
  const folder = tempFolder();
  const file = join(folder, "old.db");
  const opening = {
    client: fileConnection(file),
    local: nodeLocal,
    kind: "sandbox",
  } as const;
  const { client } = await openDatabase({ ...opening, migrations: eachMigration.slice(0, -1) });
  client.close();
  const run = (...args: string[]) =>
    edgemaker(folder, [...args, "--db", `file:${file}`, "--sandbox", "--json"]);
  return { folder, file, run };
}

async function withClient<T>(file: string, act: (client: SafeClient) => Promise<T>) {
  const client = await safeClient(fileConnection(file), nodeLocal);
  return act(client).finally(() => client.close());
}

const lastMigrationOf = (file: string) =>
  withClient(file, async (client) => {
    const { rows } = await client.execute("select max(name) from migrations");
    return rows[0]?.[0];
  });

it("leaves an older database as it is in every command but serve, db migrate and deploy", async () => {
  const { file, run } = await olderDatabase();
  const before = await lastMigrationOf(file);
  expect(before).not.toBe(last.name);
  for (const line of ["grid status", "report", "audit verify", "balance --exchange kraken", "limits show"]) {
    const { code, stderr } = await run(...line.split(" "));
    expect([line, code, stderr]).toEqual([line, 2, expect.stringContaining("edgemaker db migrate")]);
  }
  const killed = await run("kill", "on");
  expect([killed.code, killed.stderr]).toEqual([0, ""]);
  const row = await withClient(file, (client) => client.execute("select kill from control"));
  expect(row.rows[0]?.[0]).toBe(1);
  expect(await lastMigrationOf(file)).toBe(before);
});

it("migrates with db migrate, after a copy that has the older schema", async () => {
  const { file, run } = await olderDatabase();
  const before = await lastMigrationOf(file);
  const { code, stdout } = await run("db", "migrate");
  const { applied, copy } = JSON.parse(stdout);
  expect([code, applied]).toEqual([0, [last.name]]);
  expect([await lastMigrationOf(file), await lastMigrationOf(copy)]).toEqual([last.name, before]);
  expect((await run("grid", "status")).code).toBe(0);
  const again = await run("db", "migrate");
  expect(JSON.parse(again.stdout)).not.toHaveProperty("copy");
});

it("migrates with serve, which also copies the database first", async () => {
  const { folder, file } = await olderDatabase();
  const server = await serve(folder, ["--db", `file:${file}`, "--sandbox"]);
  await server.kill("SIGTERM");
  expect(await lastMigrationOf(file)).toBe(last.name);
  expect(existsSync(`${file}.before-${last.name.replace(/\.sql$/, "")}`)).toBe(true);
});

it("is refused while an older server runs on the database", async () => {
  const { folder, file, run } = await olderDatabase();
  const before = await lastMigrationOf(file);
  const server = { instance: "older", url: "http://127.0.0.1:1", host: hostname(), pid: process.pid };
  await withClient(file, (client) => createStore(createContext(client)).recordServer(server));
  const refused = await run("db", "migrate");
  expect([refused.code, refused.stderr]).toEqual([
    2,
    expect.stringContaining("an older server runs on this database at http://127.0.0.1:1"),
  ]);
  const served = await edgemaker(folder, ["serve", "--db", `file:${file}`, "--sandbox", "--port", "0"]);
  expect([served.code, served.stderr]).toEqual([2, expect.stringContaining("an older server runs")]);
  expect(await lastMigrationOf(file)).toBe(before);
  expect((await run("db", "migrate", "--yes")).code).toBe(0);
  expect(await lastMigrationOf(file)).toBe(last.name);
});

it("refuses a database that a newer program migrated, in every command and in serve, and leaves it as it is", async () => {
  const { folder, file, run } = await olderDatabase();
  expect((await run("db", "migrate")).code).toBe(0);
  await withClient(file, (client) =>
    client.execute("insert into migrations (name, applied_at) values ('9999_later.sql', 1)"),
  );
  const refusal =
    "a newer edgemaker migrated this database (to 9999_later.sql); update edgemaker, or restore";
  for (const line of ["grid status", "report", "db migrate", "limits show"]) {
    const { code, stderr } = await run(...line.split(" "));
    expect([line, code, stderr]).toEqual([line, 2, expect.stringContaining(refusal)]);
  }
  const served = await edgemaker(folder, ["serve", "--db", `file:${file}`, "--sandbox", "--port", "0"]);
  expect([served.code, served.stderr]).toEqual([2, expect.stringContaining(refusal)]);
  expect(await lastMigrationOf(file)).toBe("9999_later.sql");
});
