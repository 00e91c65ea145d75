import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { createStore } from "../../../../src/adapters/libsql/store.ts";
import { NO_MEMORY } from "../../../../src/model/memory.ts";
import type { Order } from "../../../../src/model/order.ts";
import type { Strategy } from "../../../../src/model/strategy.ts";
import { type Lease, NO_CHANGES, type Settlement } from "../../../../src/ports/stores/pass-store.ts";
import { statement } from "../../../../src/storage/client/context.ts";
import { accounts, orders } from "../../../../src/storage/tables/trading-tables.ts";
import { BY } from "../../../support/by.ts";
import { d } from "../../../support/grid.ts";
import { fill, order, SYMBOL } from "../../../support/made.ts";
import { opened, START } from "./opened.ts";
import { started } from "./rows.ts";

const MINE = "sandbox:kraken:";
const THEIRS = "sandbox:mexc:";
const DONE: Settlement = {
  outcomes: [],
  phases: [],
  events: [],
  memory: NO_MEMORY,
  calls: { made: 4, own: {} },
  failure: null,
};

/** A grid on each of two accounts. */
async function open() {
  const { context, time } = await opened();
  const store = createStore(context);
  const { db } = context;
  const put = (query: Parameters<typeof statement>[0]) => context.client.execute(statement(query));
  const make = async (over: object = {}) => (await store.createStrategy(started(over), BY)) as Strategy;
  const [mine, theirs] = [await make(), await make({ account: THEIRS })];
  const takeLease = async (account = MINE, over: object = {}) => {
    const accepted = await store.takeLease({ account, owner: "process/1", ttl: 5000, overlap: 0, ...over });
    if (!accepted) throw new Error("another process has the lease");
    return accepted;
  };
  const place = (clientId: string, over: Partial<Order> = {}) =>
    put(db.insert(orders).values(order({ clientId, account: MINE, strategy: mine.id, ...over })));
  const rowOf = async (account: string) =>
    (await db.select().from(accounts).where(eq(accounts.account, account)))[0];
  const orderOf = (clientId: string, account = MINE) => store.orderByClientId(account, clientId);
  const one = async (id: string) => (await store.strategies({ id }))[0];
  return { context, time, store, put, db, mine, theirs, takeLease, place, rowOf, orderOf, one };
}

