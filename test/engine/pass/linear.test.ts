import { describe, expect, it } from "vitest";
import { runPass } from "../../../src/engine/pass/pass.ts";
import { MINUTE } from "../../../src/kernel/time.ts";
import type { Snapshot } from "../../../src/ports/stores/pass-store.ts";
import { oneAccount } from "../../support/one-account.ts";

/** Reads of fields in a pass over this many grids, of their orders and of themselves; the last grid is new. */
async function readsOf(count: number) {
  const reads = { orders: 0, strategies: 0 };
  const counted = <T extends object>(rows: readonly T[], what: keyof typeof reads): T[] =>
    rows.map(
      (row) =>
        new Proxy(row, {
          get: (of, field) => {
            reads[what]++;
            return Reflect.get(of, field);
          },
        }),
    );
  const { deps, still } = await oneAccount(count);
  const store: typeof deps.store = {
    ...deps.store,
    async takeLease(request) {
      const found = await deps.store.takeLease(request);
      if (!found) return undefined;
      const strategies = found.strategies.map((strategy, place) =>
        place < count - 1 ? strategy : { ...strategy, phase: "starting" as const },
      );
      return {
        ...found,
        orders: counted(found.orders, "orders"),
        strategies: counted(strategies, "strategies"),
      } satisfies Snapshot;
    },
  };
  expect(await runPass({ ...deps, store }, still)).toMatchObject({ outcome: "stepped" });
  return reads;
}

describe("a pass over many strategies", () => {
  it("reads each of them and each order as often as a pass over few", async () => {
    const [few, many] = [await readsOf(20), await readsOf(60)];
    expect(few.orders).toBeGreaterThan(20);
    expect(many.orders / few.orders).toBeLessThan(3.3);
    expect(many.strategies / few.strategies).toBeLessThan(3.3);
  });

  it("checks once whether a strategy of a quiet account could place an order", async () => {
    const { deps, still } = await oneAccount(20);
    // Without new trades to read, as on an exchange between two of their intervals.
    const quiet = { ...still, timing: { ...still.timing, tradesEvery: MINUTE } };
    let checks = 0;
    const kinds: typeof deps.kinds = (name) => {
      const kind = deps.kinds(name);
      const mayPlace: typeof kind.mayPlace = (...request) => {
        checks++;
        return kind.mayPlace(...request);
      };
      return { ...kind, mayPlace };
    };
    expect(await runPass(deps, quiet)).toMatchObject({ outcome: "stepped" });
    expect(await runPass({ ...deps, kinds }, quiet)).toMatchObject({ outcome: "stepped" });
    expect(checks).toBe(20);
  });

  it("indexes the exchange's list of open orders once", async () => {
    const { deps, still } = await oneAccount(60);
    const open = await still.openOrders();
    let reads = 0;
    const counted = open.map(
      (order) =>
        new Proxy(order, {
          get(of, field) {
            if (field === "id") reads++;
            return Reflect.get(of, field);
          },
        }),
    );
    expect(await runPass(deps, { ...still, openOrders: async () => counted })).toMatchObject({
      outcome: "stepped",
    });
    expect(reads / open.length).toBeLessThanOrEqual(4);
  });

  it("lets other requests run between parts, and reads the same as in one part", async () => {
    const { deps, still, context, ids } = await oneAccount(600);
    let pauses = 0;
    Object.assign(context, { pause: async () => void pauses++ });
    const sizes: number[] = [];
    const first: number[] = [];
    const { fresh, batch } = context.client;
    Object.assign(context.client, {
      async batch(...request: Parameters<typeof batch>) {
        const results = await batch(...request);
        const read = results.find(({ columns }) => columns.length === 9)?.rows[0];
        if (read)
          first.push(...[read[2], read[3]].map((rows) => (JSON.parse(String(rows)) as unknown[]).length));
        return results;
      },
      async fresh(...request: Parameters<typeof fresh>) {
        const result = await fresh(...request);
        sizes.push((JSON.parse(String(result.rows[0]?.[0])) as unknown[]).length);
        return result;
      },
    });
    let turns = 0;
    const local = { ...deps.local, heard: async () => void turns++ };
    const found: Snapshot[] = [];
    const store: typeof deps.store = {
      ...deps.store,
      async takeLease(request) {
        const snapshot = await deps.store.takeLease(request);
        if (snapshot) found.push(snapshot);
        return snapshot;
      },
    };
    expect(await runPass({ ...deps, local, store }, still)).toMatchObject({ outcome: "stepped" });
    const [snapshot] = found;
    expect(snapshot?.strategies.map(({ id }) => id)).toEqual(ids);
    const orders = [...(await deps.store.unsettledOrders())].sort((a, b) =>
      a.clientId < b.clientId ? -1 : 1,
    );
    expect(snapshot?.orders).toEqual(orders);
    const parts = Math.ceil(orders.length / 1000);
    // The list of both, and then each part of strategies and of orders.
    expect(sizes.slice(0, 4 + parts)).toEqual([
      600,
      250,
      250,
      100,
      ...Array.from({ length: parts }, (_, part) => Math.min(1000, orders.length - part * 1000)),
    ]);
    expect(pauses).toBe(4 + parts);
    // After the markets, the trades and all reads, and after 100 steps: of ten orders each, and two of each strategy (its books, and its orders).
    expect(turns).toBe(3 + Math.floor((Math.ceil(orders.length / 10) + 2 * 600) / 100));
    // The next pass knows that the account is read in parts, and reads nothing twice.
    expect(await runPass({ ...deps, local, store }, still)).toMatchObject({ outcome: "stepped" });
    expect(first).toEqual([251, 1001, 1, 1]);
    expect(found[1]?.orders).toEqual(orders);
  });
});
