/** What an order asks of the database: one read, one batch before the request leaves, and one write of its answer. */
import type { InStatement } from "@libsql/client/http";
import { describe, expect, it } from "vitest";
import { nodeLocal } from "../../cli/host/process/node-local.ts";
import type { Connection } from "../../src/adapters/libsql/client/safe-client.ts";
import { connectionTo } from "../support/connection.ts";
import { KEYS, liveApp } from "../support/live.ts";
import { buy, post } from "../support/orders.ts";

const verbOf = (statement: InStatement): string =>
  (typeof statement === "string" ? statement : statement.sql).trim().split(/\s+/)[0] ?? "";

/** A connection that tells what it was asked, beside what it did. */
function told(connection: Connection): Connection & { readonly calls: string[] } {
  const calls: string[] = [];
  return {
    ...connection,
    calls,
    execute(statement) {
      calls.push(verbOf(statement));
      return connection.execute(statement);
    },
    batch(statements, mode) {
      calls.push(`${mode} batch`);
      return connection.batch(statements, mode);
    },
  };
}

async function placing() {
  const client = told(connectionTo("file::memory:"));
  const start = nodeLocal.monotonic();
  // A clock that stands: however long the machine takes, no look at the switch grows old.
  const local = { ...nodeLocal, monotonic: () => start };
  const app = await liveApp(["mexc"], { keys: KEYS, client, local });
  const place = async (headers: Record<string, string> = {}) => {
    const from = client.calls.length;
    const answer = await post(app, buy("mexc"), headers);
    expect(answer.status).toBe(200);
    return client.calls.slice(from);
  };
  return { ...app, place };
}

const TOKEN = "select";
const ORDER = ["read batch", "write batch", "update"];

describe("the database, of an order by hand", () => {
  it("is read once, and written once before and once after the request", async () => {
    const { place, venues } = await placing();
    await place();
    expect(await place()).toEqual([TOKEN, ...ORDER]);
    expect(venues.mexc.count("create")).toBe(2);
  });
});
