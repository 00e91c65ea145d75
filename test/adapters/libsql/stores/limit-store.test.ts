import { describe, expect, it } from "vitest";
import { createStore } from "../../../../src/adapters/libsql/store.ts";
import { DAY, dayOf } from "../../../../src/kernel/time.ts";
import type { ScopeTerms } from "../../../../src/model/limits.ts";
import type { Order } from "../../../../src/model/order.ts";
import { statement } from "../../../../src/storage/client/context.ts";
import { limitUses } from "../../../../src/storage/tables/venue-tables.ts";
import { BY } from "../../../support/by.ts";
import { d } from "../../../support/grid.ts";
import { order } from "../../../support/made.ts";
import { opened, START } from "./opened.ts";

const MINE = "sandbox:kraken:";
const THEIRS = "sandbox:mexc:";
const NOBODY = { scopes: [], account: MINE, actor: "me" };
const TODAY = dayOf(START);

async function open() {
  const { context, time } = await opened();
  const store = createStore(context);
  const set = (version: number, scope: string, orders: number | null) =>
    store.setLimits({ version, scope, settings: { openOrders: orders }, message: `${scope} ${orders}` }, BY);
  const use = (over: object = {}) =>
    store.useLimit({ scope: "a", asset: "USDT", notional: d("10"), most: d("25"), ...over });
  /** An order by hand of 10, held to what is said of its scope `a`. */
  const place = async (
    clientId: string,
    over: Partial<ScopeTerms> = {},
    of: Partial<Order> = {},
    version = 0,
  ) => {
    const byHand = { strategy: null, kind: "hand", state: "pending", exchangeId: null, actor: "me" } as const;
    const scope = {
      scope: "a",
      actor: null,
      dayNotional: null,
      openOrders: null,
      orderGapMillis: null,
      ...over,
    };
    const terms = { version, asset: "USDT", scopes: [scope], counted: { [clientId]: d("10") } };
    const one = order({ clientId, account: MINE, ...byHand, ...of });
    return (await store.recordByHand(one, { terms, limit: d("100"), ended: [] }, BY)).result;
  };
  const usesOf = async (...scopes: readonly string[]) => (await store.readLimits({ ...NOBODY, scopes })).uses;
  return { context, store, time, set, use, place, usesOf };
}

describe("stored limits", () => {
  it("belong to one scope, and are rejected if any has changed since they were read", async () => {
    const { store, set } = await open();
    expect([
      await set(0, "every", 5),
      await set(0, "a", 6),
      await set(1, "a", 7),
      await set(2, "every", 8),
    ]).toEqual([true, false, true, true]);
    const { now, stored } = await store.readLimits(NOBODY);
    expect([now, stored]).toEqual([
      START,
      { version: 3, set: { every: { openOrders: 8 }, a: { openOrders: 7 } } },
    ]);
    expect((await store.eventsAfter(0, 9)).map(({ message }) => message)).toEqual([
      "every 5",
      "a 7",
      "every 8",
    ]);
  });
});

it("reports why limits could not be set", async () => {
  const { context, set } = await open();
  await context.client.execute("drop table limits");
  await expect(set(0, "every", 5)).rejects.toThrow("no such table");
});

describe("the open orders that count for an account", () => {
  it("are the unsettled ones, and the user's on all accounts", async () => {
    const { store, place } = await open();
    await place("mine");
    await place("theirs", {}, { actor: "you" });
    await place("ended", {}, { settled: true, state: "filled" });
    await place("elsewhere", {}, { account: THEIRS });
    expect(await store.readLimits({ ...NOBODY, countsOpen: true })).toMatchObject({
      openOrders: 2,
      openOfActor: 2,
    });
    const full = { openOrders: 2 };
    expect([await place("b", full), await place("c", { openOrders: 3, actor: "me" })]).toEqual([
      "refused",
      "recorded",
    ]);
    expect(await place("d", { openOrders: 3, actor: "me" })).toBe("refused");
    expect(await place("e", full, { account: THEIRS })).toBe("recorded");
  });

  it("are those of one user on every account, whichever keys the requests brought", async () => {
    const { store, place } = await open();
    const most = { openOrders: 2, actor: "me" };
    const withKeys = (name: string) => ({ account: `live:kraken#${name}:api.kraken.com` });
    expect(await place("a", most, withKeys("one"))).toBe("recorded");
    expect(await place("b", most, withKeys("two"))).toBe("recorded");
    expect(await store.readLimits({ ...NOBODY, countsOpen: true })).toMatchObject({ openOfActor: 2 });
    expect(await place("c", most, withKeys("three"))).toBe("refused");
    expect(await place("d", most)).toBe("refused");
    expect(await place("e", { ...most, actor: "you" }, { ...withKeys("one"), actor: "you" })).toBe(
      "recorded",
    );
  });

  it("are not counted where no limit requires them", async () => {
    const { store, place, set } = await open();
    await place("mine");
    const none = { openOrders: null, openOfActor: null };
    expect(await store.readLimits(NOBODY)).toMatchObject(none);
    await set(0, "every", null);
    expect(await store.readLimits(NOBODY)).toMatchObject(none);
    await set(1, "token:x", 9);
    expect(await store.readLimits(NOBODY)).toMatchObject({ openOrders: 1, openOfActor: 1 });
  });
});

