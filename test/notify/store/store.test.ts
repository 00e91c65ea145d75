import { sql } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { auditStore } from "../../../src/adapters/libsql/audit-store.ts";
import { DAY } from "../../../src/kernel/time.ts";
import { type Message, NO_DIGEST } from "../../../src/model/channel.ts";
import { EVERY_ACCOUNT } from "../../../src/model/events.ts";
import { createNotifyStore } from "../../../src/notify/store.ts";
import { statement } from "../../../src/storage/client/context.ts";
import { importKek } from "../../../src/storage/client/envelope.ts";
import { fills, orders } from "../../../src/storage/tables/trading-tables.ts";
import { channels } from "../../../src/storage/tables/venue-tables.ts";
import { opened, START } from "../../adapters/libsql/stores/opened.ts";
import { BY } from "../../support/by.ts";
import { d } from "../../support/grid.ts";
import { fill, order } from "../../support/made.ts";

const TTL = 10_000;
const kek = await importKek(new Uint8Array(32).fill(1));
const channel = (name: string, over: object = {}) => ({
  name,
  kind: "webhook" as const,
  level: "info" as const,
  quiet: null,
  isDaily: false,
  ...over,
});
const message = (id: string): Message => ({
  id,
  kind: "test",
  level: "info",
  title: `the ${id}`,
  lines: [],
  at: START,
});

/** Two channels, `a` and `b`. */
async function open() {
  const { context, time } = await opened();
  const store = createNotifyStore(context, [kek]);
  for (const name of ["a", "b"]) await store.addChannel(channel(name), { url: `https://${name}` }, BY);
  const claim = async (name: string, owner = "one", page = 9) => store.claim({ name, owner, ttl: TTL, page });
  const claimed = async (name: string, owner = "one") => {
    const found = await claim(name, owner);
    if (!found) throw new Error(`${name} is taken`);
    return found;
  };
  const tell = (text: string) =>
    auditStore(context).note({ account: EVERY_ACCOUNT, strategy: null, kind: "kill", message: text }, BY);
  const of = async (name: string) => (await store.channels()).find((one) => one.channel.name === name);
  return { context, store, time, claim, claimed, tell, of };
}

const LATER = { result: "later", error: "no answer", retryAt: START + 500 } as const;
const DEAD = { result: "dead", error: "gone", retryAt: START + 900 } as const;
const kept = (over: object = {}) => ({
  cursor: { event: 0, fill: 0 },
  digest: NO_DIGEST,
  isDone: false,
  ...over,
});

describe("a notification channel", () => {
  it("is added once under its name, starts after earlier events, and is removed with its messages", async () => {
    const { store, of, claimed } = await open();
    expect(await store.addChannel(channel("a", { kind: "ntfy" }), {}, BY)).toBe(false);
    expect(await of("a")).toMatchObject({
      createdAt: START,
      channel: {
        kind: "webhook",
        cursor: { event: 1, fill: 0 },
        digest: NO_DIGEST,
        reportedDay: START / DAY,
      },
    });
    expect((await claimed("a")).events).toHaveLength(1);
    expect((await store.channels()).map((one) => one.channel.name)).toEqual(["a", "b"]);
    await store.enqueue("a", message("m1"));
    await store.enqueue("b", message("m2"));
    expect(await store.removeChannel("a", BY)).toBe(true);
    expect(await store.removeChannel("a", BY)).toBe(false);
    await store.addChannel(channel("a"), {}, BY);
    expect([(await of("a"))?.pending, (await of("b"))?.pending]).toEqual([0, 1]);
    expect((await store.channels()).map((one) => one.channel.name)).toEqual(["a", "b"]);
    const texts = (await claimed("b")).events.map((one) => one.message);
    expect(texts).toEqual(["removed a", "added a, a webhook"]);
  });

  it("requires a key to be added, and is left alone without any", async () => {
    const { context } = await open();
    const blind = createNotifyStore(context, []);
    await expect(blind.addChannel(channel("c"), {}, BY)).rejects.toThrow("EDGEMAKER_KEK is not set");
    expect(await blind.outlook()).toEqual({ now: 0, newest: { event: 0, fill: 0 }, channels: [] });
  });

  it("is claimed by one process at a time, until the claim expires", async () => {
    const { claim, claimed, time, store } = await open();
    expect(await claimed("a")).toMatchObject({ owner: "one", now: START, secrets: { url: "https://a" } });
    expect(await claim("a", "two")).toBeUndefined();
    expect(await claim("a", "one")).toBeDefined();
    expect(await claim("b", "two")).toBeDefined();
    expect(await claim("zzz")).toBeUndefined();
    time.pass(TTL - 1);
    expect(await claim("a", "two")).toBeUndefined();
    time.pass(1);
    expect(await claim("a", "two")).toBeDefined();
    expect((await store.outlook()).channels[0]?.claimedUntil).toBe(START + 2 * TTL);
  });
});

