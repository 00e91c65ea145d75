import { expect, it, onTestFinished } from "vitest";
import { fileConnection } from "../../../cli/host/database/file-connection.ts";
import type { Tracer } from "../../../src/ports/within-time.ts";
import { safeClient, traced } from "../../../src/storage/client/safe-client.ts";
import { virtualLocal } from "../../support/local.ts";

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
