import { createClient } from "@libsql/client";
import { describe, expect, it } from "vitest";
import type { MarketCache } from "../../../src/adapters/ccxt/client/ccxt.ts";
import { cachedMarkets } from "../../../src/adapters/ccxt/client/market-cache.ts";
import { libsqlAdapterStore } from "../../../src/adapters/libsql/adapter-store.ts";
import { passStore } from "../../../src/adapters/libsql/pass-store.ts";
import { MINUTE } from "../../../src/kernel/time.ts";
import { NO_MEMORY } from "../../../src/model/memory.ts";
import type { Fill } from "../../../src/model/order.ts";
import { statement } from "../../../src/storage/client/context.ts";
import { openDatabase } from "../../../src/storage/client/safe-client.ts";
import { accounts, cursors, fills, orders } from "../../../src/storage/tables/trading-tables.ts";
import { d } from "../../support/grid.ts";
import { virtualLocal } from "../../support/local.ts";
import { fill, order } from "../../support/made.ts";
import { migrations } from "../../support/migrations.ts";
import { START } from "../../support/sandbox.ts";
import { tempFolder } from "../../support/temp.ts";

const ACCOUNT = "live:kraken:api.kraken.com";
const RATE = { burst: 20, perSecond: 0.5, reserve: 6 };
const countRequests = (calls: number, kept = 0) => ({ calls, kept, rate: RATE });

/** Two processes on one database, with a clock that moves only when told. */
async function keepers() {
  const time = virtualLocal(START);
  const url = `file:${tempFolder()}/keeping.db`;
  const open = async () => {
    const context = await openDatabase({
      client: createClient({ url, concurrency: 1 }),
      local: time.local,
      migrations,
      kind: "live",
      clock: time.now,
    });
    return { ...libsqlAdapterStore(context), steps: passStore(context), context };
  };
  return { time, one: await open(), two: await open() };
}

describe("an account's rate limit", () => {
  it("is shared by all processes, and recovers with time", async () => {
    const { time, one, two } = await keepers();
    for (let call = 0; call < 10; call++) {
      expect(await one.rates.spend(ACCOUNT, countRequests(1))).toBe(0);
      expect(await two.rates.spend(ACCOUNT, countRequests(1))).toBe(0);
    }
    expect(await one.rates.spend(ACCOUNT, countRequests(1))).toBe(2000);
    expect(await two.rates.spend(ACCOUNT, countRequests(3))).toBe(6000);
    time.pass(2000);
    expect(await two.rates.spend(ACCOUNT, countRequests(1))).toBe(0);
    expect(await one.rates.spend(ACCOUNT, countRequests(1))).toBe(2000);
    expect(await one.rates.spend("live:mexc:api.mexc.com", countRequests(1))).toBe(0);
  });

  it("reserves calls that low-priority requests cannot use", async () => {
    const { one, two } = await keepers();
    expect(await one.rates.spend(ACCOUNT, countRequests(14, 6))).toBe(0);
    expect(await one.rates.spend(ACCOUNT, countRequests(1, 6))).toBe(2000);
    expect(await two.rates.spend(ACCOUNT, countRequests(6))).toBe(0);
    expect(await two.rates.spend(ACCOUNT, countRequests(1))).toBe(2000);
  });

  it("is used up when the exchange reports it", async () => {
    const { one, two } = await keepers();
    await one.rates.exhaust(ACCOUNT, RATE);
    expect(await two.rates.spend(ACCOUNT, countRequests(1))).toBe(2000);
  });
});

