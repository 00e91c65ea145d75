import { describe, expect, it } from "vitest";
import { insertIntents, insertManualOrder } from "../../../src/adapters/libsql/order-rows.ts";
import { text } from "../../../src/kernel/decimal.ts";
import { StoreError } from "../../../src/kernel/errors.ts";
import { NO_MEMORY } from "../../../src/model/memory.ts";
import { NEW_ORDER, type Order } from "../../../src/model/order.ts";
import type { Strategy } from "../../../src/model/strategy.ts";
import { NO_CHANGES } from "../../../src/ports/stores/pass-store.ts";
import { BY } from "../../support/by.ts";
import { d, state } from "../../support/grid.ts";
import { START, testSandbox } from "../../support/sandbox.ts";

const ACCOUNT = "sandbox:kraken:";
const lease = (owner: string) => ({ account: ACCOUNT, owner, ttl: 5000, overlap: 0 });

async function started() {
  const box = await testSandbox();
  const strategy = (await box.store.createStrategy(
    {
      prefix: "grid-kraken-BTC-USDT",
      account: ACCOUNT,
      symbol: "BTC/USDT",
      kind: "grid",
      version: 1,
      config: {},
      state: state([]),
      wants: "run",
      keepOrders: false,
      sellBase: false,
      status: "running",
      phase: "active",
      lastError: null,
      startedAt: START,
      stoppedAt: null,
      request: null,
    },
    BY,
  )) as Strategy;
  const intent = (over: Partial<Order> = {}): Order => ({
    ...NEW_ORDER,
    clientId: "em0000000000000001",
    account: ACCOUNT,
    strategy: strategy.id,
    kind: "slot",
    generation: 0,
    slot: 0,
    symbol: "BTC/USDT",
    side: "buy",
    type: "limit",
    price: d("1"),
    amount: d("5"),
    timeInForce: "gtc",
    createdAt: START,
    sendBy: START,
    notAfter: START,
    ...over,
  });
  return { ...box, strategy, intent };
}

const SETTLED = {
  outcomes: [],
  phases: [],
  events: [],
  memory: null,
  calls: { made: 0, own: {} },
  failure: null,
};

describe("a lease", () => {
  it("belongs to one holder until it expires, and its token only rises", async () => {
    const { store, time } = await started();
    const first = await store.takeLease(lease("a"));
    expect(first?.lease).toMatchObject({ token: 1, now: START, until: START + 5000 });
    expect(await store.takeLease(lease("b"))).toBeUndefined();
    expect((await store.takeLease(lease("a")))?.lease.token).toBe(2);
    time.pass(5000);
    expect((await store.takeLease(lease("b")))?.lease.token).toBe(3);
  });

  it("is free again once it is released", async () => {
    const { store } = await started();
    const first = await store.takeLease(lease("a"));
    if (first) await store.settle(first.lease, SETTLED);
    expect((await store.takeLease(lease("b")))?.lease.token).toBe(2);
  });

  it("writes nothing after it was lost, neither record nor settlement", async () => {
    const { store, time, intent, context } = await started();
    const first = await store.takeLease(lease("a"));
    time.pass(5001);
    await store.takeLease(lease("b"));
    if (!first) throw new Error("no lease");
    const isFenced = (error: unknown) => error instanceof StoreError && error.failure === "fenced";
    await expect(store.record(first.lease, [{ ...NO_CHANGES, intents: [intent()] }])).rejects.toSatisfy(
      isFenced,
    );
    await expect(store.settle(first.lease, { ...SETTLED, memory: NO_MEMORY })).rejects.toSatisfy(isFenced);
    expect((await context.client.execute("select count(*) from orders")).rows[0]?.[0]).toBe(0);
  });
});

