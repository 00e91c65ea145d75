import { describe, expect, it } from "vitest";
import { createStore } from "../../../../src/adapters/libsql/store.ts";
import { NO_MEMORY } from "../../../../src/model/memory.ts";
import type { Order } from "../../../../src/model/order.ts";
import type { Strategy } from "../../../../src/model/strategy.ts";
import { NO_CHANGES, type Snapshot } from "../../../../src/ports/stores/pass-store.ts";
import { statement } from "../../../../src/storage/client/context.ts";
import { cursors, fills, orders } from "../../../../src/storage/tables/trading-tables.ts";
import { limitUses } from "../../../../src/storage/tables/venue-tables.ts";
import { BY } from "../../../support/by.ts";
import { fill, order, SYMBOL } from "../../../support/made.ts";
import { opened, START } from "./opened.ts";
import { started } from "./rows.ts";

const MINE = "sandbox:kraken:";
const THEIRS = "sandbox:mexc:";
const OVERLAP = 100;

/** Two accounts, each with a grid that runs and one that has stopped. */
async function open() {
  const { context, time } = await opened();
  const store = createStore(context);
  const make = async (over: object) => (await store.createStrategy(started(over), BY)) as Strategy;
  const own = {
    running: await make({ account: MINE }),
    stopped: await make({ account: MINE, status: "stopped" }),
  };
  const other = await make({ account: THEIRS });
  const put = (query: Parameters<typeof statement>[0]) => context.client.execute(statement(query));
  const place = (over: Partial<Order>) =>
    put(context.db.insert(orders).values(order({ strategy: own.running.id, account: MINE, ...over })));
  const takeLease = async (account: string, owner = "process/1"): Promise<Snapshot> => {
    const accepted = await store.takeLease({ account, owner, ttl: 5000, overlap: OVERLAP, isUrgent: true });
    if (!accepted) throw new Error("another process has the lease");
    return accepted;
  };
  return { context, time, store, own, other, put, place, takeLease };
}

const cursor = (at: number, ahead: { from: number; to: number } | null = null) => ({
  [SYMBOL]: { at, ahead },
});

describe("an account's snapshot for a pass", () => {
  it("has its strategies that have not stopped, in the order of their start", async () => {
    const { own, other, takeLease, store } = await open();
    const second = (await store.createStrategy(started({ account: MINE }), BY)) as Strategy;
    const { strategies, lease } = await takeLease(MINE);
    expect(strategies.map(({ id }) => id)).toEqual([own.running.id, second.id]);
    expect(lease).toEqual({ account: MINE, token: 1, owner: "process/1", now: START, until: START + 5000 });
    expect((await takeLease(THEIRS)).strategies.map(({ id }) => id)).toEqual([other.id]);
  });

  it("has its unsettled orders, by their ids", async () => {
    const { other, place, takeLease } = await open();
    await place({ clientId: "emb000000000000000", exchangeId: "2", slot: 1 });
    await place({ clientId: "ema000000000000000", exchangeId: "1" });
    await place({ clientId: "emc000000000000000", exchangeId: "3", slot: 2, state: "filled", settled: true });
    await place({ clientId: "emd000000000000000", exchangeId: "4", account: THEIRS, strategy: other.id });
    expect((await takeLease(MINE)).orders.map(({ clientId }) => clientId[2])).toEqual(["a", "b"]);
    expect((await takeLease(THEIRS)).orders.map(({ clientId }) => clientId[2])).toEqual(["d"]);
  });

  it("has the read position of its trades, and which of them are booked since", async () => {
    const { context, put, place, store, takeLease, other } = await open();
    await place({});
    await place({ account: THEIRS, strategy: other.id });
    const book = (account: string, tradeId: string, at: number) =>
      put(context.db.insert(fills).values(fill({ account, tradeId, at, strategy: null })));
    await book(MINE, "before", 1000 - OVERLAP - 1);
    await book(MINE, "edge", 1000 - OVERLAP);
    await book(MINE, "after", 2000);
    await book(THEIRS, "theirs", 2000);
    const none = await takeLease(MINE);
    expect([none.cursors, none.booked, none.memory]).toEqual([{}, {}, NO_MEMORY]);
    const theirs = await takeLease(THEIRS);
    await store.record(theirs.lease, [{ ...NO_CHANGES, cursors: cursor(1, { from: 5, to: 9 }) }]);
    const memory = { ...NO_MEMORY, foreign: ["x9"] };
    await store.record(none.lease, [{ ...NO_CHANGES, cursors: cursor(1000), memory }]);
    const mine = await takeLease(MINE);
    expect([mine.cursors, mine.memory]).toEqual([cursor(1000), memory]);
    expect([...(mine.booked[SYMBOL]?.keys() ?? [])].sort()).toEqual(["after", "edge"]);
    const again = await takeLease(THEIRS);
    expect([again.cursors, again.memory]).toEqual([cursor(1, { from: 5, to: 9 }), NO_MEMORY]);
    expect([...(again.booked[SYMBOL]?.keys() ?? [])]).toEqual(["theirs"]);
  });
});