describe("the end of a pass", () => {
  it("releases the lease, and records its time and duration for its account", async () => {
    const { store, time, takeLease, rowOf } = await open();
    const { lease } = await takeLease();
    await takeLease(THEIRS);
    time.pass(30);
    const memory = { ...NO_MEMORY, foreign: ["x9"] };
    await store.settle(lease, { ...DONE, memory });
    expect(await rowOf(MINE)).toMatchObject({
      until: 0,
      owner: "process/1",
      passMillis: 30,
      steppedAt: START + 30,
      failures: 0,
      retryAt: 0,
      error: null,
      memory,
    });
    expect(await rowOf(THEIRS)).toMatchObject({ until: START + 5000, steppedAt: null, memory: NO_MEMORY });
  });

  it("records a failure's reason and retry time, and discards nothing but its reports", async () => {
    const { store, time, takeLease, rowOf } = await open();
    const { lease } = await takeLease();
    await store.record(lease, [{ ...NO_CHANGES, memory: { ...NO_MEMORY, foreign: ["x9"] } }]);
    const failure = { message: "no answer", retryAt: START + 99, of: "unavailable" as const };
    await store.settle(lease, { ...DONE, memory: null, unwatched: ["g"], failure });
    const failed = { failures: 1, retryAt: START + 99, error: "no answer", steppedAt: null };
    expect(await rowOf(MINE)).toMatchObject({
      ...failed,
      memory: { foreign: ["x9"], unwatched: ["g"], failed: "unavailable" },
    });
    const again = await takeLease();
    expect(again.failures).toBe(1);
    await store.settle(again.lease, { ...DONE, memory: null, failure: { message: "again", retryAt: 1 } });
    expect(await rowOf(MINE)).toMatchObject({ failures: 2, retryAt: 1, error: "again" });
    expect((await rowOf(MINE))?.memory).not.toHaveProperty("failed");
    time.pass(1);
    await store.settle((await takeLease()).lease, DONE);
    expect(await rowOf(MINE)).toMatchObject({ failures: 0, retryAt: 0, error: null, steppedAt: START + 1 });
  });

  it("counts a postponed one neither as done nor as failed", async () => {
    const { store, takeLease, rowOf } = await open();
    await store.settle((await takeLease()).lease, { ...DONE, resumeAt: START + 7 });
    expect(await rowOf(MINE)).toMatchObject({
      failures: 0,
      retryAt: START + 7,
      steppedAt: null,
      error: null,
    });
  });

  it("writes the outcome of its orders and strategies, and of no others", async () => {
    const { store, takeLease, place, orderOf, one, mine, theirs } = await open();
    await place("one");
    await place("two", { slot: 1, exchangeId: "x2" });
    await place("one", { account: THEIRS, strategy: theirs.id });
    const outcome = { clientId: "one", state: "rejected", exchangeId: null, reason: "too small" } as const;
    const event = { account: MINE, strategy: mine.id, at: START, kind: "error" as const, message: "refused" };
    await store.settle((await takeLease()).lease, {
      ...DONE,
      outcomes: [outcome],
      phases: [{ id: mine.id, phase: "active" }],
      events: [event],
    });
    expect(await orderOf("one")).toMatchObject(outcome);
    expect(await orderOf("two")).toMatchObject({ state: "open", exchangeId: "x2" });
    expect(await orderOf("one", THEIRS)).toMatchObject({ state: "open" });
    expect([await one(mine.id), await one(theirs.id)].map((found) => found?.strategy.phase)).toEqual([
      "active",
      "starting",
    ]);
    expect((await store.eventsAfter(2, 9)).map(({ message, actor }) => [message, actor])).toEqual([
      ["refused", "step"],
    ]);
  });

  it("adds its cost to the strategies of its account", async () => {
    const { store, takeLease, one, mine, theirs } = await open();
    const { lease } = await takeLease();
    const event = { account: MINE, strategy: mine.id, at: START, kind: "error" as const, message: "odd" };
    await store.record(lease, [{ ...NO_CHANGES, events: [event] }]);
    await store.record(lease, [NO_CHANGES]);
    await store.settle(lease, { ...DONE, events: [event] });
    const costs = (await one(mine.id))?.costs ?? [];
    expect(costs).toHaveLength(1);
    // A file does not tell its rows. What follows the pass's own events is known without asking.
    const rows = { rowsRead: null, rowsWritten: null };
    expect(costs[0]?.of[mine.id]).toEqual({ exchangeCalls: 4, databaseRequests: 4, ...rows });
    expect((await store.eventsAfter(2, 9)).map(({ message, seq }) => [message, seq])).toEqual([
      ["odd", 1],
      ["odd", 2],
    ]);
    expect((await one(theirs.id))?.costs).toEqual([]);
  });
});

describe("a pass", () => {
  it("yields to a process waiting for the lease, unless a user waits, and then nobody waits", async () => {
    const { context, store, takeLease, rowOf } = await open();
    const ask = (over: object = {}) =>
      store.takeLease({ account: MINE, owner: "process/2", ttl: 5000, overlap: 0, ...over });
    await context.client.execute(`update accounts set waited_until = ${START + 1}`);
    expect(await ask()).toBeUndefined();
    expect(await ask({ isUrgent: true })).toBeDefined();
    expect([(await rowOf(MINE))?.waitedUntil, (await rowOf(THEIRS))?.waitedUntil]).toEqual([0, START + 1]);
    await context.client.execute(`update accounts set waited_until = ${START}, until = 0`);
    expect((await takeLease()).lease.token).toBe(2);
  });

  it("of a scheduler does not start while its account backs off or another process has it", async () => {
    const { context, store, takeLease, rowOf } = await open();
    const ask = (scheduled: number) =>
      store.takeLease({ account: MINE, owner: "process/1", ttl: 5000, overlap: 0, scheduled });
    await context.client.execute(`update accounts set retry_at = ${START + 1}`);
    expect(await ask(1)).toBeUndefined();
    await context.client.execute(`update accounts set retry_at = ${START}`);
    expect(await ask(1)).toBeDefined();
    expect([(await rowOf(MINE))?.token, (await rowOf(THEIRS))?.token]).toEqual([1, 0]);
    await takeLease(THEIRS, { owner: "process/2" });
    expect(
      await store.takeLease({ account: THEIRS, owner: "process/1", ttl: 5000, overlap: 0, scheduled: 9 }),
    ).toBeUndefined();
  });

  it("is due first for the account that waited longest, never before all others", async () => {
    const { context, store } = await open();
    const due = async () => (await store.due()).map(({ account }) => account);
    expect(await due()).toEqual([MINE, THEIRS]);
    await context.client.execute(`update accounts set stepped_at = 5 where account = '${MINE}'`);
    expect(await due()).toEqual([THEIRS, MINE]);
    await context.client.execute(`update accounts set stepped_at = 4 where account = '${THEIRS}'`);
    expect(await due()).toEqual([THEIRS, MINE]);
    expect(await store.due()).toMatchObject([
      { retryAt: 0, now: START },
      { retryAt: 0, now: START },
    ]);
  });
});