describe("an intent", () => {
  it("is recorded only while its strategy should run and the kill switch is off", async () => {
    const { store, strategy, intent, context } = await started();
    const granted = await store.takeLease(lease("a"));
    if (!granted) throw new Error("no lease");
    const record = (id: string) =>
      store.record(granted.lease, [
        { ...NO_CHANGES, intents: [intent({ clientId: id, slot: Number(id.at(-1)) })] },
      ]);
    expect([...(await record("em0000000000000001"))]).toEqual(["em0000000000000001"]);
    await store.setWants(strategy.id, "pause", { keepOrders: false, sellBase: false }, BY);
    expect((await record("em0000000000000002")).size).toBe(0);
    await store.setWants(strategy.id, "stop", { keepOrders: false, sellBase: false }, BY);
    expect((await record("em0000000000000003")).size).toBe(0);
    await store.setWants(strategy.id, "run", { keepOrders: false, sellBase: false }, BY);
    await context.client.execute("update control set kill = 1");
    expect((await record("em0000000000000004")).size).toBe(0);
    await context.client.execute("update control set kill = 0");
    expect((await record("em0000000000000005")).size).toBe(1);
  });

  it("is rejected while its slot has an unsettled one", async () => {
    const { store, intent } = await started();
    const granted = await store.takeLease(lease("a"));
    if (!granted) throw new Error("no lease");
    await store.record(granted.lease, [{ ...NO_CHANGES, intents: [intent()] }]);
    const second = store.record(granted.lease, [
      { ...NO_CHANGES, intents: [intent({ clientId: "em0000000000000002" })] },
    ]);
    await expect(second).rejects.toSatisfy(
      (error) => error instanceof StoreError && error.failure === "constraint",
    );
  });

  it("is rejected where it would cross a manual order that its pass has not read", async () => {
    const { store, intent } = await started();
    const granted = await store.takeLease(lease("a"));
    if (!granted) throw new Error("no lease");
    const byHand = (clientId: string, price: string) =>
      intent({ clientId, strategy: null, kind: "hand", slot: 0, side: "sell", price: d(price) });
    const alone = { terms: null, limit: d("9.5"), ended: [] };
    expect(await store.recordByHand(byHand("hand1", "9.5"), alone, BY)).toEqual({ result: "recorded" });
    const recorded = async (prices: readonly string[]) => {
      const intents = prices.map((price, slot) =>
        intent({
          clientId: `em00000000000${price.padStart(5, "0").replace(".", "x")}`,
          slot,
          price: d(price),
        }),
      );
      const ids = await store.record(granted.lease, [{ ...NO_CHANGES, intents }]);
      return intents.filter(({ clientId }) => ids.has(clientId)).map(({ price }) => text(price));
    };
    // In order as numbers, not as texts: 10.2 is above 9.5.
    expect(await recorded(["9.49", "9.5", "9.51", "10.2", "0.95", "9"])).toEqual(["9.49", "0.95", "9"]);
  });

  it("of a manual order is rejected where it would cross ours, and the first of them is named", async () => {
    const { store, intent } = await started();
    const granted = await store.takeLease(lease("a"));
    if (!granted) throw new Error("no lease");
    const intents = ["9.5", "10.2", "9"].map((price, slot) =>
      intent({ clientId: `em000000000000000${slot}`, slot, price: d(price) }),
    );
    await store.record(granted.lease, [{ ...NO_CHANGES, intents }]);
    const sell = (limit: string | null, ended: readonly string[] = []) => {
      const hand = { strategy: null, kind: "hand", side: "sell", price: d("9.5") } as const;
      return store.recordByHand(
        intent({ clientId: "hand1", ...hand }),
        {
          terms: null,
          limit: limit === null ? null : d(limit),
          ended,
        },
        BY,
      );
    };
    const named = { result: "meets", order: { clientId: "em0000000000000001" } };
    expect(await sell("9.5")).toMatchObject(named);
    expect(await sell(null)).toMatchObject(named);
    expect(await sell("9.5", ["em0000000000000001"])).toMatchObject({
      order: { clientId: "em0000000000000000" },
    });
    expect(await sell("10.3")).toEqual({ result: "recorded" });
  });

  it("of a manual order is checked against unsettled orders, however many there were before", async () => {
    const { context, intent } = await started();
    const byHand = intent({ strategy: null, kind: "hand" });
    const { insert, others } = insertManualOrder(context, byHand, { terms: null, limit: d("1"), ended: [] });
    const looks: string[] = [];
    for (const { sql, args } of [...insert, others, ...insertIntents(context, [intent()], null)]) {
      const { rows } = await context.client.execute({ sql: `explain query plan ${sql}`, args });
      looks.push(...rows.map(({ detail }) => String(detail)).filter((output) => / orders\b/.test(output)));
    }
    expect(looks).toEqual([
      expect.stringContaining("orders_unsettled (account=? AND symbol=? AND side=?)"),
      expect.stringContaining("orders_unsettled (account=? AND symbol=? AND side=?)"),
      expect.stringContaining("orders_unsettled_by_hand (account=? AND symbol=?)"),
    ]);
  });

  it("is recorded with others whose sum overflows a column, which counts as the maximum", async () => {
    const { store, intent } = await started();
    const granted = await store.takeLease(lease("a"));
    if (!granted) throw new Error("no lease");
    const intents = [0, 1, 2].map((slot) => intent({ clientId: `em000000000000000${slot}`, slot }));
    const counted = Object.fromEntries(intents.map(({ clientId }) => [clientId, d("60000000000")]));
    const unlimited = { scope: "a", actor: null, dayNotional: null, openOrders: null, orderGapMillis: null };
    const terms = { version: 0, asset: "USDT", scopes: [unlimited], counted };
    const ids = await store.record(granted.lease, [{ ...NO_CHANGES, intents, terms }]);
    expect(ids.size).toBe(3);
    const { uses } = await store.readLimits({ scopes: ["a"], account: ACCOUNT, actor: "me" });
    expect(uses).toMatchObject([{ notional: d("92233720368.54775807"), orders: 3 }]);
  });

  it("is read from the store as it was written", async () => {
    const { store, intent, time } = await started();
    const granted = await store.takeLease(lease("a"));
    if (!granted) throw new Error("no lease");
    const order = intent({
      price: d("0.000000000000000001"),
      bookedFees: { BTC: d("1.5") },
      fees: [{ asset: "USDT", amount: d("2") }],
    });
    await store.record(granted.lease, [{ ...NO_CHANGES, intents: [order] }]);
    time.pass(5001);
    expect((await store.takeLease(lease("a")))?.orders).toEqual([order]);
  });
});