describe("a pass's snapshot", () => {
  it("has each pair's booked trades, for its account alone", async () => {
    const { put, place, takeLease, context } = await open();
    await place({});
    const ETH = "ETH/USDT" as const;
    for (const [account, symbol, at] of [
      [MINE, SYMBOL, 5000],
      [MINE, ETH, 1000],
      [THEIRS, SYMBOL, 1],
    ] as const)
      await put(context.db.insert(cursors).values({ account, symbol, at }));
    const row = (symbol: typeof SYMBOL | typeof ETH, tradeId: string, at: number) =>
      fill({ account: MINE, symbol, tradeId, at, strategy: null });
    const book = (...one: Parameters<typeof row>) => put(context.db.insert(fills).values(row(...one)));
    await book(SYMBOL, "b1", 2000);
    await book(SYMBOL, "b2", 5000);
    await book(ETH, "e1", 2000);
    const { booked, cursors: read } = await takeLease(MINE);
    expect(booked).toEqual({
      [SYMBOL]: new Map([["b2", row(SYMBOL, "b2", 5000)]]),
      [ETH]: new Map([["e1", row(ETH, "e1", 2000)]]),
    });
    expect(Object.fromEntries(Object.entries(read).map(([symbol, { at }]) => [symbol, at]))).toEqual({
      [SYMBOL]: 5000,
      [ETH]: 1000,
    });
  });

  it("has its strategies by their ids, and does not grow with a long history", async () => {
    const { takeLease, own, put, context, store } = await open();
    const { id } = own.running;
    const second = await store.createStrategy(started({ account: MINE }), BY);
    await context.client.execute(`update strategies set number = number + 9 where id = '${id}'`);
    const use = (day: number) => ({
      scope: `account:${MINE}`,
      day,
      asset: "USDT",
      notional: 0n,
      orders: 1,
      at: day,
    });
    await put(context.db.insert(limitUses).values(Array.from({ length: 22 }, (_, i) => use(i))));
    const { strategies, limitUses: uses } = await takeLease(MINE);
    expect(strategies.map((one) => one.id)).toEqual([second?.id, id]);
    expect(uses.map(({ day }) => day)).toEqual(Array.from({ length: 20 }, (_, i) => 21 - i));
  });
});

describe("accounts that are due", () => {
  it("have a strategy that has not stopped, or an unsettled order", async () => {
    const { store, place } = await open();
    const due = async () => (await store.due()).map(({ account }) => account).sort();
    expect(await due()).toEqual([MINE, THEIRS]);
    await store.createStrategy(started({ account: "sandbox:gateio:", status: "stopped" }), BY);
    expect(await due()).toEqual([MINE, THEIRS]);
    await store.createStrategy(started({ account: "sandbox:bitget:", status: "stopped" }), BY);
    await place({ account: "sandbox:bitget:", strategy: null, kind: "hand", exchangeId: "9" });
    await place({
      account: "sandbox:gateio:",
      clientId: "eme000000000000000",
      exchangeId: "8",
      strategy: null,
      kind: "hand",
      state: "filled",
      settled: true,
    });
    expect(await due()).toEqual(["sandbox:bitget:", MINE, THEIRS]);
  });
});

describe("a lease", () => {
  it("is free for others only after it expires, and for its holder at any time", async () => {
    const { store, time, takeLease } = await open();
    const ask = (owner: string, over: object = {}) =>
      store.takeLease({ account: MINE, owner, ttl: 5000, overlap: OVERLAP, ...over });
    expect((await takeLease(MINE)).lease.token).toBe(1);
    expect(await ask("process/2")).toBeUndefined();
    expect((await ask("process/1"))?.lease.token).toBe(2);
    time.pass(4999);
    expect(await ask("process/2")).toBeUndefined();
    time.pass(1);
    expect((await ask("process/2"))?.lease.token).toBe(3);
  });

  it("is taken once for a scheduled time", async () => {
    const { store, time } = await open();
    const ask = async (scheduled: number) => {
      const owner = `process/${scheduled} ${time.pass(6000)}`;
      return (
        (await store.takeLease({ account: MINE, owner, ttl: 5000, overlap: 0, scheduled })) !== undefined
      );
    };
    expect([await ask(100), await ask(100), await ask(99), await ask(101)]).toEqual([
      true,
      false,
      false,
      true,
    ]);
  });
});