describe("calls that are reserved with a lease", () => {
  const pass = { account: ACCOUNT, ttl: 10_000, overlap: 0, calls: countRequests(14, 6) };
  async function account() {
    const made = await keepers();
    await made.one.leases.takeLease(ACCOUNT, { owner: "a", ttl: 1000, count: 1 });
    await made.one.leases.giveBack(ACCOUNT, "a");
    return made;
  }

  it("are reserved where the rate limit allows, and reported", async () => {
    const { one, two } = await account();
    expect(await one.steps.takeLease({ ...pass, owner: "b" })).toMatchObject({ isPaid: true });
    expect(await two.rates.spend(ACCOUNT, countRequests(7))).toBe(2000);
    expect(await two.rates.spend(ACCOUNT, countRequests(6))).toBe(0);
    expect(await one.steps.takeLease({ ...pass, owner: "b" })).toSatisfy(
      (accepted: object) => !("isPaid" in accepted),
    );
    expect(await two.rates.spend(ACCOUNT, countRequests(1))).toBe(2000);
  });

  it("are not reserved without the lease, nor without a request for them", async () => {
    const { one, two } = await account();
    const { calls, ...free } = pass;
    expect(await one.steps.takeLease({ ...free, owner: "b" })).toSatisfy(
      (accepted: object) => !("isPaid" in accepted),
    );
    expect(await two.steps.takeLease({ ...pass, owner: "c" })).toBeUndefined();
    expect(await two.rates.spend(ACCOUNT, countRequests(20))).toBe(0);
  });
});

describe("an account's lease", () => {
  const request = { ttl: 1000, count: 100 };

  it("has one holder at a time until it is released or expires", async () => {
    const { time, one, two } = await keepers();
    expect(await one.leases.takeLease(ACCOUNT, { ...request, owner: "a" })).toBeDefined();
    expect(await two.leases.takeLease(ACCOUNT, { ...request, owner: "b" })).toBeUndefined();
    await two.leases.giveBack(ACCOUNT, "b");
    expect(await two.leases.takeLease(ACCOUNT, { ...request, owner: "b" })).toBeUndefined();
    await one.leases.giveBack(ACCOUNT, "a");
    expect(await two.leases.takeLease(ACCOUNT, { ...request, owner: "b" })).toBeDefined();
    time.pass(1001);
    expect(await one.leases.takeLease(ACCOUNT, { ...request, owner: "a" })).toBeDefined();
  });

  it("is left by passes to a waiting process for as long as that requests", async () => {
    const { time, one, two } = await keepers();
    const pass = (owner: string, isUrgent = false) =>
      one.steps.takeLease({ account: ACCOUNT, owner, ttl: 10_000, overlap: 0, isUrgent });
    await one.leases.takeLease(ACCOUNT, { ...request, owner: "a" });
    expect(await one.leases.awaited(ACCOUNT)).toBe(false);
    expect(await two.leases.takeLease(ACCOUNT, { ...request, owner: "b" })).toBeUndefined();
    expect(await one.leases.awaited(ACCOUNT)).toBe(true);
    await one.leases.giveBack(ACCOUNT, "a");
    expect(await pass("c")).toBeUndefined();
    expect(await two.leases.takeLease(ACCOUNT, { ...request, owner: "b" })).toBeDefined();
    expect(await one.leases.awaited(ACCOUNT)).toBe(false);

    // Whoever waits and is not heard of again holds nobody up.
    await one.leases.wait(ACCOUNT);
    await two.leases.giveBack(ACCOUNT, "b");
    expect(await pass("c")).toBeUndefined();
    time.pass(3000);
    expect(await one.leases.awaited(ACCOUNT)).toBe(false);
    expect(await pass("c")).toBeDefined();
    await two.leases.wait(ACCOUNT);
    time.pass(2999);
    await one.leases.giveBack(ACCOUNT, "c");
    expect(await pass("d")).toBeUndefined();
    expect(await pass("d", true)).toBeDefined();
  });

  it("gives nonces that always rise, also when the clock goes back", async () => {
    const { time, one, two } = await keepers();
    const first = await one.leases.nonces(ACCOUNT, 100);
    expect(first).toBe(START + 1);
    const second = await two.leases.nonces(ACCOUNT, 100);
    expect(second).toBe(first + 100);
    time.pass(-60_000);
    expect(await one.leases.nonces(ACCOUNT, 100)).toBe(second + 100);
    time.pass(120_000);
    expect(await two.leases.nonces(ACCOUNT, 100)).toBe(START + 60_000 + 1);
  });
});

const HOST = "api.example.com";
const listed = (...pairs: string[]) => Object.fromEntries(pairs.map((pair) => [pair, pair.replace("/", "")]));

