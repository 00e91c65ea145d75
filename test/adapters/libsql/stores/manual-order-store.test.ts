import { describe, expect, it } from "vitest";
import { createStore } from "../../../../src/adapters/libsql/store.ts";
import { EVERY_ACCOUNT } from "../../../../src/model/events.ts";
import type { Order } from "../../../../src/model/order.ts";
import { BY } from "../../../support/by.ts";
import { d } from "../../../support/grid.ts";
import { order } from "../../../support/made.ts";
import { opened, START } from "./opened.ts";

const MINE = "sandbox:kraken:";
const THEIRS = "sandbox:mexc:";
const ALONE = { terms: null, limit: d("100"), ended: [] };

async function open() {
  const { context, time } = await opened();
  const store = createStore(context);
  const byHand = (over: Partial<Order> = {}) =>
    order({
      clientId: "one",
      account: MINE,
      strategy: null,
      kind: "hand",
      state: "pending",
      exchangeId: null,
      timeInForce: "gtc",
      actor: "test",
      ...over,
    });
  const record = (over: Partial<Order> = {}, terms: object = {}) =>
    store.recordByHand(byHand(over), { ...ALONE, ...terms }, BY);
  const readOutput = async () =>
    (await store.eventsAfter(0, 99)).map(({ account, message }) => [account, message]);
  const settle = (clientId: string, state: Order["state"], over: object = {}) =>
    store.settleByHand({ account: MINE, clientId, state, exchangeId: "x7", reason: null, ...over });
  const stateOf = async (clientId: string, account = MINE) => {
    const { state, settled, endedAt, exchangeId } = (await store.orderByClientId(account, clientId)) as Order;
    return { state, settled, endedAt, exchangeId };
  };
  return { store, time, record, readOutput, settle, stateOf };
}

describe("a manual order", () => {
  it("is written once with its event, whatever the other accounts are called", async () => {
    const { store, record, readOutput } = await open();
    expect(await store.now()).toBe(START);
    expect(await record()).toEqual({ result: "recorded" });
    await expect(record()).rejects.toMatchObject({ failure: "constraint" });
    expect(await record({ account: THEIRS })).toEqual({ result: "recorded" });
    const message = "one: limit buy 2 BTC/USDT at 100";
    expect(await readOutput()).toEqual([
      [MINE, message],
      [THEIRS, message],
    ]);
    expect((await store.orderByClientId(THEIRS, "one"))?.account).toBe(THEIRS);
    expect(await store.orderByClientId(THEIRS, "two")).toBeUndefined();
  });

  it("is neither written nor logged if it is rejected, and the order it would cross is named", async () => {
    const { store, record, readOutput } = await open();
    await record();
    const crossing = { clientId: "two", side: "sell" } as const;
    expect(await record(crossing)).toMatchObject({ result: "meets", order: { clientId: "one" } });
    expect(await record({ ...crossing, account: THEIRS })).toEqual({ result: "recorded" });
    await store.setKill(true, BY);
    expect(await record({ clientId: "three" })).toEqual({ result: "refused" });
    expect(await store.orderByClientId(MINE, "two")).toBeUndefined();
    expect((await readOutput()).map(([account]) => account)).toEqual([MINE, THEIRS, EVERY_ACCOUNT]);
  });

  it("has an event with the time of its request, where that is known", async () => {
    const { store, record, time } = await open();
    const moments = async () => (await store.eventsAfter(0, 99)).map(({ at }) => at - START);
    for (const clientId of ["one", "two"]) await record({ clientId }, { at: START + 7 });
    time.pass(50);
    await record({ clientId: "three" });
    expect(await moments()).toEqual([7, 7, 50]);
  });

  it("is written beside concurrent ones, whatever is known of their time", async () => {
    const { record, readOutput } = await open();
    await record();
    for (const terms of [{}, { at: START }]) {
      const names = ["two", "three", "four"].map((name) => `${name} ${Object.keys(terms).length}`);
      const results = await Promise.all(names.map((clientId) => record({ clientId }, terms)));
      expect(results).toEqual(names.map(() => ({ result: "recorded" })));
    }
    expect((await readOutput()).length).toBe(7);
  });

  it("stores the reason of its response", async () => {
    const { store, record, settle } = await open();
    await record();
    await settle("one", "rejected", { reason: "insufficient funds" });
    expect((await store.orderByClientId(MINE, "one"))?.reason).toBe("insufficient funds");
  });

  it("is final where its response says so, and open otherwise", async () => {
    const { record, settle, stateOf, time } = await open();
    const final = ["filled", "canceled", "expired", "rejected"] as const;
    for (const state of [...final, "submitted"]) await record({ clientId: state });
    time.pass(5);
    for (const state of [...final, "submitted"] as const) await settle(state, state);
    for (const state of final)
      expect(await stateOf(state)).toEqual({ state, settled: true, endedAt: START + 5, exchangeId: "x7" });
    expect(await stateOf("submitted")).toEqual({
      state: "submitted",
      settled: false,
      endedAt: null,
      exchangeId: "x7",
    });
  });

  it("preserves a state read by a pass: a response counts only while no state is known", async () => {
    const { record, settle, stateOf } = await open();
    await record();
    await record({ clientId: "two" });
    await record({ account: THEIRS });
    await settle("one", "unknown", { exchangeId: null });
    await settle("one", "open");
    await settle("one", "rejected", { exchangeId: "x8" });
    expect(await stateOf("one")).toMatchObject({ state: "open", exchangeId: "x7" });
    expect(await stateOf("two")).toMatchObject({ state: "pending", exchangeId: null });
    expect(await stateOf("one", THEIRS)).toMatchObject({ state: "pending" });
  });

  it("is unclear until its outcome is reported, on its account", async () => {
    const { store, record, settle } = await open();
    const unclear = () => Promise.all([MINE, THEIRS].map((account) => store.hasUnclear(account)));
    await record({ account: THEIRS });
    expect(await unclear()).toEqual([false, true]);
    await record();
    expect(await unclear()).toEqual([true, true]);
    await settle("one", "unknown");
    expect(await unclear()).toEqual([true, true]);
    await settle("one", "open");
    expect(await unclear()).toEqual([false, true]);
  });
});
