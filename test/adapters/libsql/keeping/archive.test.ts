import { createClient } from "@libsql/client";
import { describe, expect, it } from "vitest";
import { type Archive, moveYear, oldRows } from "../../../../src/adapters/libsql/archive.ts";
import { strategyStore } from "../../../../src/adapters/libsql/strategy-store.ts";
import { DAY, MINUTE } from "../../../../src/kernel/time.ts";
import type { Order } from "../../../../src/model/order.ts";
import type { Strategy } from "../../../../src/model/strategy.ts";
import { type Context, statement } from "../../../../src/storage/client/context.ts";
import { safeClient } from "../../../../src/storage/client/safe-client.ts";
import { archives, liquidityMisses } from "../../../../src/storage/tables/liquidity-tables.ts";
import { fills, orders } from "../../../../src/storage/tables/trading-tables.ts";
import { BY } from "../../../support/by.ts";
import { fill, order } from "../../../support/made.ts";
import { runOperation, testSandbox } from "../../../support/sandbox.ts";
import { opened } from "../stores/opened.ts";
import { started } from "../stores/rows.ts";

const LAST_YEAR = Date.UTC(2025, 5, 1);
const BEFORE = Date.UTC(2025, 11, 1);
const ENDED = { state: "canceled", settled: true, createdAt: LAST_YEAR, endedAt: LAST_YEAR } as const;

const idOf = (name: string): string => `em${name}`.padEnd(18, "0");

async function setup() {
  const { context, time } = await opened();
  const strategy = (await strategyStore(context).createStrategy(started(), BY)) as Strategy;
  const { id, account } = strategy;
  const put = async (name: string, over: Partial<Order> = {}) => {
    const values = order({
      account,
      strategy: id,
      clientId: idOf(name),
      exchangeId: name,
      ...ENDED,
      ...over,
    });
    await context.client.execute(statement(context.db.insert(orders).values(values)));
  };
  const archive: Archive = {
    year: 2025,
    file: "trade-2025.db",
    client: await safeClient(createClient({ url: "file::memory:", concurrency: 1 }) as never, time.local),
  };
  return { context, archive, put, strategy };
}

const readOutput = async ({ client }: Pick<Context, "client">, sql: string) =>
  (await client.execute(sql)).rows.map((row) => String(row[0])).sort();
const IDS = "select client_id from orders";

/** Each but for one thing an order that may go. */
const STAYING: readonly (readonly [what: string, name: string, over: Partial<Order>])[] = [
  ["one that is not settled", "a", { settled: false }],
  ["one that a person has placed", "b", { kind: "hand" }],
  ["one of no strategy", "c", { strategy: null }],
  ["one that is not ended", "d", { state: "open" }],
  ["one that is filled", "e", { state: "filled" }],
  ["one of which a part was filled", "f", { filled: 1n }],
  ["one of which a part was booked", "g", { booked: 1n }],
  ["one that has ended since", "h", { endedAt: BEFORE }],
];