describe("the events for a channel", () => {
  it("are those since its position, oldest first, in pages", async () => {
    const { claim, claimed, store, tell } = await open();
    await store.keep(await claimed("b"), kept({ cursor: { event: 2, fill: 0 }, isDone: true }));
    for (const text of ["first", "second", "third"]) await tell(text);
    const page = (await claim("b", "one", 2))?.events.map((one) => one.message);
    expect(page).toEqual(["first", "second"]);
    expect((await store.outlook()).newest).toEqual({ event: 5, fill: 0 });
  });

  it("start at a position, or now", async () => {
    const { store, tell } = await open();
    const now = await store.newsAfter(undefined, 9);
    expect(now).toEqual({ events: [], fills: [], cursor: { event: 2, fill: 0 } });
    await tell("first");
    await tell("second");
    const one = await store.newsAfter(now.cursor, 1);
    expect([one.events.map((event) => event.message), one.cursor]).toEqual([
      ["first"],
      { event: 3, fill: 0 },
    ]);
    const two = await store.newsAfter(one.cursor, 9);
    expect(two.events.map((event) => event.message)).toEqual(["second"]);
    expect((await store.newsAfter(two.cursor, 9)).cursor).toEqual({ event: 4, fill: 0 });
  });
});

describe("a write for a channel", () => {
  it("counts only while the claim lasts, and for this channel alone", async () => {
    const { store, claimed, time, of } = await open();
    const claim = await claimed("a");
    await claimed("b");
    const digest = { ...NO_DIGEST, more: 3 };
    const all = kept({ cursor: { event: 7, fill: 2 }, digest, reportedDay: 5, message: message("m1") });
    expect(await store.keep({ ...claim, owner: "two" }, all)).toBe(false);
    expect(await store.keep(claim, all)).toBe(true);
    expect(await of("a")).toMatchObject({
      pending: 1,
      channel: { cursor: { event: 7, fill: 2 }, digest, reportedDay: 5 },
    });
    expect(await of("b")).toMatchObject({ pending: 0, channel: { cursor: { event: 2 }, digest: NO_DIGEST } });
    expect(await store.keep(claim, kept())).toBe(true);
    expect((await of("a"))?.channel.reportedDay).toBe(5);
    time.pass(TTL - 1);
    expect(await store.keep(claim, kept())).toBe(true);
    time.pass(1);
    expect(await store.keep(claim, kept({ message: message("m2") }))).toBe(false);
    expect((await of("a"))?.pending).toBe(1);
  });

  it("releases the channel where there is nothing to send", async () => {
    const { store, claim, claimed } = await open();
    const [a] = [await claimed("a"), await claimed("b")];
    await store.keep(a, kept());
    expect(await claim("a", "two")).toBeUndefined();
    await store.keep(a, kept({ isDone: true }));
    expect(await claim("a", "two")).toBeDefined();
    expect(await claim("b", "two")).toBeUndefined();
  });
});

