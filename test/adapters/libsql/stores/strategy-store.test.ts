import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { NEXT_REVISION } from "../../../../src/adapters/libsql/pass-store.ts";
import { createStore } from "../../../../src/adapters/libsql/store.ts";
import { STRATEGY_TAGS } from "../../../../src/kernel/ids.ts";
import type { Order } from "../../../../src/model/order.ts";
import type { Strategy } from "../../../../src/model/strategy.ts";
import { createContext, rowsFrom, statement } from "../../../../src/storage/client/context.ts";
import { accounts, orders, strategies } from "../../../../src/storage/tables/trading-tables.ts";
import { BY } from "../../../support/by.ts";
import { d } from "../../../support/grid.ts";
import { order } from "../../../support/made.ts";
import { opened, START } from "./opened.ts";
import { started } from "./rows.ts";

const MINE = "sandbox:kraken:";
const THEIRS = "sandbox:mexc:";
const STOPS = { keepOrders: true, sellBase: true };

async function open() {
  const { context, time } = await opened();
  const store = createStore(context);
  const { db } = context;
  const put = (query: Parameters<typeof statement>[0]) => context.client.execute(statement(query));
  const make = async (over: object = {}) => (await store.createStrategy(started(over), BY)) as Strategy;
  const place = (clientId: string, over: Partial<Order>) =>
    put(db.insert(orders).values(order({ clientId, account: MINE, ...over })));
  const one = async (id: string) => {
    const [found] = await store.strategies({ id });
    if (!found) throw new Error(`there is no ${id}`);
    return found;
  };
  const ids = async (filter: Parameters<typeof store.strategies>[0]) =>
    (await store.strategies(filter)).map(({ strategy }) => strategy.id);
  const end = (id: string) =>
    put(db.update(strategies).set({ status: "stopped" }).where(eq(strategies.id, id)));
  const readOutput = async () =>
    (await store.eventsAfter(0, 99)).map(({ kind, message }) => `${kind}: ${message}`);
  return { context, store, time, db, put, make, place, one, ids, end, readOutput };
}

describe("a read of strategies", () => {
  it("parses the state of those that have not changed once", async () => {
    const { make, one, put, db } = await open();
    const [first, second] = [await make(), await make()];
    const before = [await one(first.id), await one(second.id)];
    const state = { ...first.state, serial: first.state.serial + 1 };
    await put(db.update(strategies).set({ state }).where(eq(strategies.id, first.id)));
    const after = [await one(first.id), await one(second.id)];
    expect(after[0]?.strategy.state).toEqual(state);
    expect(after[1]?.strategy.state).toBe(before[1]?.strategy.state);
    expect(after[1]?.strategy.config).toBe(before[1]?.strategy.config);
  });

  it.each([
    ["a start", undefined],
    ["an update of a request", { wants: "pause" }],
    ["an update of a pass", { wants: "pause", revision: NEXT_REVISION }],
  ] as const)("never shows what was read before a restore, after %s", async (_change, change) => {
    const { context, time, make, put, db, store } = await open();
    // Few strategies are read anew each time.
    await Promise.all(Array.from({ length: 60 }, () => make()));
    const shown = async (from = store) =>
      (await from.strategies({ stopped: false })).flatMap(({ strategy }) =>
        strategy.startedAt > START ? [strategy] : [],
      );
    const saved = change && (await make({ startedAt: START + 1 }));
    const copy = await put(db.select().from(strategies));
    const write = async (name: string) => {
      if (!saved) await make({ startedAt: START + 1, name });
      else
        await put(
          db
            .update(strategies)
            .set({ ...change, name })
            .where(eq(strategies.id, saved.id)),
        );
    };
    await write("lost");
    expect((await shown()).map(({ name }) => name)).toEqual(["lost"]);
    // Another process restores the rows, and writes once as well.
    await put(db.delete(strategies));
    for (const row of rowsFrom(strategies, copy.rows)) await put(db.insert(strategies).values(row));
    await write("restored");
    const fresh = await shown(createStore(createContext(context.client, time.now)));
    expect(fresh.map(({ name }) => name)).toEqual(["restored"]);
    expect(await shown()).toEqual(fresh);
  });
});

