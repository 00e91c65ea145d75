import { and, eq, inArray, isNull, notInArray, type SQLWrapper, sql } from "drizzle-orm";
import { SQLiteAsyncDialect } from "drizzle-orm/sqlite-core";
import { describe, expect, it } from "vitest";
import { nodeLocal } from "../../../cli/host/process/node-local.ts";
import { createContext } from "../../../src/adapters/libsql/client/context.ts";
import { safeClient } from "../../../src/adapters/libsql/client/safe-client.ts";
import { statementText } from "../../../src/adapters/libsql/client/sql-text.ts";
import { events, isUnsettled, orders, strategies } from "../../../src/adapters/libsql/tables/tables.ts";
import { connectionTo } from "../../support/connection.ts";
import { order } from "../../support/made.ts";

const dialect = new SQLiteAsyncDialect();
const { db, now } = createContext(await safeClient(connectionTo("file::memory:"), nodeLocal));
const one = order({ clientId: 'it"s', actor: null, bookedFees: { BNB: 5n } });
const past = db.select({ id: orders.clientId }).from(orders).where(isUnsettled());

const QUERIES: Readonly<Record<string, SQLWrapper>> = {
  "an insert of rows": db.insert(orders).values([one, { ...one, createdAt: now() as never }]),
  "an insert that may be there": db
    .insert(orders)
    .values(one)
    .onConflictDoUpdate({ target: [orders.account, orders.clientId], set: { settled: true } })
    .returning(),
  "an update": db
    .update(orders)
    .set({ settled: true, notional: null, endedAt: now() })
    .where(and(eq(orders.account, "a"), isNull(orders.actor))),
  "a deletion": db.delete(events).where(inArray(events.account, ["a", "b"])),
  "a list": db
    .select({ id: strategies.id, mark: sql<number>`1`.as("mark") })
    .from(strategies)
    .leftJoin(orders, eq(orders.strategy, strategies.id))
    .where(notInArray(orders.clientId, past))
    .orderBy(strategies.number)
    .limit(7),
  "nothing to choose from": sql`select ${notInArray(orders.clientId, [])} and ${inArray(orders.kind, ["hand"])}`,
  "a template": sql`select ${orders}.rowid, ${sql.raw('count("x")')}, ${null}, ${undefined}, ${7n}, ${sql.param(one.price, orders.price)} from (${past}) where ${["a", 1]} is ${sql.identifier('a"b')}${sql.empty()}`,
  "a text for many values": sql`select ${sql.placeholder("at")}, ${sql.param(sql.placeholder("price"), orders.price)}`,
};

describe("a query's text", () => {
  it.each(Object.entries(QUERIES))("is the library's own, of %s", (_name, query) => {
    const { sql: text, params } = dialect.sqlToQuery(query.getSQL());
    expect(statementText(query.getSQL(), dialect)).toEqual({ sql: text, params });
    expect(text.split("?").length - 1).toBe(params.length);
  });
});
