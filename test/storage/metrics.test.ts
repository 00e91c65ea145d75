import { expect, it } from "vitest";
import { createStore } from "../../src/adapters/libsql/store.ts";
import { NO_MEMORY } from "../../src/model/memory.ts";
import type { Order } from "../../src/model/order.ts";
import { createNotifyStore } from "../../src/notify/store.ts";
import { statement } from "../../src/storage/client/context.ts";
import { importKek } from "../../src/storage/client/envelope.ts";
import { createMetricsStore } from "../../src/storage/metrics.ts";
import { accounts, fills, orders } from "../../src/storage/tables/trading-tables.ts";
import { messages, rates } from "../../src/storage/tables/venue-tables.ts";
import { opened, START } from "../adapters/libsql/stores/opened.ts";
import { BY } from "../support/by.ts";
import { fill, order } from "../support/made.ts";

const MINE = "sandbox:kraken:";
const THEIRS = "sandbox:mexc:";

async function open() {
  const { context } = await opened();
  const { db, client } = context;
  const put = (query: Parameters<typeof statement>[0]) => client.execute(statement(query));
  const account = (over: object) =>
    put(db.insert(accounts).values({ account: MINE, memory: NO_MEMORY, ...over }));
  const place = (clientId: string, over: Partial<Order>) =>
    put(db.insert(orders).values(order({ clientId, account: MINE, strategy: null, kind: "hand", ...over })));
  return { context, db, put, account, place, readings: () => createMetricsStore(context).readings() };
}

it("reports each account's passes, and the processes that hold or await its lease now", async () => {
  const { account, put, db, readings } = await open();
  const times = { steppedAt: 7, passMillis: 8, failures: 2, retryAt: 9 };
  await account({ ...times, until: START + 1, waitedUntil: START });
  await account({ account: THEIRS, until: START, waitedUntil: START + 1 });
  await put(db.insert(rates).values({ account: MINE, fullAt: 77 }));
  const { now, accounts: accountReadings } = await readings();
  expect(now).toBe(START);
  expect(accountReadings.toSorted((a, b) => (a.account < b.account ? -1 : 1))).toEqual([
    { account: MINE, ...times, isLeased: true, isAwaited: false, rateFullAt: 77 },
    {
      account: THEIRS,
      steppedAt: null,
      passMillis: null,
      failures: 0,
      retryAt: 0,
      isLeased: false,
      isAwaited: true,
      rateFullAt: null,
    },
  ]);
});

it("counts unsettled orders by account and state, orders that lack trades, and orphans", async () => {
  const { account, place, readings } = await open();
  await account({});
  await account({ account: THEIRS });
  await place("a", { behindSince: 5, notAfter: START - 1 });
  await place("b", {});
  await place("c", { settled: true, state: "filled" });
  await place("d", { account: THEIRS });
  await place("e", { state: "unknown", notAfter: START - 1 });
  await place("f", { state: "unknown", notAfter: START });
  await place("g", { state: "pending", notAfter: START - 1 });
  const texts = (await readings()).orders.map((one) => Object.values(one).join(" ")).sort();
  expect(texts).toEqual([
    `${MINE} open 2 1 0`,
    `${MINE} pending 1 0 1`,
    `${MINE} unknown 2 0 1`,
    `${THEIRS} open 1 0 0`,
  ]);
});

it("counts all fills and events, and each channel's pending and failed messages", async () => {
  const { context, account, place, put, db, readings } = await open();
  await account({});
  await place("a", {});
  await put(db.insert(fills).values(fill({ account: MINE, clientId: "a", strategy: null })));
  const channels = createNotifyStore(context, [await importKek(new Uint8Array(32).fill(1))]);
  const channel = { kind: "webhook", level: "info", quiet: null, isDaily: false } as const;
  for (const name of ["a", "b"]) await channels.addChannel({ ...channel, name }, {}, BY);
  const message = (id: string) => ({
    id,
    kind: "test" as const,
    level: "info" as const,
    title: "",
    lines: [],
    at: 0,
  });
  for (const [id, name, state] of [
    ["m1", "a", "pending"],
    ["m2", "a", "pending"],
    ["m3", "a", "dead"],
    ["m4", "b", "dead"],
    ["m5", "b", "sent"],
  ] as const)
    await put(db.insert(messages).values({ id, channel: name, state, message: message(id) }));
  const claim = await channels.claim({ name: "b", owner: "one", ttl: 5, page: 1 });
  if (!claim) throw new Error("it is taken");
  await channels.settle(claim, "m9", { result: "later", error: "no answer", retryAt: START });
  const reply = await readings();
  expect([reply.fills, reply.events]).toEqual([1, 2]);
  expect(reply.channels).toEqual([
    { name: "a", failures: 0, pending: 2, dead: 1 },
    { name: "b", failures: 1, pending: 0, dead: 1 },
  ]);
  await createStore(context).setKill(true, BY);
  expect((await readings()).events).toBe(3);
});
