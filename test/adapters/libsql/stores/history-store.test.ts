import { describe, expect, it } from "vitest";
import { historyStore } from "../../../../src/adapters/libsql/history-store.ts";
import { strategyStore } from "../../../../src/adapters/libsql/strategy-store.ts";
import type { Strategy } from "../../../../src/model/strategy.ts";
import { fillsInOrderQuery } from "../../../../src/report/store.ts";
import { statement } from "../../../../src/storage/client/context.ts";
import { fills, orders } from "../../../../src/storage/tables/trading-tables.ts";
import { BY } from "../../../support/by.ts";
import { fill, order } from "../../../support/made.ts";
import { opened, START } from "./opened.ts";
import { started } from "./rows.ts";

/** Two grids, of each of which orders and fills lie at the times 1, 2, 2 and 3. */
async function open() {
  const { context, time } = await opened();
  const strategies = strategyStore(context);
  const make = async () => (await strategies.createStrategy(started(), BY)) as Strategy;
  const mine = await make();
  time.pass(1000);
  const theirs = await make();
  const account = mine.account;
  const put = (query: Parameters<typeof statement>[0]) => context.client.execute(statement(query));
  let place = 0;
  for (const { id: strategy } of [mine, theirs])
    for (const [name, at] of [
      ["a", 1],
      ["b", 2],
      ["c", 2],
      ["d", 3],
    ] as const) {
      const clientId = `em${name}${strategy === mine.id ? "1" : "2"}`.padEnd(18, "0");
      const settled = { state: "filled", settled: true, exchangeId: `x${place}` } as const;
      await put(
        context.db
          .insert(orders)
          .values(order({ account, strategy, clientId, createdAt: at, slot: place++, ...settled })),
      );
      await put(
        context.db
          .insert(fills)
          .values(fill({ account, strategy, clientId, tradeId: `${name}-${strategy}`, at })),
      );
    }
  return { context, store: historyStore(context), mine: mine.id, theirs: theirs.id };
}

const letters = (rows: readonly { tradeId?: string; clientId: string }[]) =>
  rows.map(({ tradeId, clientId }) => (tradeId ? tradeId[0] : clientId[2])).join("");

describe("the history of a strategy", () => {
  /** Returns the query plan of a read. */
  const planOf = async ({ context }: Awaited<ReturnType<typeof open>>, read: () => Promise<unknown>) => {
    let query: Parameters<typeof context.client.execute>[0] | undefined;
    const { execute } = context.client;
    Object.assign(context.client, {
      execute: (...request: Parameters<typeof execute>) => {
        query = request[0];
        return execute(...request);
      },
    });
    await read();
    Object.assign(context.client, { execute });
    const { sql: text, args } = query as { sql: string; args: never };
    const { rows } = await execute({ sql: `explain query plan ${text}`, args });
    return rows.map((row) => String(row.detail));
  };

  it("is read by its index, in order, however long it is", async () => {
    const made = await open();
    const { store, mine } = made;
    const plan = await planOf(made, () => store.ordersOf(mine, { limit: 2, before: { at: 3, id: "z" } }));
    const index = "orders USING COVERING INDEX orders_of_strategy (strategy=? AND settled=? AND";
    expect(plan.filter((step) => step.includes(index))).toHaveLength(2);
    // Only the two pages are sorted, one with the other.
    expect(plan.filter((step) => step.includes("TEMP B-TREE"))).toHaveLength(1);
    expect(plan.filter((step) => step.startsWith("SCAN orders"))).toEqual([]);
  });

  it.each([
    ["newest events", {}, "eventsOf", "strategy=?"],
    ["events before a place", { before: { at: 3, id: "2" } }, "eventsOf", "strategy=? AND at<?"],
    ["fills before a place", { before: { at: 3, id: "z" } }, "fillsOf", "strategy=? AND at<?"],
  ] as const)("reads the %s by its index, and sorts no history", async (_, page, name, terms) => {
    const made = await open();
    const plan = await planOf(made, () => made.store[name](made.mine, { limit: 2, ...page }));
    const table = name === "eventsOf" ? "events" : "fills";
    expect(plan[0]).toBe(`SEARCH ${table} USING INDEX ${table}_of_strategy (${terms})`);
    // Fills within one millisecond are sorted among themselves, and each has the label of its order.
    const ofFills = [
      "CORRELATED SCALAR SUBQUERY 1",
      "SEARCH orders USING INDEX sqlite_autoindex_orders_1 (account=? AND client_id=?)",
      "USE TEMP B-TREE FOR RIGHT PART OF ORDER BY",
    ];
    expect(plan.slice(1)).toEqual(name === "eventsOf" ? [] : ofFills);
  });

  it.each(["ordersOf", "fillsOf"] as const)(
    "contains only its entries, newest first, by pages: %s",
    async (name) => {
      const { store, mine } = await open();
      const page = async (over: object) => letters(await store[name](mine, { limit: 9, ...over }));
      expect(await page({})).toBe("dcba");
      expect(await page({ limit: 2 })).toBe("dc");
      expect(await page({ before: { at: 2 } })).toBe("a");
      const id = name === "fillsOf" ? `c-${mine}` : "emc1".padEnd(18, "0");
      expect(await page({ before: { at: 2, id } })).toBe("ba");
      expect(await page({ before: { at: 3, id: "0" } })).toBe("cba");
      expect(await page({ before: { at: 1, id: "zzz" } })).toBe("a");
    },
  );

  it("names the user who started it", async () => {
    const { store, mine } = await open();
    expect(await store.starterOf(mine)).toBe(BY.actor);
    expect(await store.starterOf("nothing")).toBeUndefined();
  });

  it("returns its events by their ids", async () => {
    const { store, mine, theirs } = await open();
    const [event] = await store.eventsOf(mine, { limit: 9 });
    expect(event).toMatchObject({ kind: "started", strategy: mine, at: START });
    const id = event?.id ?? 0;
    const olderThan = (at: number, number?: number) => ({
      limit: 9,
      before: { at, ...(number === undefined ? {} : { id: String(number) }) },
    });
    expect(await store.eventsOf(mine, olderThan(START))).toEqual([]);
    expect(await store.eventsOf(mine, olderThan(START, id))).toEqual([]);
    expect(await store.eventsOf(mine, olderThan(START, id + 1))).toHaveLength(1);
    expect(await store.eventsOf(mine, olderThan(START + 1))).toHaveLength(1);
    expect(await store.eventsOf(mine, { limit: 0 })).toEqual([]);
    expect((await store.eventsOf(theirs, { limit: 9 }))[0]?.at).toBe(START + 1000);
  });
});

it("a history of more rows than asked for is found without reading them", async () => {
  const { store, mine } = await open();
  expect(await store.hasMoreThan(mine, 3)).toBe(true);
  expect(await store.hasMoreThan(mine, 4)).toBe(false);
  expect(await store.hasMoreThan("nobody", 0)).toBe(false);
});

describe("the list of all fills", () => {
  it("is sorted by time, then by trade within one millisecond, and paged", async () => {
    const { context } = await open();
    const all = await fillsInOrderQuery(context, undefined, 99);
    expect(letters(all)).toBe("aabbccdd");
    const rest: string[] = [];
    for (let after = all[0]; after; ) {
      const [next] = await fillsInOrderQuery(context, after, 1);
      if (next) rest.push(next.tradeId);
      after = next;
    }
    expect(rest).toEqual(all.slice(1).map(({ tradeId }) => tradeId));
  });
});