describe("a daily notional", () => {
  it("is usable up to the last unit, per scope, asset and day", async () => {
    const { use, usesOf, time } = await open();
    expect([await use(), await use(), await use()]).toEqual([true, true, false]);
    expect([await use({ notional: d("5") }), await use({ notional: d("0.00000001") })]).toEqual([
      true,
      false,
    ]);
    expect([await use({ scope: "b" }), await use({ asset: "EUR" }), await use({ most: null })]).toEqual([
      true,
      true,
      true,
    ]);
    const inOrder = (await usesOf("a")).toSorted((a, b) => (a.asset < b.asset ? -1 : 1));
    expect(inOrder).toEqual([
      { scope: "a", day: TODAY, asset: "EUR", notional: d("10"), orders: 1, at: START },
      { scope: "a", day: TODAY, asset: "USDT", notional: d("35"), orders: 4, at: START },
    ]);
    time.pass(DAY);
    expect(await use()).toBe(true);
    expect((await usesOf("a", "b")).map(({ scope, day }) => [scope, day - TODAY])).toEqual([
      ["a", 1],
      ["a", 0],
      ["a", 0],
      ["b", 0],
    ]);
  });

  it("is used by recorded orders only", async () => {
    const { place, usesOf, time } = await open();
    const cap = { dayNotional: d("20") };
    expect([await place("a", cap), await place("b", cap), await place("c", cap)]).toEqual([
      "recorded",
      "recorded",
      "refused",
    ]);
    expect(await usesOf("a")).toMatchObject([{ notional: d("20"), orders: 2 }]);
    expect(await place("d", { ...cap, scope: "b" })).toBe("recorded");
    time.pass(DAY);
    expect(await place("e", cap)).toBe("recorded");
    expect(await place("f", {}, {}, 1)).toBe("refused");
  });

  it("is capped at the column's maximum where its total would overflow", async () => {
    const { use, usesOf } = await open();
    const most = d("92233720368.54775807");
    await use({ notional: most, most: null });
    await use({ notional: most, most: null });
    expect(await usesOf("a")).toMatchObject([{ notional: most, orders: 2 }]);
  });
});

describe("the minimum gap between two orders", () => {
  it("counts from the newest one, over midnight too", async () => {
    const { place, time } = await open();
    const gap = { orderGapMillis: 100 };
    time.pass(DAY - 50);
    expect(await place("a", gap)).toBe("recorded");
    time.pass(99);
    expect([await place("b", gap), await place("c", { ...gap, scope: "b" })]).toEqual([
      "refused",
      "recorded",
    ]);
    time.pass(1);
    expect(await place("d", gap)).toBe("recorded");
  });
});

it("lists the newest twenty uses of a scope, newest first", async () => {
  const { context, usesOf } = await open();
  const rows = Array.from({ length: 22 }, (_, i) => ({
    scope: "a",
    day: i,
    asset: "USDT",
    notional: 0n,
    orders: 1,
    at: i,
  }));
  await context.client.execute(statement(context.db.insert(limitUses).values(rows)));
  expect((await usesOf("a")).map(({ day }) => day)).toEqual(
    rows
      .map(({ day }) => day)
      .reverse()
      .slice(0, 20),
  );
});