describe("a pass's record", () => {
  it("is written completely: order states, adopted orders, trades and the read position", async () => {
    const { store, takeLease, place, orderOf, mine, theirs, one } = await open();
    await place("one");
    await place("one", { account: THEIRS, strategy: theirs.id });
    const { lease } = await takeLease();
    const now = order({
      clientId: "one",
      account: MINE,
      strategy: mine.id,
      state: "canceled",
      settled: true,
    });
    const adopted = order({ clientId: "two", account: MINE, strategy: mine.id, exchangeId: "x2" });
    const { id, version, state, status, stoppedAt } = mine;
    await store.record(lease, [
      {
        ...NO_CHANGES,
        strategy: { id, version, state, status, phase: "active", lastError: "odd", stoppedAt },
        orders: [{ ...now, price: d("7"), amount: d("7"), createdAt: 7, sendBy: 7, notAfter: 7, actor: "x" }],
        adopted: [adopted],
        fills: [fill({ account: MINE, clientId: "two", strategy: id })],
        cursors: { [SYMBOL]: { at: 9, ahead: null } },
      },
    ]);
    expect(await orderOf("one")).toEqual(now);
    expect(await orderOf("two")).toEqual(adopted);
    expect(await orderOf("one", THEIRS)).toMatchObject({ state: "open" });
    expect((await one(id))?.strategy).toMatchObject({ phase: "active", lastError: "odd" });
    expect((await one(theirs.id))?.strategy).toMatchObject({ phase: "starting", lastError: null });
    const again = await takeLease();
    expect(again.cursors).toEqual({ [SYMBOL]: { at: 9, ahead: null } });
    expect(Object.keys(again.booked)).toEqual([SYMBOL]);
  });

  it("discards a part that was read ahead once it is reached", async () => {
    const { store, takeLease } = await open();
    const read = async (ahead: { from: number; to: number } | null) => {
      await store.record((await takeLease()).lease, [
        { ...NO_CHANGES, cursors: { [SYMBOL]: { at: 9, ahead } } },
      ]);
      return (await takeLease()).cursors[SYMBOL]?.ahead;
    };
    expect(await read({ from: 20, to: 30 })).toEqual({ from: 20, to: 30 });
    expect(await read(null)).toBeNull();
  });

  it("is rejected where a newer program has migrated the database, and nothing is due", async () => {
    const { context, store, place } = await open();
    await place("one");
    await context.client.execute("insert into migrations (name, applied_at) values ('9999_future.sql', 1)");
    await expect(store.due()).rejects.toThrow("9999_future.sql");
    const byHand = order({ clientId: "two", account: MINE, strategy: null, kind: "hand", state: "pending" });
    const alone = { terms: null, limit: null, ended: [] };
    await expect(store.recordByHand(byHand, alone, BY)).rejects.toThrow("9999_future.sql");
    expect(await store.orderByClientId(MINE, "two")).toBeUndefined();
    expect(store.trouble()).toContain("9999_future.sql");
  });

  it("is an exit also while the switch sells, whatever the limits, and counts toward them", async () => {
    const { store, takeLease, mine } = await open();
    const { lease } = await takeLease();
    const scope = { scope: "a", actor: null, dayNotional: d("1"), openOrders: 0, orderGapMillis: null };
    const record = async (kind: "exit" | "slot", slot: number) => {
      const clientId = `${kind}${slot}`;
      const one = order({ clientId, account: MINE, strategy: mine.id, kind, slot, state: "pending" });
      const terms = { version: 0, asset: "USDT", scopes: [scope], counted: { [clientId]: d("10") } };
      return (await store.record(lease, [{ ...NO_CHANGES, intents: [one], terms }])).size;
    };
    expect([await record("slot", 0), await record("exit", 1)]).toEqual([0, 1]);
    await store.setKill(true, BY);
    expect(await record("exit", 2)).toBe(0);
    await store.panic({ sells: true }, BY);
    expect([await record("slot", 3), await record("exit", 4)]).toEqual([0, 1]);
    const { uses } = await store.readLimits({ scopes: ["a"], account: MINE, actor: "" });
    expect(uses).toMatchObject([{ notional: d("20"), orders: 2 }]);
  });

  it("contains as many of several intents as the limits leave room for", async () => {
    const { store, takeLease, mine } = await open();
    const { lease } = await takeLease();
    const record = async (first: number, over: object) => {
      const intents = [0, 1, 2].map((i) =>
        order({
          clientId: `o${first + i}`,
          account: MINE,
          strategy: mine.id,
          slot: first + i,
          state: "pending",
        }),
      );
      const none = { actor: null, dayNotional: null, openOrders: null, orderGapMillis: null };
      const counted = Object.fromEntries(intents.map(({ clientId }) => [clientId, d("10")]));
      const scopes = [{ scope: `s${first}`, ...none, ...over }];
      const terms = { version: 0, asset: "USDT", scopes, counted };
      return [...(await store.record(lease, [{ ...NO_CHANGES, intents, terms }]))].sort();
    };
    expect(await record(0, { dayNotional: d("25") })).toEqual(["o0", "o1"]);
    expect(await record(3, { openOrders: 4 })).toEqual(["o3", "o4"]);
    expect(await record(6, { orderGapMillis: 5 })).toEqual(["o6"]);
  });

  it("depends on the requested state of the strategy, and is rejected once that has changed", async () => {
    const { store, takeLease, mine, orderOf, place } = await open();
    await place("one");
    const wish = { id: mine.id, wants: "stop", keepOrders: true, sellBase: false } as const;
    const ended = order({
      clientId: "one",
      account: MINE,
      strategy: mine.id,
      state: "canceled",
      settled: true,
    });
    const record = async (lease: Lease) =>
      store.record(lease, [{ ...NO_CHANGES, wish, orders: [ended] }]).then(
        () => "written",
        (error: { failure: string }) => error.failure,
      );
    const { lease } = await takeLease();
    for (const [wants, keepOrders, sellBase] of [
      ["run", true, false],
      ["stop", false, false],
      ["stop", true, true],
    ] as const) {
      await store.setWants(mine.id, wants, { keepOrders, sellBase }, BY);
      expect(await record(lease)).toBe("fenced");
    }
    expect((await orderOf("one"))?.state).toBe("open");
    await store.setWants(mine.id, "stop", { keepOrders: true, sellBase: false }, BY);
    expect(await record(lease)).toBe("written");
  });

  it("has an intent of each strategy that can place one: blocked strategies do not stop others", async () => {
    const { store, takeLease, mine } = await open();
    const second = (await store.createStrategy(started(), BY)) as Strategy;
    await store.setWants(mine.id, "stop", { keepOrders: false, sellBase: true }, BY);
    const intent = (clientId: string, over: Partial<Order>) =>
      order({ clientId, account: MINE, state: "pending", exchangeId: null, ...over });
    const recorded = await store.record((await takeLease()).lease, [
      {
        ...NO_CHANGES,
        intents: [
          intent("a", { strategy: mine.id }),
          intent("b", { strategy: second.id }),
          intent("c", { strategy: mine.id, kind: "exit", slot: 1 }),
          intent("d", { strategy: second.id, slot: 1 }),
        ],
      },
    ]);
    expect([...recorded].sort()).toEqual(["b", "c", "d"]);
  });
});

