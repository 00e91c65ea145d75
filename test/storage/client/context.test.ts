import { eq, getTableColumns, sql } from "drizzle-orm";
import { customType, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { describe, expect, it, onTestFinished } from "vitest";
import { fileConnection } from "../../../cli/host/file-connection.ts";
import { createStore } from "../../../src/adapters/libsql/store.ts";
import { StoreError } from "../../../src/kernel/errors.ts";
import { NO_STOP } from "../../../src/kernel/fields.ts";
import { createAgreementStore } from "../../../src/liquidity/store/store.ts";
import { NO_MEMORY } from "../../../src/model/memory.ts";
import type { Strategy } from "../../../src/model/strategy.ts";
import {
  building,
  bundle,
  createContext,
  eachWay,
  guarded,
  hasRows,
  queries,
  rowsFrom,
  rowsOf,
  statement,
  unless,
  wishUnchanged,
} from "../../../src/storage/client/context.ts";
import { openDatabase } from "../../../src/storage/client/safe-client.ts";
import { accounts } from "../../../src/storage/tables/trading-tables.ts";
import { opened, START } from "../../adapters/libsql/stores/opened.ts";
import { started } from "../../adapters/libsql/stores/rows.ts";
import { BY } from "../../support/by.ts";
import { virtualLocal } from "../../support/local.ts";
import { migrations } from "../../support/migrations.ts";

/** A value that is stored as twice what it is. */
const doubled = customType<{ data: number; driverData: number }>({
  dataType: () => "integer",
  toDriver: (value) => value * 2,
  fromDriver: (value) => value / 2,
});
/** A table that no statement has named before. */
const newTable = (name = "things") =>
  sqliteTable(name, {
    id: integer("id").primaryKey(),
    isOn: integer("is_on", { mode: "boolean" }),
    twice: doubled("twice"),
    note: text("note"),
  });

async function withThings() {
  const { context, time } = await opened();
  await context.client.execute(
    "create table things (id integer primary key, is_on integer, twice integer, note text)",
  );
  await context.client.execute("insert into things values (1, 1, 8, 'a'), (2, 0, null, null)");
  return { ...context, time, things: newTable() };
}

const READ = [
  { id: 1, isOn: true, twice: 4, note: "a" },
  { id: 2, isOn: false, twice: null, note: null },
];

describe("rows of a table", () => {
  it("are read with their types, the first time and later", async () => {
    const { client, things } = await withThings();
    const all = await client.execute("select * from things order by id");
    expect([rowsOf(things, all), rowsOf(things, all)]).toEqual([READ, READ]);
    expect([rowsOf(things, undefined), hasRows(all), hasRows(undefined)]).toEqual([[], true, false]);
    expect(rowsFrom(things, [[3]])).toEqual([{ id: 3, isOn: null, twice: null, note: null }]);
  });

  it("are the same as through the library", async () => {
    const { db, things } = await withThings();
    expect(await db.select().from(things).orderBy(things.id)).toEqual(READ);
    expect(await db.select().from(things).orderBy(things.id).get()).toEqual(READ[0]);
    expect(await db.select({ id: things.id }).from(things).where(sql`id = 9`)).toEqual([]);
  });

  it("from several selects come from one moment, each for its table", async () => {
    const { client, things } = await withThings();
    const other = newTable("others");
    await client.execute("create table others as select id + 10 as id, is_on, twice, note from things");
    const two = bundle(() => [
      [things, sql`select * from ${things} where ${things.id} >= ${sql.placeholder("from")} order by id`],
      [other, sql`select * from ${other} order by id`],
    ]);
    const result = await client.execute(two.with({ from: 2 }));
    expect(two.rows(things, result)).toEqual([READ[1]]);
    expect(two.rows(other, result).map(({ id }) => id)).toEqual([11, 12]);
    expect(two.rows(things, undefined)).toEqual([]);
    expect(two.rows(things, await client.execute("select 1 where 0"))).toEqual([]);
  });
});

describe("a subquery among the columns of a statement on one table", () => {
  it.each(["select", "returning"] as const)("compares its rows with those of the %s", async (kind) => {
    const { client, db, things } = await withThings();
    const others = newTable("others");
    await client.execute("create table others as select * from things order by id desc");
    const found = {
      note: sql<string>`(select ${others.note} from ${others} where ${others.id} = ${things.id})`,
    };
    for (const builder of [db, building]) {
      const query =
        kind === "select"
          ? builder.select(found).from(things).where(eq(things.id, 1))
          : builder.update(things).set({ note: "c" }).where(eq(things.id, 1)).returning(found);
      expect((await client.execute(statement(query))).rows[0]?.[0]).toBe("a");
    }
    const alone = queries.select(found).from(things).where(eq(things.id, 1));
    expect((await client.execute(statement(alone))).rows[0]?.[0]).toBe("a");
  });
});

describe("a statement whose text is built once", () => {
  it("is filled with its values, each encoded as its column stores it", async () => {
    const { client, prepare, things } = await withThings();
    const made = prepare(
      () =>
        sql`select ${sql.param(sql.placeholder("twice"), things.twice)}, ${sql.placeholder("plain")}, ${5}, ${sql.param(3, things.twice)}, ${null}`,
    );
    expect([made({ twice: 4, plain: 4 }).args, made({ twice: 1, plain: null }).args]).toEqual([
      [8, 4, 5, 6, null],
      [2, null, 5, 6, null],
    ]);
    const { rows } = await client.execute(made({ twice: 4, plain: "b" }));
    expect([0, 1, 2, 3].map((place) => rows[0]?.[place])).toEqual([8, "b", 5, 6]);
  });

  it("is rejected where a value is missing", async () => {
    const { prepare } = await withThings();
    const made = prepare(() => sql`select ${sql.placeholder("plain")}`);
    expect(() => made()).toThrow("a statement lacks its value plain");
    expect(() => made({ other: 1 })).toThrow(TypeError);
  });

  it("contains the time of the call, or the database's clock", async () => {
    const { prepare, time, client } = await withThings();
    const text = (now: unknown) => sql`select ${now}`;
    expect(prepare(text)().args).toEqual([START]);
    time.pass(5);
    expect(prepare(text)().args).toEqual([START + 5]);
    const live = createContext(client).prepare(text)();
    expect(live.args).toEqual([]);
    expect(live.sql).toContain("unixepoch");
    expect(prepare(text)().args).toEqual([START + 5]);
  });
});

it("each variant of a module's statement has a fixed text", async () => {
  const { prepare } = await withThings();
  const of = eachWay(
    (now, { from }: { readonly from: number }) => sql`select ${now}, ${sql.raw(String(from))}`,
  );
  const ways = [1, 2, 1].map((from) => prepare(of({ from }))().sql);
  expect(ways).toEqual(["select ?, 1", "select ?, 2", "select ?, 1"]);
});

it("a statement that is only built has no database to run on", async () => {
  const { things } = await withThings();
  const error = await building
    .select()
    .from(things)
    .catch((one: Error) => one);
  expect(String((error as Error).cause ?? error)).toContain("built here, and run elsewhere");
});

it("names a column by its table, and doubles quotation marks", () => {
  const table = newTable('a"b');
  const names = Object.values(getTableColumns(table)).map((column) => statement(sql`${column}`).sql);
  expect(names).toEqual(['"a""b"."id"', '"a""b"."is_on"', '"a""b"."twice"', '"a""b"."note"']);
});

const TOKEN = 7;
const TIMES = { now: 0, until: 0 };
const MARK = { sql: "update accounts set error = 'written'", args: [] };

async function leased() {
  const { context } = await opened();
  const { client, db } = context;
  for (const [account, token] of [
    ["ours", TOKEN],
    ["another", TOKEN + 1],
  ] as const)
    await client.execute(
      statement(db.insert(accounts).values({ account, token, owner: "us", memory: NO_MEMORY })),
    );
  const count = async (text: string) =>
    Number((await client.execute(`select count(*) from ${text}`)).rows[0]?.[0]);
  return {
    context,
    client,
    written: () => count("accounts where error = 'written'"),
    left: () => count("fence_guard"),
  };
}

describe("a write under a lease", () => {
  it("is done while the lease is ours, and leaves nothing else behind", async () => {
    const { context, client, written, left } = await leased();
    const lease = { account: "ours", token: TOKEN, owner: "us", ...TIMES };
    for (let time = 0; time < 2; time++) await client.batch(guarded(context, lease, [MARK]), "write");
    expect([await written(), await left()]).toEqual([2, 0]);
  });

  it.each([
    ["another's since", { account: "ours", token: TOKEN - 1, owner: "us" }],
    [
      "another's with the same token, as the database has lost ours",
      { account: "ours", token: TOKEN, owner: "they" },
    ],
    ["of another account", { account: "ours", token: TOKEN + 1, owner: "us" }],
    ["of an account that is not there", { account: "none", token: TOKEN, owner: "us" }],
  ])("is not done where the lease is %s", async (_what, lease) => {
    const { context, client, written, left } = await leased();
    await expect(
      client.batch(guarded(context, { ...lease, ...TIMES }, [MARK]), "write"),
    ).rejects.toMatchObject({
      failure: "fenced",
      message: "another process has the lease now",
    });
    expect([await written(), await left()]).toEqual([0, 0]);
  });
});

it.each([["does not hold", sql`0`] as const, ["nobody can tell", sql`null`] as const])(
  "a conditional write is not done where that %s",
  async (_what, holds) => {
    const { client, written, left } = await leased();
    await expect(client.batch([...unless(holds), MARK], "write")).rejects.toMatchObject({
      failure: "fenced",
    });
    expect([await written(), await left()]).toEqual([0, 0]);
  },
);

describe("a write that depends on a requested strategy state", () => {
  it("is done while that state is unchanged, whatever is requested of others", async () => {
    const { context, client, left } = await leased();
    const store = createStore(context);
    const [one, other] = [
      (await store.createStrategy(started(), BY)) as Strategy,
      (await store.createStrategy(started(), BY)) as Strategy,
    ];
    const wish = { id: one.id, wants: "run" as const, ...NO_STOP };
    const write = (over: object) =>
      client.batch([...wishUnchanged({ ...wish, ...over }), MARK], "write").then(
        () => "written",
        (error: { failure?: string }) => error.failure,
      );
    expect(await write({})).toBe("written");
    for (const over of [{ wants: "stop" }, { keepOrders: true }, { sellBase: true }, { id: "none" }])
      expect(await write(over)).toBe("fenced");
    await store.setWants(other.id, "stop", { ...NO_STOP, sellBase: true }, BY);
    expect(await write({})).toBe("written");
    await store.setWants(one.id, "stop", { ...NO_STOP, sellBase: true }, BY);
    expect([await write({}), await write({ wants: "stop", sellBase: true }), await left()]).toEqual([
      "fenced",
      "written",
      0,
    ]);
  });
});

it("throws a StoreError without SQL if a read fails", async () => {
  const context = await openDatabase({
    client: fileConnection(":memory:"),
    local: virtualLocal(0).local,
    migrations,
    kind: "sandbox",
  });
  onTestFinished(() => context.client.close());
  await context.client.execute("drop table agreements");
  const failed: unknown = await createAgreementStore(context)
    .agreements()
    .catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(StoreError);
  expect((failed as StoreError).message).not.toMatch(/select|params/);
});