describe("a message", () => {
  /** Two of `a` and one of `b` wait. */
  async function waiting() {
    const all = await open();
    for (const [name, id] of [
      ["a", "m1"],
      ["a", "m2"],
      ["b", "m3"],
    ] as const)
      expect(await all.store.enqueue(name, message(id))).toBe(true);
    return all;
  }

  it("waits in order, and belongs to no one without a channel", async () => {
    const { store, claimed, of } = await waiting();
    expect(await store.enqueue("zzz", message("m9"))).toBe(false);
    expect((await claimed("a")).pending).toEqual({ message: message("m1"), tries: 0 });
    const { at: _at, ...undated } = message("m4");
    await store.enqueue("a", undated);
    for (const id of ["m1", "m2"]) await store.settle(await claimed("a"), id, { result: "sent" });
    expect((await claimed("a")).pending?.message).toEqual({ ...message("m4"), at: START });
    expect([(await of("a"))?.pending, (await of("b"))?.pending]).toEqual([1, 1]);
    const outlook = (await store.outlook()).channels;
    expect(outlook.map(({ name, isPending }) => [name, isPending])).toEqual([
      ["a", true],
      ["b", true],
    ]);
  });

  it("makes way for the next once it is sent, and its channel is released", async () => {
    const { store, claimed, claim, of, time } = await waiting();
    const accepted = await claimed("a");
    await claimed("b");
    time.pass(5);
    await store.settle(accepted, "m1", { result: "sent" });
    expect((await of("a"))?.channel).toMatchObject({
      sentAt: START + 5,
      failures: 0,
      retryAt: 0,
      error: null,
    });
    expect((await of("b"))?.channel.sentAt).toBe(0);
    expect((await claim("a", "two"))?.pending?.message.id).toBe("m2");
    expect(await claim("b", "two")).toBeUndefined();
  });

  it("is retried later if it was not sent, and the channel shows the reason", async () => {
    const { store, claimed, of } = await waiting();
    await store.settle(await claimed("a"), "m1", LATER);
    expect((await of("a"))?.channel).toMatchObject({ failures: 1, retryAt: START + 500, error: "no answer" });
    expect((await of("b"))?.channel).toMatchObject({ failures: 0, retryAt: 0, error: null });
    const again = await claimed("a");
    expect(again.pending).toEqual({ message: message("m1"), tries: 1 });
    await store.settle(again, "m1", LATER);
    expect((await of("a"))?.channel.failures).toBe(2);
    await store.settle(await claimed("a"), "m1", { result: "sent" });
    expect((await of("a"))?.channel).toMatchObject({ failures: 0, error: null });
  });

  it("is retried on request after it was given up", async () => {
    const { store, claimed, of } = await waiting();
    await store.settle(await claimed("a"), "m1", DEAD);
    await store.settle(await claimed("b"), "m3", DEAD);
    expect(await of("a")).toMatchObject({ pending: 1, dead: 1 });
    expect((await claimed("a")).pending?.message.id).toBe("m2");
    expect(await store.replay("a")).toBe(1);
    expect(await store.replay("a")).toBe(0);
    expect(await of("a")).toMatchObject({ pending: 2, dead: 0, channel: { failures: 0, retryAt: 0 } });
    expect(await of("b")).toMatchObject({
      pending: 0,
      dead: 1,
      channel: { failures: 1, retryAt: DEAD.retryAt },
    });
    expect((await claimed("a")).pending).toEqual({ message: message("m1"), tries: 0 });
  });

  it("is settled once: later results change nothing", async () => {
    const { store, claimed, of } = await waiting();
    await store.settle(await claimed("a"), "m1", DEAD);
    await store.settle(await claimed("a"), "m1", { result: "sent" });
    expect(await of("a")).toMatchObject({ pending: 1, dead: 1 });
  });

  it("of another process's claim does not affect the channel", async () => {
    const { store, claimed, of } = await waiting();
    const accepted = await claimed("a");
    await store.settle({ ...accepted, owner: "two" }, "m2", LATER);
    expect((await of("a"))?.channel.failures).toBe(0);
  });

  it("with priority waits for no retry of its channel", async () => {
    const { store, claimed, of } = await waiting();
    await store.settle(await claimed("a"), "m1", LATER);
    await store.settle(await claimed("b"), "m3", LATER);
    await store.enqueue("a", message("m4"));
    expect([(await of("a"))?.channel.retryAt, (await of("b"))?.channel.retryAt]).toEqual([0, LATER.retryAt]);
  });

  it("is deleted thirty days after it was sent", async () => {
    const { store, claimed, time, context } = await waiting();
    const count = async () =>
      Number((await context.client.execute(statement(sql`select count(*) from messages`))).rows[0]?.[0]);
    await store.settle(await claimed("b"), "m3", DEAD);
    await store.settle(await claimed("a"), "m1", { result: "sent" });
    time.pass(30 * DAY);
    await store.enqueue("a", message("m5"));
    await store.settle(await claimed("a"), "m2", { result: "sent" });
    expect(await count()).toBe(4);
    time.pass(1);
    await store.settle(await claimed("a"), "m5", { result: "sent" });
    expect(await count()).toBe(3);
  });
});