describe("a list of many strategies", () => {
  it("reads no document and no order of those that have not changed", async () => {
    const { context, time, make, place, put, db, store } = await open();
    const made = await Promise.all(Array.from({ length: 60 }, () => make()));
    const ids = made.map(({ id }) => id);
    await place("resting", { strategy: ids[0] as string, state: "open" });
    const list = { stopped: false, counted: false } as const;
    const first = await store.strategies({ stopped: false });
    const columns: number[] = [];
    const batch = context.client.batch;
    Object.assign(context.client, {
      async batch(...call: Parameters<typeof batch>) {
        const results = await batch(...call);
        columns.push(...results.map(({ rows }) => rows.length));
        return results;
      },
    });
    const [, changed] = made as [Strategy, Strategy];
    // Written by any program, under no revision of ours.
    await put(db.update(strategies).set({ wants: "pause" }).where(eq(strategies.id, changed.id)));
    const views = await store.strategies(list);
    // All revisions, the one that changed, and its account.
    expect(columns).toEqual([60, 1, 1]);
    expect(views.map(({ strategy }) => strategy.id)).toEqual(ids);
    expect(views[1]?.strategy.wants).toBe("pause");
    expect(views[2]?.strategy).toBe(first[2]?.strategy);
    expect(views[0]?.openOrders).toBe(Number.NaN);
    await put(db.update(strategies).set({ name: "one" }).where(eq(strategies.id, changed.id)));
    const counted = await store.strategies({ stopped: false });
    expect(counted[0]?.openOrders).toBe(1);
    const fresh = await createStore(createContext(context.client, time.now)).strategies({ stopped: false });
    expect(counted.map(({ now, ...view }) => view)).toEqual(fresh.map(({ now, ...view }) => view));
  });
});

describe("a strategy start", () => {
  it("is stored once for a request, also when that is repeated, and recorded as one event", async () => {
    const { make, ids, readOutput } = await open();
    const first = await make({ request: "r1" });
    expect(await make({ request: "r1" })).toEqual(first);
    const second = await make({ request: "r2" });
    expect(await ids({})).toEqual([first.id, second.id]);
    expect(await ids({ request: "r2" })).toEqual([second.id]);
    expect(await readOutput()).toEqual(["started: BTC/USDT", "started: BTC/USDT"]);
  });

  it("uses the requested millisecond where that is free, and the next one otherwise", async () => {
    const { make } = await open();
    expect((await make()).number).toBe(START);
    expect((await make()).number).toBe(START + 1);
    expect((await make({ startedAt: START + 9 })).number).toBe(START + 9);
    // The ids of its orders would name the first strategy as well.
    expect((await make({ startedAt: START + STRATEGY_TAGS })).number).toBe(START + STRATEGY_TAGS + 2);
    expect((await make({ startedAt: START + 2 * STRATEGY_TAGS, account: THEIRS })).number).toBe(
      START + 2 * STRATEGY_TAGS,
    );
  });

  it("starts in the database's epoch, and is rejected while this machine's kill switch is on", async () => {
    const { store, make, ids } = await open();
    await store.nextEpoch();
    expect((await make()).epoch).toBe(1);
    expect(await store.createStrategy({ ...started(), isKilledHere: () => true }, BY)).toBeUndefined();
    expect(await ids({})).toHaveLength(1);
  });
});

describe("the list of strategies", () => {
  it("contains all, the running ones, those of an account, or a page of the newest", async () => {
    const { make, ids, end } = await open();
    const [a, b, c] = [await make(), await make({ account: THEIRS }), await make()];
    await end(a.id);
    expect(await ids({})).toEqual([a.id, b.id, c.id]);
    expect(await ids({ stopped: false })).toEqual([b.id, c.id]);
    expect(await ids({ account: MINE })).toEqual([a.id, c.id]);
    expect(await ids({ account: MINE, stopped: false })).toEqual([c.id]);
    expect(await ids({ page: { limit: 2 } })).toEqual([c.id, b.id]);
    expect(await ids({ page: { limit: 2, before: b.number } })).toEqual([a.id]);
  });

  it("shows the passes of each one's account, and its number of open orders", async () => {
    const { make, place, one, put, db } = await open();
    const [a, b] = [await make(), await make()];
    await put(
      db
        .update(accounts)
        .set({ steppedAt: 5, error: "no answer", owner: "server/7", costs: [] })
        .where(eq(accounts.account, MINE)),
    );
    for (const [i, state] of (
      ["pending", "submitted", "open", "partially_filled", "unknown"] as const
    ).entries())
      await place(`a${i}`, { strategy: a.id, state, slot: i });
    await place("kept", { strategy: a.id, state: "open", settled: true });
    await place("b", { strategy: b.id });
    expect(await one(a.id)).toMatchObject({
      openOrders: 3,
      steppedAt: 5,
      accountError: "no answer",
      steppedBy: "server",
      costs: [],
      now: START,
    });
    expect((await one(b.id)).openOrders).toBe(1);
  });
});

