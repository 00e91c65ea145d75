import { sql } from "drizzle-orm";
import { expect, it } from "vitest";
import { eventsFrom, eventsQuery, fillsFrom, fillsQuery, outlookQuery } from "../../src/notify/store.ts";
import { statement } from "../../src/storage/client/context.ts";
import { bookFills, notifyBox } from "../support/notify.ts";

it("channel queries do not scan past messages or events", async () => {
  const box = await notifyBox();
  await box.add("ops", "http://127.0.0.1:1");
  await bookFills(box, 10);
  const explained = async (query: { sql: string; args: unknown[] }) => {
    const found = await box.context.client.execute({
      sql: `explain query plan ${query.sql}`,
      args: query.args as never,
    });
    return found.rows.map((row) => String(row[3] ?? row.detail)).join("\n");
  };
  const plans = await Promise.all([
    explained(statement(outlookQuery(box.context))),
    explained(statement(eventsQuery(box.context, "ops", 100))),
    explained(statement(fillsQuery("ops", 100))),
    explained(statement(eventsFrom(box.context, sql`${3}`, 100))),
    explained(statement(fillsFrom(sql`${3}`, 100))),
  ]);
  for (const plan of plans) {
    expect(plan).not.toMatch(/SCAN (events|fills|messages)/);
    expect(plan).not.toMatch(/TEMP B-TREE/);
  }
  expect(plans[0]).toMatch(/SEARCH events/);
  expect(plans[0]).toMatch(/SEARCH messages USING COVERING INDEX messages_of_channel/);
  expect(plans[1]).toMatch(/SEARCH events USING INTEGER PRIMARY KEY \(rowid>\?\)/);
  expect(plans[2]).toMatch(/SEARCH fills USING INTEGER PRIMARY KEY \(rowid>\?\)/);
  const firstLine = (plan: string) => plan.split("\n")[0];
  expect(plans.slice(3).map(firstLine)).toEqual(plans.slice(1, 3).map(firstLine));
});