describe("the trades of a channel", () => {
  it("are listed as booked: their strategies, and the trades they replace", async () => {
    const { context, store, claimed } = await open();
    const { client, db } = context;
    const from = (await claimed("a")).channel.cursor;
    await client.execute("insert into accounts (account, memory) values ('x', '{}')");
    const put = async (tradeId: string, over: object) => {
      const by = { account: "x", clientId: tradeId, strategy: null, kind: "hand" } as const;
      await client.execute(statement(db.insert(orders).values(order(by))));
      await client.execute(statement(db.insert(fills).values(fill({ ...by, tradeId, ...over }))));
    };
    await put("t1", {});
    await client.execute("pragma foreign_keys = off");
    await put("t2", { strategy: "g", superseded: true });
    const output = {
      account: "x",
      symbol: "BTC/USDT",
      side: "buy",
      amount: d("1"),
      notional: d("100"),
      at: 2000,
    };
    const all = [
      { ...output, number: 1, strategy: null, name: null, isSuperseded: false },
      { ...output, number: 2, strategy: "g", name: null, isSuperseded: true },
    ];
    expect((await claimed("a")).fills).toEqual(all);
    const news = await store.newsAfter(from, 1);
    expect([news.fills, news.cursor.fill]).toEqual([all.slice(0, 1), 1]);
  });
});

describe("a channel's key", () => {
  it("is encrypted with the operator's first key, once, unless it was replaced in the meantime", async () => {
    const { context, store } = await open();
    const newer = await importKek(new Uint8Array(32).fill(2));
    const both = createNotifyStore(context, [newer, kek]);
    const { execute } = context.client;
    // Somebody else is faster with the first of the two.
    let isFirst = true;
    Object.assign(context.client, {
      execute: async (request: Parameters<typeof execute>[0]) => {
        const text = typeof request === "string" ? request : request.sql;
        if (isFirst && text.startsWith("update")) {
          isFirst = false;
          await execute("update channels set wrapped = 'another' where name = 'a'");
        }
        return execute(request);
      },
    });
    expect(await both.rotate()).toBe(1);
    const rows = await context.db.select().from(channels);
    expect(rows.map(({ name, kek: by, wrapped }) => [name, by === newer.id, wrapped === "another"])).toEqual([
      ["a", false, true],
      ["b", true, false],
    ]);
    const claim = await createNotifyStore(context, [newer]).claim({
      name: "b",
      owner: "one",
      ttl: TTL,
      page: 9,
    });
    expect(claim?.secrets).toEqual({ url: "https://b" });
    await store.removeChannel("a", BY);
    expect(await both.rotate()).toBe(0);
  });
});

it("decrypts nothing without the key", async () => {
  const { context } = await open();
  const other = await importKek(new Uint8Array(32).fill(2));
  await expect(
    createNotifyStore(context, [other]).claim({ name: "a", owner: "one", ttl: TTL, page: 9 }),
  ).rejects.toThrow();
  const [row] = await context.db.select().from(channels).limit(1);
  expect(JSON.stringify(row)).not.toContain("https://a");
});

describe("a channel whose secrets cannot be decrypted", () => {
  it("shows the reason, until another process delivers its messages", async () => {
    const { context, store, time, of, claimed } = await open();
    const other = createNotifyStore(context, [await importKek(new Uint8Array(32).fill(2))]);
    const claim = other.claim({ name: "a", owner: "two", ttl: TTL, page: 9 });
    await expect(claim).rejects.toThrow("a different EDGEMAKER_KEK");
    expect((await of("a"))?.channel.error).toMatch(
      /^its secrets cannot be decrypted: .*a different EDGEMAKER_KEK$/,
    );
    expect((await of("b"))?.channel.error).toBeNull();
    time.pass(TTL);
    await store.enqueue("a", message("one"));
    await store.settle(await claimed("a"), "one", { result: "sent" });
    expect((await of("a"))?.channel.error).toBeNull();
  });
});