describe("a user's request for a strategy", () => {
  it("is stored and recorded as an event, for this one alone, and for none that has stopped", async () => {
    const { store, make, one, end, readOutput } = await open();
    const [a, b] = [await make(), await make()];
    await store.setWants(a.id, "stop", STOPS, BY);
    expect((await one(a.id)).strategy).toMatchObject({ wants: "stop", ...STOPS });
    expect((await one(b.id)).strategy).toMatchObject({ wants: "run", keepOrders: false, sellBase: false });
    await end(b.id);
    await store.setWants(b.id, "stop", STOPS, BY);
    expect((await one(b.id)).strategy.wants).toBe("run");
    expect((await readOutput()).slice(2)).toEqual(["wants: stop"]);
  });

  it("is a pause or its end, each counted as it resumes, and ignored once a stop was requested", async () => {
    const { store, make, one, end } = await open();
    const [a, b] = [await make(), await make()];
    const observed = async (id = a.id) => {
      const { wants, resumes } = (await one(id)).strategy;
      return [wants, resumes];
    };
    await store.setPaused(a.id, { keepOrders: true }, BY);
    expect([await observed(), await observed(b.id)]).toEqual([
      ["pause", 0],
      ["run", 0],
    ]);
    await store.setPaused(a.id, null, BY);
    expect(await observed()).toEqual(["run", 1]);
    await store.setWants(a.id, "stop", STOPS, BY);
    await store.setPaused(a.id, { keepOrders: true }, BY);
    await store.setPaused(a.id, null, BY);
    expect(await observed()).toEqual(["stop", 1]);
    await end(b.id);
    await store.setPaused(b.id, { keepOrders: true }, BY);
    expect(await observed(b.id)).toEqual(["run", 0]);
  });

  it("is an edit of the version it read, and of none that stops or has stopped", async () => {
    const { store, make, one, end, readOutput } = await open();
    const [a, b, c] = [await make(), await make(), await make()];
    const edit = (id: string, after: number, text = "wider") =>
      store.setEdit(id, { config: { after } as never, after, description: text }, BY);
    expect(await edit(a.id, 0)).toBe(true);
    expect(await edit(a.id, 0)).toBe(false);
    expect(await edit(a.id, 1, "narrower")).toBe(true);
    expect((await one(a.id)).strategy).toMatchObject({ edits: 2, edit: { after: 1 } });
    expect((await one(b.id)).strategy).toMatchObject({ edits: 0, edit: null });
    await store.setWants(b.id, "stop", STOPS, BY);
    expect(await edit(b.id, 0)).toBe(false);
    await end(c.id);
    expect(await edit(c.id, 0)).toBe(false);
    expect((await readOutput()).filter((one) => one.startsWith("edited"))).toEqual([
      "edited: wider",
      "edited: narrower",
    ]);
  });

  it.each([
    ["a stop", "setWants"],
    ["a pause", "setPaused"],
    ["an edit", "setEdit"],
  ] as const)(
    "starts at once where its account was postponed, and not where it fails: %s",
    async (_, how) => {
      const { store, make, put, db } = await open();
      const [a, b] = [await make(), await make({ account: THEIRS })];
      const ask = (id: string) => {
        if (how === "setWants") return store.setWants(id, "stop", STOPS, BY);
        if (how === "setPaused") return store.setPaused(id, { keepOrders: true }, BY);
        return store.setEdit(id, { config: {} as never, after: 0, description: "" }, BY);
      };
      const putOff = (failures: number) => put(db.update(accounts).set({ retryAt: START + 9, failures }));
      const waits = async () =>
        Object.fromEntries((await store.due()).map(({ account, retryAt }) => [account, retryAt - START]));
      await putOff(1);
      await ask(a.id);
      expect(await waits()).toEqual({ [MINE]: 9, [THEIRS]: 9 });
      await putOff(0);
      await ask(b.id);
      expect(await waits()).toEqual({ [MINE]: 9, [THEIRS]: -START });
      await putOff(0);
      await ask(a.id);
      expect(await waits()).toEqual({ [MINE]: -START, [THEIRS]: 9 });
    },
  );
});

describe("orders that stay open after a stop", () => {
  it("are the strategy's open orders that no pass reads any more, sorted by price", async () => {
    const { store, make, place } = await open();
    const [a, b] = [await make(), await make()];
    const kept = { strategy: a.id, settled: true };
    await place("high", { ...kept, price: d("3") });
    await place("low", { ...kept, price: d("2"), state: "partially_filled" });
    await place("gone", { ...kept, state: "canceled" });
    await place("watched", { ...kept, settled: false });
    await place("theirs", { ...kept, strategy: b.id });
    expect((await store.releasedOrdersOf(a.id)).map(({ clientId }) => clientId)).toEqual(["low", "high"]);
  });
});
