/** What an order asks of the database: one read, one batch before the request leaves, and one write of its answer. */
import type { InStatement } from "@libsql/client/http";
import { describe, expect, it } from "vitest";
import { nodeLocal } from "../../cli/host/process/node-local.ts";
import type { Deps } from "../../src/ports/deps.ts";
import type { Venue } from "../../src/ports/venue.ts";
import type { Connection } from "../../src/storage/client/safe-client.ts";
import { connectionTo } from "../support/connection.ts";
import { instantVenue } from "../support/instant-venue.ts";
import { liveApp } from "../support/live.ts";
import { buy, post } from "../support/orders.ts";

const verbOf = (statement: InStatement): string =>
  (typeof statement === "string" ? statement : statement.sql).trim().split(/\s+/)[0] ?? "";

/** A connection that tells what it was asked, beside what it did. */
function format(connection: Connection): Connection & { readonly calls: string[] } {
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
  const client = format(connectionTo("file::memory:"));
  const start = nodeLocal.monotonic();
  // A clock that stands: however long the machine takes, no look at the switch grows old.
  const local = { ...nodeLocal, monotonic: () => start };
  const placed: string[] = [];
  const connect = (deps: Deps): Deps => {
    const real = deps.venue("mexc");
    const instant = instantVenue(real.account, real);
    const venue: Venue = {
      ...instant,
      create(order, permit) {
        placed.push(order.clientId);
        return instant.create(order, permit);
      },
    };
    return { ...deps, venue: () => venue };
  };
  const app = await liveApp(["mexc"], { client, local, connect });
  const place = async () => {
    const from = client.calls.length;
    const answer = await post(app, buy("mexc"));
    expect(answer.status).toBe(200);
    return client.calls.slice(from);
  };
  return { placed, place };
}

const TOKEN = "select";
/** The row waits for the disk, as its connection is told again; the answer does not. */
const ORDER = ["select", "PRAGMA", "write batch", "PRAGMA", "update"];

describe("the database calls of a manual order", () => {
  it("are one read, one write before the request and one write after it", async () => {
    const { place, placed } = await placing();
    await place();
    expect(await place()).toEqual([TOKEN, ...ORDER]);
    expect(placed.length).toBe(2);
  });
});
