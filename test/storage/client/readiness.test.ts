import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { fileConnection } from "../../../cli/host/database/file-connection.ts";
import { readiness } from "../../../src/storage/client/migrate.ts";
import { type Connection, openDatabase } from "../../../src/storage/client/safe-client.ts";
import { virtualLocal } from "../../support/local.ts";
import { migrations } from "../../support/migrations.ts";
import { tempFolder } from "../../support/temp.ts";

/** A database whose batches may fail, or have no answer until the test ends. */
async function countRequests() {
  const made = fileConnection(join(tempFolder(), "one.db"));
  const time = virtualLocal(1_000_000);
  const state: { code?: string; hangs?: boolean; probes: number } = { probes: 0 };
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const connection: Connection = {
    ...made,
    async batch(statements, mode) {
      state.probes++;
      if (state.hangs) await ended;
      if (state.code) throw Object.assign(new Error("it failed"), { code: state.code });
      return made.batch(statements, mode);
    },
  };
  const context = await openDatabase({
    client: connection,
    local: time.local,
    migrations,
    kind: "sandbox",
  });
  onTestFinished(() => {
    end();
    context.client.close();
  });
  state.probes = 0;
  return { time, state, context, ready: readiness(context), client: context.client };
}

describe("a database's readiness", () => {
  it("is checked with a write that is rolled back, where the last write is more than 5 s ago", async () => {
    const { time, state, ready, client } = await countRequests();
    time.pass(5000 - client.sinceWrite());
    await ready();
    expect(state.probes).toBe(0);
    time.pass(1);
    await ready();
    expect([state.probes, client.sinceWrite()]).toEqual([1, 0]);
    expect((await client.execute("select count(*) from fence_guard")).rows[0]?.[0]).toBe(0);
    await ready();
    expect(state.probes).toBe(1);
    time.pass(5001);
    await ready();
    expect(state.probes).toBe(2);
  });

  it("is checked once for all simultaneous callers", async () => {
    const { time, state, ready } = await countRequests();
    time.pass(6000);
    await Promise.all([ready(), ready(), ready()]);
    expect(state.probes).toBe(1);
  });

  it("is lost with a reason where a write fails, and returns once a write succeeds", async () => {
    const { time, state, ready } = await countRequests();
    time.pass(6000);
    state.code = "SQLITE_FULL";
    const full = { failure: "unavailable", message: "the database cannot be used: its disk is full" };
    await expect(ready()).rejects.toMatchObject(full);
    await expect(ready()).rejects.toMatchObject(full);
    expect(state.probes).toBe(2);
    delete state.code;
    await ready();
    expect(state.probes).toBe(3);
  });

  it("is checked at once after known trouble, however recent its last write is", async () => {
    const { state, ready, client } = await countRequests();
    state.code = "SQLITE_FULL";
    await expect(client.batch(["delete from fence_guard"], "write")).rejects.toThrow("its disk is full");
    await expect(ready()).rejects.toThrow("its disk is full");
    delete state.code;
    await ready();
    expect(client.trouble()).toBeUndefined();
  });

  it("does not wait for a database without response, and reports its known trouble", async () => {
    const one = await countRequests();
    one.time.pass(6000);
    one.state.hangs = true;
    const other = await countRequests();
    other.state.code = "SQLITE_FULL";
    await expect(other.client.batch(["delete from fence_guard"], "write")).rejects.toThrow();
    other.time.pass(6000);
    delete other.state.code;
    other.state.hangs = true;
    const late = { failure: "unavailable", message: "the database has accepted no write for 2 s" };
    const full = { failure: "unavailable", message: "the database cannot be used: its disk is full" };
    await Promise.all([
      expect(one.ready()).rejects.toMatchObject(late),
      expect(other.ready()).rejects.toMatchObject(full),
    ]);
  });

  it("requires the migrations", async () => {
    const { ready, client } = await countRequests();
    await client.execute("delete from control");
    await expect(ready()).rejects.toMatchObject({
      failure: "unavailable",
      message: "the database is not migrated",
    });
  });

  it("requires a program that is not older than the database", async () => {
    const { ready, client, context } = await countRequests();
    await client.execute("insert into migrations (name, applied_at) values ('9999_later', 0)");
    await expect(ready()).rejects.toThrow("a newer edgemaker migrated this database (to 9999_later");
    expect(context.version?.newer).toMatch(/9999_later/);
    await client.execute("delete from migrations where name = '9999_later'");
    await ready();
    expect(context.version?.newer).toBeUndefined();
  });
});
