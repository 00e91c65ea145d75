import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runRound } from "../../src/engine/pass/round.ts";
import type { ActorAndRequest } from "../../src/model/events.ts";
import { brokenLinks } from "../support/chained.ts";
import { d } from "../support/grid.ts";
import { inWaves } from "../support/in-waves.ts";
import { runOperation, testSandbox } from "../support/sandbox.ts";
import { type Sqld, startSqld } from "../support/sqld.ts";
import { tempFolder } from "../support/temp.ts";

const BY: ActorAndRequest = { actor: "tok_a", request: "r1" };
const GRID = {
  exchange: "kraken",
  symbol: "BTC/USDT",
  // The market begins within a slot, so that seconds do not decide whether an order is met.
  lowerPrice: d("57500"),
  upperPrice: d("63500"),
  gridLevels: 4,
  orderSize: d("100"),
};
const ORDER = { exchange: "kraken", symbol: "BTC/USDT", side: "buy", type: "limit", amount: d("0.001") };

let sqld: Sqld;
beforeAll(async () => {
  sqld = await startSqld();
});
afterAll(() => sqld.stop());

type Box = Awaited<ReturnType<typeof testSandbox>>;
const rowsOf = async ({ context }: Box, sql: string) =>
  (await context.client.execute(sql)).rows.map((row) => ({ ...row }));

describe("the chain of events", () => {
  it.each([
    ["a file", () => `file:${join(tempFolder(), "chain.db")}`],
    ["a database server", () => sqld.url],
  ])("stays valid while two processes write at once on %s", async (_name, urlOf) => {
    const url = urlOf();
    const boxes = [await testSandbox({ url, realTime: true }), await testSandbox({ url, realTime: true })];
    const [box, other] = boxes as [Box, Box];
    const { id } = await runOperation<{ id: string }>(box.deps, "start_grid", GRID);
    const token = (i: number) => ({ id: `tok_${i}`, name: "", scope: "read" as const, expiresAt: null });
    await inWaves(
      Array.from({ length: 30 }, (_one, i) => async () => {
        const { store, deps } = boxes[i % 2] as Box;
        await store.addToken({ ...token(i), hash: `${i}` }, BY);
        if (i % 3 === 0) await store.setKill(false, BY);
        if (i % 3 === 1) await store.revokeToken(`tok_${i}`, BY);
        if (i % 3 === 2) await store.setPaused(id, i % 2 === 0 ? { keepOrders: true } : null, BY);
        if (i % 10 === 0) await runOperation(deps, "create_order", { ...ORDER, price: d("50000") });
        if (i % 5 === 0) await runRound(deps);
      }),
      10,
    );
    const counted = await rowsOf(
      box,
      "select kind, count(*) as count from events group by kind order by kind",
    );
    expect(counted).toMatchObject([
      { kind: "order", count: 3 },
      { kind: "started", count: 1 },
      { kind: "token", count: 40 },
      { kind: "wants", count: 10 },
    ]);
    expect(await brokenLinks(box.context)).toEqual([]);
    expect(await rowsOf(other, "select count(*) as count from events where hash is null")).toEqual([
      { count: 0 },
    ]);
  });

  it("is separate for each account's passes, and records each action with its user", async () => {
    const box = await testSandbox();
    const { id } = await runOperation<{ id: string }>(box.deps, "start_grid", GRID);
    const { time, deps, store } = box;
    const [order] = await box.venue("kraken").openOrders();
    await runOperation(deps, "cancel_order", { ...ORDER, id: order?.id });
    await store.setWants(id, "stop", { keepOrders: false, sellBase: false }, BY);
    for (let pass = 0; pass < 3; pass++) {
      time.pass(1000);
      await runRound(deps);
    }
    expect(await rowsOf(box, "select chain, seq, kind, actor, request from events order by id")).toEqual([
      { chain: "", seq: 1, kind: "started", actor: "test", request: null },
      { chain: "", seq: 2, kind: "cancel", actor: "test", request: null },
      { chain: "", seq: 3, kind: "cancel", actor: "test", request: null },
      { chain: "", seq: 4, kind: "wants", actor: "tok_a", request: "r1" },
      { chain: "sandbox:kraken:", seq: 1, kind: "status", actor: "step", request: null },
    ]);
    expect(await brokenLinks(box.context)).toEqual([]);
  });

  it("is read only at its end, however long it is", async () => {
    const { context } = await testSandbox();
    const requests: string[] = [];
    const { client } = context;
    const spied = {
      ...client,
      turn: (act: Parameters<typeof client.turn>[0]) =>
        client.turn((calls) =>
          act({
            ...calls,
            execute: (statement, use) => {
              if (typeof statement !== "string") requests.push(statement.sql);
              return calls.execute(statement, use);
            },
          }),
        ),
    };
    const { createStore } = await import("../../src/adapters/libsql/store.ts");
    const token = { id: "tok_a", name: "", scope: "read" as const, expiresAt: null, hash: "a" };
    await createStore({ ...context, client: spied }).addToken(token, BY);
    expect(requests).toHaveLength(1);
    const plan = await client.execute({ sql: `explain query plan ${requests[0]}`, args: [""] });
    const steps = plan.rows.map(({ detail }) => String(detail)).filter((one) => one.includes("events"));
    expect(steps).toEqual(["SEARCH events USING INDEX events_chain (chain=?)"]);
  });
});

describe("a pass in which nothing happens", () => {
  it("writes no event", async () => {
    const box = await testSandbox();
    await runOperation(box.deps, "start_grid", GRID);
    const before = await rowsOf(box, "select count(*) as count from events");
    const changes = async () => {
      box.time.pass(1000);
      const one = Number((await box.context.client.execute("select total_changes()")).rows[0]?.[0]);
      await runRound(box.deps);
      return Number((await box.context.client.execute("select total_changes()")).rows[0]?.[0]) - one;
    };
    await changes();
    // The lease and its release.
    expect(await changes()).toBe(2);
    expect(await rowsOf(box, "select count(*) as count from events")).toEqual(before);
  });
});
