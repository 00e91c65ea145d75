import { describe, expect, it } from "vitest";
import { createStore } from "../../../../src/adapters/libsql/store.ts";
import { NO_MEMORY } from "../../../../src/model/memory.ts";
import type { Strategy } from "../../../../src/model/strategy.ts";
import { statement } from "../../../../src/storage/client/context.ts";
import { accounts } from "../../../../src/storage/tables/trading-tables.ts";
import { BY } from "../../../support/by.ts";
import { opened, START } from "./opened.ts";
import { started } from "./rows.ts";

async function open() {
  const { context, time } = await opened();
  const [store, other] = [createStore(context), createStore(context)];
  const make = async (over: object = {}) => (await store.createStrategy(started(over), BY)) as Strategy;
  const row = async () => {
    const { rows } = await context.client.execute("select kill, cancels, sells, turned_at from control");
    return [0, 1, 2, 3].map((place) => Number(rows[0]?.[place]) - (place === 3 ? START : 0));
  };
  const readOutput = async () =>
    (await store.eventsAfter(0, 99)).flatMap(({ kind, message }) => (kind === "kill" ? [message] : []));
  return { context, time, store, other, make, row, readOutput };
}

describe("the kill switch", () => {
  it("turns once, and reports since when; options requested with it add up until it is off", async () => {
    const { store, time, row, readOutput } = await open();
    await store.setKill(true, BY);
    time.pass(1);
    await store.setKill(true, BY);
    expect(await row()).toEqual([1, 0, 0, 0]);
    expect(await store.panic({ cancels: true }, BY)).toBe(START + 1);
    time.pass(1);
    expect(await store.panic({ cancels: true }, BY)).toBe(START + 1);
    expect(await store.panic({ sells: true }, BY)).toBe(START + 2);
    time.pass(1);
    await store.setKill(true, BY);
    expect(await row()).toEqual([1, 1, 1, 2]);
    await store.setKill(false, BY);
    time.pass(1);
    await store.setKill(false, BY);
    expect(await row()).toEqual([0, 0, 0, 3]);
    expect(await readOutput()).toEqual([
      "on, by test",
      "on, canceling every order, by test",
      "on, selling their base, by test",
      "off, by test",
    ]);
  });

  it("blocks every process, and allows only exits where they still sell", async () => {
    const { store, other } = await open();
    const observed = async () => [await other.killed(), await other.killed("sandbox:kraken:", "exit")];
    expect([other.knownKilled(), await observed()]).toEqual([false, [false, false]]);
    await store.setKill(true, BY);
    expect([store.knownKilled(), store.knownKilled("exit"), other.knownKilled()]).toEqual([
      true,
      true,
      false,
    ]);
    expect([await observed(), other.knownKilled()]).toEqual([[true, true], true]);
    await store.panic({ sells: true }, BY);
    expect([await observed(), store.knownKilled("exit"), store.knownKilled("hand")]).toEqual([
      [true, false],
      false,
      true,
    ]);
    await store.setKill(false, BY);
    expect([store.knownKilled(), await observed(), other.knownKilled()]).toEqual([
      false,
      [false, false],
      false,
    ]);
  });

  it("stops nothing by itself; a panic stops all that runs, and sells where it sells", async () => {
    const { store, make } = await open();
    const [a, b] = [await make(), await make()];
    const ended = await make({ status: "stopped", wants: "stop", keepOrders: true });
    const countRequests = async () =>
      (await store.strategies({})).map(({ strategy }) => [
        strategy.id,
        strategy.wants,
        strategy.keepOrders,
        strategy.sellBase,
      ]);
    await store.panic({ cancels: true, sells: true }, BY);
    expect((await countRequests())[0]).toEqual([a.id, "run", false, false]);
    await store.setWants(b.id, "stop", { keepOrders: true, sellBase: true }, BY);
    await store.panic({ stops: true }, BY);
    const kept = [ended.id, "stop", true, false];
    expect(await countRequests()).toEqual([[a.id, "stop", false, false], [b.id, "stop", false, true], kept]);
    await store.panic({ stops: true, sells: true }, BY);
    expect(await countRequests()).toEqual([[a.id, "stop", false, true], [b.id, "stop", false, true], kept]);
  });

  it("starts postponed passes at once when it stops everything, and not failing ones", async () => {
    const { context, store, make } = await open();
    await make();
    for (const [account, failures] of [
      ["late", 0],
      ["failing", 2],
    ] as const) {
      const row = { account, memory: NO_MEMORY, retryAt: START + 9, failures };
      await context.client.execute(statement(context.db.insert(accounts).values(row)));
    }
    const waits = async () => {
      const { rows } = await context.client.execute("select retry_at from accounts order by account desc");
      return rows.map((one) => Number(one[0]));
    };
    await store.setKill(true, BY);
    expect(await waits()).toEqual([0, START + 9, START + 9].toSorted((a, b) => a - b));
    await store.panic({ stops: true }, BY);
    expect((await waits()).filter((at) => at > 0)).toEqual([START + 9]);
  });

  it("blocks this process from the moment of the request, and affects nothing else", async () => {
    const { store } = await open();
    const [turning, ...observed] = [
      store.panic({ sells: true }, BY),
      store.killed(),
      store.killed("sandbox:kraken:", "exit"),
    ];
    expect([await observed[0], await observed[1]]).toEqual([true, false]);
    await turning;
  });

  it("goes before all pending writes, which stay in order", async () => {
    const { store } = await open();
    const note = (message: string) =>
      store.note({ account: "", strategy: null, kind: "limits", message }, BY);
    await Promise.all([note("first"), note("second"), note("third"), store.setKill(true, BY)]);
    const messages = (await store.eventsAfter(0, 9)).map(({ message }) => message);
    expect(messages.indexOf("on, by test")).toBeLessThan(2);
    expect(messages.filter((message) => message !== "on, by test")).toEqual(["first", "second", "third"]);
  });

  it("reports a database without migrations", async () => {
    const { context, store, make } = await open();
    await make();
    await context.client.execute("delete from control");
    await expect(store.killed()).rejects.toThrow("not migrated");
    await expect(store.readLimits({ scopes: [], account: "a", actor: "b" })).rejects.toThrow("not migrated");
    const lease = { account: "sandbox:kraken:", owner: "b", ttl: 1, overlap: 0 };
    await expect(store.takeLease(lease)).rejects.toThrow("not migrated");
  });
});