/** Two isolates on one database, and how often each has asked it for a list of pairs. */
async function isolates() {
  const { one, two, time } = await keepers();
  const memoryOf = (inner: MarketCache) => {
    const request = { times: 0 };
    const counted: MarketCache = {
      ...inner,
      listing(host) {
        request.times++;
        return inner.listing(host);
      },
    };
    return { request, keeper: cachedMarkets(time.now)(counted) };
  };
  return { time, one: memoryOf(one.markets), two: memoryOf(two.markets) };
}

describe("an isolate's cache of an exchange's pairs", () => {
  it("reads an exchange's pairs from the database once in ten minutes", async () => {
    const { time, one } = await isolates();
    expect(await one.keeper.listing(HOST)).toBe(undefined);
    await one.keeper.keepMarkets(HOST, { listing: listed("BTC/USDT"), markets: [] });
    one.request.times = 0;
    for (let pass = 0; pass < 10; pass++) {
      expect(await one.keeper.listing(HOST)).toEqual({ value: listed("BTC/USDT"), age: pass * MINUTE });
      time.pass(MINUTE);
    }
    expect(one.request.times).toBe(1);
    await one.keeper.listing(HOST);
    expect(one.request.times).toBe(2);
  });

  it("shows its own writes at once, and those of others within ten minutes", async () => {
    const { time, one, two } = await isolates();
    await one.keeper.keepMarkets(HOST, { listing: listed("BTC/USDT"), markets: [] });
    await one.keeper.listing(HOST);
    await one.keeper.keepMarkets(HOST, { listing: listed("BTC/USDT", "ADA/USDT"), markets: [] });
    expect((await one.keeper.listing(HOST))?.value).toEqual(listed("BTC/USDT", "ADA/USDT"));
    await two.keeper.keepMarkets(HOST, { listing: listed("SNEK/USDT"), markets: [] });
    expect((await one.keeper.listing(HOST))?.value).not.toEqual(listed("SNEK/USDT"));
    time.pass(10 * MINUTE);
    expect((await one.keeper.listing(HOST))?.value).toEqual(listed("SNEK/USDT"));
  });
});

describe("the fees of an account's newest buys", () => {
  const feeIn = (asset: string) => [{ asset, amount: d("0.1") }];

  /** One order with one fill, on an account whose trades have been read. */
  async function bought(
    { context: { client, db } }: Awaited<ReturnType<typeof keepers>>["one"],
    over: Pick<Fill, "account" | "tradeId" | "at" | "fees"> & Partial<Fill>,
  ): Promise<void> {
    const { account, symbol, clientId } = fill({ ...over, clientId: over.tradeId });
    const placed = order({ account, symbol, clientId, exchangeId: clientId, strategy: null, kind: "hand" });
    await client.batch(
      [
        db.insert(accounts).values({ account, memory: NO_MEMORY }).onConflictDoNothing(),
        db.insert(cursors).values({ account, symbol, at: over.at }).onConflictDoNothing(),
        db.insert(orders).values({ ...placed, settled: true }),
        db.insert(fills).values({ ...fill({ ...over, clientId }), strategy: null }),
      ].map(statement),
      "write",
    );
  }

  it("belong to that account and pair, whatever other accounts have bought since", async () => {
    const { one } = await keepers();
    const [mexc, kraken] = ["live:mexc:api.mexc.com", ACCOUNT];
    const other = { symbol: "ADA/USDT" } as const;
    await bought(one, { account: mexc, tradeId: "m1", at: 1_000, fees: feeIn("USDT") });
    await bought(one, { account: mexc, tradeId: "m2", at: 2_000, fees: feeIn("BTC") });
    await bought(one, { account: mexc, tradeId: "m3", at: 3_000, fees: feeIn("MX"), side: "sell" });
    await bought(one, { account: mexc, tradeId: "m4", at: 1_500, fees: feeIn("ADA"), ...other });
    await bought(one, { account: kraken, tradeId: "k1", at: 9_000, fees: feeIn("USDT") });
    const read = async (account: string) =>
      (await one.traded.buyFees(account)).map(({ symbol, fees }) => [symbol, fees[0]?.asset]).sort();
    expect(await read(mexc)).toEqual([
      ["ADA/USDT", "ADA"],
      ["BTC/USDT", "BTC"],
    ]);
    expect(await read(kraken)).toEqual([["BTC/USDT", "USDT"]]);
    expect(await read("live:gateio:api.gateio.ws")).toEqual([]);
  });
});