describe("a strategy start", () => {
  it("stores and reports nothing once the kill switch is on; an earlier start is answered", async () => {
    const { store, strategy } = await started();
    const { id: _id, number: _number, ...same } = strategy;
    const start = (request: string) => store.createStrategy({ ...same, request, prefix: "grid-late" }, BY);
    const before = await start("before");
    await store.setKill(true, BY);
    expect(await start("after")).toBeUndefined();
    expect(await start("before")).toEqual(before);
    const ids = (await store.strategies({})).map(({ strategy: one }) => one.id);
    expect(ids).toEqual([strategy.id, before?.id]);
  });
});

describe("a strategy's id", () => {
  it("is unique even when a hundred start in one millisecond", async () => {
    const { store, strategy } = await started();
    const { id: _id, number: _number, ...same } = strategy;
    const made = (await Promise.all(
      Array.from({ length: 100 }, () =>
        store.createStrategy({ ...same, prefix: "grid-kraken-BTC-USDT" }, BY),
      ),
    )) as Strategy[];
    expect(new Set([strategy, ...made].map(({ id }) => id)).size).toBe(101);
    expect(
      made.every(({ id, number }) => id === `grid-kraken-BTC-USDT-${number}` && Number.isInteger(number)),
    ).toBe(true);
  });
});