describe("an order lookup", () => {
  it("finds orders by the exchange's ids or by ours, on one account", async () => {
    const { store, place, theirs } = await open();
    await place("one");
    await place("two", { slot: 1, exchangeId: "x2", settled: true });
    await place("three", { slot: 2, exchangeId: "x3" });
    await place("one", { account: THEIRS, strategy: theirs.id });
    const found = async (exchange: readonly string[], client: readonly string[]) =>
      (await store.ordersByIds(MINE, { exchange, client })).map(({ account, clientId }) => [
        account,
        clientId,
      ]);
    expect(await found([], [])).toEqual([]);
    expect(await found(["x1"], [])).toEqual([[MINE, "one"]]);
    expect(await found([], ["two"])).toEqual([[MINE, "two"]]);
    expect((await found(["x1"], ["two"])).sort()).toEqual([
      [MINE, "one"],
      [MINE, "two"],
    ]);
  });

  it("finds all orders that could be open, of every account", async () => {
    const { store, place, theirs } = await open();
    await place("one");
    await place("two", { slot: 1, settled: true });
    await place("one", { account: THEIRS, strategy: theirs.id });
    expect((await store.unsettledOrders()).map(({ account }) => account).sort()).toEqual([MINE, THEIRS]);
    expect((await store.unsettledOrders(THEIRS)).map(({ account }) => account)).toEqual([THEIRS]);
  });
});