describe("an archive", () => {
  it("copies a year's orders without effect in full, and leaves every other one", async () => {
    const { context, archive, put } = await setup();
    for (const [, name, over] of STAYING) await put(name, over);
    await put("old");
    await put("older", { state: "rejected", endedAt: null });
    await put("year", { endedAt: LAST_YEAR - 365 * DAY });
    const before = await context.client.execute(`select * from orders where client_id = '${idOf("old")}'`);
    expect(await oldRows(context, BEFORE)).toEqual([
      { year: 2024, name: "orders", rows: 1 },
      { year: 2025, name: "orders", rows: 2 },
    ]);
    expect(await moveYear(context, archive, BEFORE)).toMatchObject({ orders: 2 });
    expect(await readOutput(archive, IDS)).toEqual([idOf("old"), idOf("older")]);
    expect(await readOutput(context, IDS)).toEqual(
      [...STAYING.map(([, name]) => idOf(name)), idOf("year")].sort(),
    );
    const kept = await archive.client.execute(`select * from orders where client_id = '${idOf("old")}'`);
    expect(kept.rows.map((row) => ({ ...row }))).toEqual(before.rows.map((row) => ({ ...row })));
  });

  it("moves all rows of a year, however many", async () => {
    const { context, archive, put } = await setup();
    const names = Array.from({ length: 450 }, (_, place) => `o${place}x`);
    for (const name of names) await put(name);
    expect(await moveYear(context, archive, BEFORE)).toMatchObject({ orders: 450 });
    expect(await readOutput(archive, IDS)).toEqual(names.map(idOf).sort());
    expect(await readOutput(context, IDS)).toEqual([]);
  });

  it("copies the events of a year up to a day later, and leaves them for the checkpoint", async () => {
    const { context, archive } = await setup();
    const EVENTS = "select id from events where chain is not null";
    const ids = await readOutput(context, EVENTS);
    const at = Number((await readOutput(context, "select max(at) from events"))[0]);
    const year = new Date(at).getUTCFullYear();
    expect(await oldRows(context, at + 1)).toMatchObject([{ year, name: "events", rows: ids.length }]);
    await moveYear(context, { ...archive, year }, at - DAY);
    expect(await readOutput(archive, "select id from events")).toEqual([]);
    await moveYear(context, { ...archive, year }, at - DAY + 1);
    expect(await readOutput(archive, "select id from events")).toEqual(ids);
    expect([ids.length > 0, await readOutput(context, EVENTS)]).toEqual([true, ids]);
  });

  it("leaves an order that has a fill, whatever its row contains", async () => {
    const { context, archive, put, strategy } = await setup();
    await put("old");
    const one = fill({
      account: strategy.account,
      strategy: strategy.id,
      clientId: idOf("old"),
      at: LAST_YEAR,
    });
    await context.client.execute(statement(context.db.insert(fills).values(one)));
    expect(await moveYear(context, archive, BEFORE)).toMatchObject({ orders: 0 });
    expect(await readOutput(context, IDS)).toEqual([idOf("old")]);
  });

  it.each(STAYING)("does not allow deleting %s", async (_what, name, over) => {
    const { context, put } = await setup();
    await put(name, over);
    const mark = context.db.insert(archives).values({ year: 2025, file: "x.db", before: BEFORE });
    await context.client.execute(statement(mark));
    await expect(context.client.execute("delete from orders")).rejects.toThrow(/not deleted/);
  });

  it("is required before any order is deleted", async () => {
    const { context, put } = await setup();
    await put("old");
    await expect(context.client.execute("delete from orders")).rejects.toThrow(/not deleted/);
  });

  it("has each row once, however often the move is killed after the copy", async () => {
    const { context, archive, put } = await setup();
    const names = Array.from({ length: 450 }, (_, place) => `n${1000 + place}`);
    for (const name of names) await put(name);
    let batches = 0;
    const dying: Context = {
      ...context,
      client: {
        ...context.client,
        batch: (...args) => {
          if (batches++ % 2 === 1) throw new Error("killed");
          return context.client.batch(...args);
        },
      },
    };
    for (let run = 0; run < 2; run++)
      await expect(moveYear(dying, archive, BEFORE)).rejects.toThrow("killed");
    const [here, there] = [await readOutput(context, IDS), await readOutput(archive, IDS)];
    expect(new Set([...here, ...there])).toEqual(new Set(names.map(idOf)));
    expect(here.length + there.length).toBeGreaterThan(names.length);
    await moveYear(context, archive, BEFORE);
    expect(await readOutput(context, IDS)).toEqual([]);
    expect(await readOutput(archive, IDS)).toEqual(names.map(idOf).sort());
    await moveYear(context, archive, BEFORE);
    expect(await readOutput(archive, IDS)).toEqual(names.map(idOf).sort());
  });

  it("takes order book samples, and has a column that was added later", async () => {
    const { context, archive } = await setup();
    const pair = { exchange: "kraken", symbol: "BTC/USDT", cause: "unreachable" } as never;
    for (const at of [LAST_YEAR, BEFORE - MINUTE, BEFORE])
      await context.client.execute(
        statement(
          context.db.insert(liquidityMisses).values({ ...(pair as object), minute: at / MINUTE } as never),
        ),
      );
    await archive.client.execute(
      "create table liquidity_misses (exchange text, symbol text, minute integer, primary key (exchange, symbol, minute))",
    );
    expect(await moveYear(context, archive, BEFORE)).toMatchObject({ liquidityMisses: 2 });
    expect(await readOutput(archive, "select cause from liquidity_misses")).toEqual([
      "unreachable",
      "unreachable",
    ]);
    expect(await readOutput(context, "select minute from liquidity_misses")).toEqual([
      String(BEFORE / MINUTE),
    ]);
  });
});

it("a history names the archives on its last page, where the strategy is old enough", async () => {
  const { deps, context, time } = await testSandbox();
  const { id } = await runOperation<{ id: string }>(deps, "start_grid", {
    exchange: "kraken",
    symbol: "BTC/USDT",
    gridLevels: 3,
    orderSize: 50n * 10n ** 18n,
    lowerPrice: 50_000n * 10n ** 18n,
    upperPrice: 70_000n * 10n ** 18n,
  });
  const ask = (what: string, limit: number) =>
    runOperation<{ archived?: string[]; next: string | null }>(deps, `get_strategy_${what}`, {
      id,
      limit,
    });
  expect(await ask("orders", 100)).not.toHaveProperty("archived");
  for (const [year, before] of [
    [2025, time.now() - DAY],
    [2026, time.now() + DAY],
  ] as const)
    await context.client.execute(
      statement(context.db.insert(archives).values({ year, file: `trade-${year}.db`, before })),
    );
  expect(await ask("orders", 100)).toMatchObject({ next: null, archived: ["trade-2026.db"] });
  expect(await ask("events", 100)).toMatchObject({ next: null, archived: ["trade-2026.db"] });
  expect(await ask("orders", 1)).not.toHaveProperty("archived");
  expect(await ask("events", 1)).not.toHaveProperty("archived");
});
