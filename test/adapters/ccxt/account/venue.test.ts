import { describe, expect, it } from "vitest";
import { nodeLocal } from "../../../../cli/host/process/node-local.ts";
import { createLink } from "../../../../src/adapters/ccxt/account/exchange-link.ts";
import { ccxtVenue, openOnEveryPair } from "../../../../src/adapters/ccxt/account/venue.ts";
import type { Dict } from "../../../../src/adapters/ccxt/client/ccxt.ts";
import {
  CallFailed,
  LIVE_TIMING,
  noAnswer,
  type Quirks,
} from "../../../../src/adapters/ccxt/client/quirks.ts";
import { kraken } from "../../../../src/adapters/ccxt/exchanges/kraken.ts";
import type { Pair } from "../../../../src/kernel/pair.ts";
import type { VenueOrder } from "../../../../src/ports/venue.ts";
import { d } from "../../../support/grid.ts";
import { heardLog } from "../../../support/heard.ts";
import { KEYS, PERMIT } from "../../../support/live.ts";
import { order, reportedOrder } from "../../../support/made.ts";
import { memoryAdapterStore } from "../../../venues/adapter-store.ts";

const NOW = 1_767_225_600_000;
/** Its clock stands still. */
const LOCAL = { ...nodeLocal, monotonic: () => 0 };
const market = (base: string) => ({
  id: `${base}USDT`,
  symbol: `${base}/USDT`,
  base,
  quote: "USDT",
  baseId: base,
  quoteId: "USDT",
  type: "spot",
  spot: true,
  precision: { amount: "0.001", price: "0.1" },
  info: {},
});
const row = (id: string, over: Dict = {}): Dict => ({
  id,
  symbol: "BTC/USDT",
  side: "buy",
  type: "limit",
  price: "100",
  amount: "1",
  filled: "0",
  status: "open",
  timestamp: NOW,
  info: { descr: { pair: "BTCUSDT" } },
  ...over,
});

/** A venue of an exchange with these answers, in place of requests. */
async function venueOf(
  over: Partial<Quirks>,
  own: { readonly origin?: string; readonly off?: number; readonly body?: string } = {},
) {
  const clock = () => NOW;
  const keeping = memoryAdapterStore(clock);
  const [sent, bodies]: [string[], string[]] = [[], []];
  const link = createLink({
    id: "kraken",
    quirks: { ...kraken, serial: false, ...over },
    base: "http://127.0.0.1:1",
    timing: LIVE_TIMING,
    rate: undefined,
    keeping,
    local: LOCAL,
    log: heardLog,
    clock,
    keptFor: 0,
    async fetch(url, { body }) {
      sent.push(new URL(url).pathname);
      bodies.push(String(body));
      const headers = { date: new Date(NOW + (own.off ?? 0)).toUTCString() };
      return new Response(own.body ?? '{"error":["EAPI:Invalid key"]}', { headers });
    },
  });
  const markets = [market("BTC"), market("ETH")];
  const listing = Object.fromEntries(markets.map(({ symbol, id }) => [symbol, id]));
  await keeping.markets.keepMarkets(link.host, { listing, markets });
  const account = { exchange: "kraken", kind: "live", host: link.host } as const;
  const keys = async () => ({ ...KEYS, hash: "", ...(own.origin ? { origin: own.origin } : {}) });
  return { venue: ccxtVenue(link, { account, keys }), account, sent, bodies };
}

describe("an order of a venue", () => {
  const find = (over: Partial<Quirks>) => venueOf(over).then(({ venue }) => venue);
  it("is looked up by the exchange's id, then by ours, and is one of the pair", async () => {
    const byId = async () => row("by id");
    const venue = await find({ byId, find: async () => row("by ours") });
    const id = async (of: object) => (await venue.order({ symbol: "BTC/USDT", ...of }))?.id;
    expect([await id({ id: "x", clientId: "y" }), await id({ clientId: "y" }), await id({})]).toEqual([
      "by id",
      "by ours",
      undefined,
    ]);
    const without = await find({ byId: async () => undefined, find: async () => row("by ours") });
    expect((await without.order({ symbol: "BTC/USDT", id: "x", clientId: "y" }))?.id).toBe("by ours");
    expect(await without.order({ symbol: "BTC/USDT", id: "x" })).toBeUndefined();
    const other = await find({ byId: async () => row("x", { symbol: "ETH/USDT" }) });
    expect(await other.order({ symbol: "BTC/USDT", id: "x" })).toBeUndefined();
  });

  it("is one of fifty in a call by ids, of this pair", async () => {
    const batches: number[] = [];
    const venue = await find({
      orders: async (_exchange, ids) => {
        batches.push(ids.length);
        return ids.map((id) => row(id, id === "7" ? { symbol: "ETH/USDT" } : {}));
      },
    });
    const ids = Array.from({ length: 101 }, (_, i) => String(i));
    expect((await venue.orders?.("BTC/USDT", ids))?.map(({ id }) => id)).toEqual(
      ids.filter((id) => id !== "7"),
    );
    expect(batches).toEqual([50, 50, 1]);
  });

  it("has ended unless it is open, and is one of the pair", async () => {
    const rows = [
      row("open"),
      row("part", { filled: "0.5", cost: "50" }),
      row("done", { status: "canceled" }),
      row("other", { status: "canceled", symbol: "ETH/USDT" }),
      row("odd", { status: "odd" }),
    ];
    const asked: unknown[] = [];
    const venue = await find({
      ended: async (_exchange, symbol, request) => {
        asked.push([symbol, request]);
        return { rows, next: "2" };
      },
    });
    const found = await venue.endedOrders?.("BTC/USDT", NOW - 5, "1");
    expect([found?.orders.map(({ id }) => id), found?.next]).toEqual([["done", "odd"], "2"]);
    expect(asked).toEqual([["BTC/USDT", { since: NOW - 5, now: NOW, page: "1" }]]);
  });
});

describe("open orders of a venue", () => {
  it("of all pairs have the pair of their market id, or this id if the list lacks it", async () => {
    const all = [row("a", { symbol: "?" }), row("b", { info: { descr: { pair: "ETHUSDT" } } })];
    const { venue } = await venueOf({ openOrders: async () => all });
    expect((await venue.openOrders()).map(({ id, symbol }) => [id, symbol])).toEqual([
      ["a", "BTC/USDT"],
      ["b", "ETH/USDT"],
    ]);
    const odd = await venueOf({
      openOrders: async () => [row("c", { info: { descr: { pair: "AAPLxUSD" } } }), row("d", { info: {} })],
    });
    const open = await odd.venue.openOrders();
    expect(open.map(({ id, symbol }) => [id, symbol])).toEqual([["c", "AAPLxUSD"]]);
    expect(open.unreadable).toEqual([
      { id: "d", clientId: null, reason: "the exchange's symbol cannot be read" },
    ]);
    const none = await venueOf({ openOrders: async () => [] });
    expect(await none.venue.openOrders()).toEqual([]);
  });

  it("of a pass are read once for all of its pairs, and again after a failure", async () => {
    let reads = 0;
    let isDown = true;
    let raw: unknown = ["BTCUSDT", "ETHUSDT", "UNKNOWN"].map((pair) => ({
      id: `O${pair}`,
      status: "open",
      opentm: NOW / 1000,
      vol: "1",
      vol_exec: "0",
      cost: "0",
      fee: "0",
      descr: { pair, type: "buy", ordertype: "limit", price: "100" },
    }));
    const { venue } = await venueOf({
      async openOrders(exchange, symbol) {
        expect(symbol).toBeUndefined();
        reads++;
        if (isDown) throw new CallFailed(noAnswer("down"));
        return (exchange as unknown as { parseOrders(rows: unknown): Dict[] }).parseOrders(raw);
      },
    });
    const pass = venue.under?.({ now: NOW }, { requestedAt: 0, isUrgent: false, yieldsAfter: undefined });
    await expect(pass?.openOrders("BTC/USDT")).rejects.toThrow("kraken: down");
    isDown = false;
    const ids = async (symbol: "BTC/USDT" | "ETH/USDT") =>
      (await pass?.openOrders(symbol))?.map(({ id }) => id);
    expect([await ids("BTC/USDT"), await ids("ETH/USDT"), reads]).toEqual([["OBTCUSDT"], ["OETHUSDT"], 2]);
    raw = "no list";
    const other = venue.under?.({ now: NOW }, { requestedAt: 0, isUrgent: false, yieldsAfter: undefined });
    await expect(other?.openOrders("BTC/USDT")).rejects.toThrow(
      "the exchange's list of orders cannot be read",
    );
  });
});

it("an order is sent in its time, and a cancel whenever it is asked for", async () => {
  const { venue, sent } = await venueOf({});
  const permit = { ...PERMIT, sendBy: NOW - LIVE_TIMING.skew };
  const late = { ...PERMIT, sendBy: permit.sendBy - 1 };
  expect(await venue.create(order(), late)).toMatchObject({
    result: "not_sent",
    reason: expect.stringContaining("the database's clock is behind"),
  });
  expect(sent).toEqual([]);
  expect(await venue.create(order(), permit)).toMatchObject({ result: "rejected" });
  expect(await venue.cancel({ symbol: "BTC/USDT", id: "OUF4EM-FRGI2-MQMWZD" }, late)).toMatchObject({
    result: "rejected",
  });
  expect(sent).toEqual(["/0/private/AddOrder", "/0/private/CancelOrder"]);
});

it("a rejected key is named by where it is, if that is known", async () => {
  const messageOf = async (origin?: string) => {
    const { venue } = await venueOf({}, origin === undefined ? {} : { origin });
    return venue.balances().catch((error: Error) => error.message);
  };
  expect(await messageOf("in the environment")).toMatch(/Invalid key \(the key is in the environment\)$/);
  expect(await messageOf()).toMatch(/Invalid key$/);
  const { venue } = await venueOf(
    { openOrders: () => Promise.reject(new CallFailed(noAnswer("down"))) },
    { origin: "in the environment" },
  );
  await expect(venue.openOrders()).rejects.toThrow(/down$/);
});

const HOLD = { requestedAt: 0, isUrgent: false, yieldsAfter: undefined };

it("a pass with a wrong clock is refused what it read; a person's read is not", async () => {
  const body = '{"error":[],"result":{"open":{}}}';
  const { venue } = await venueOf({}, { off: 5000, body });
  expect(await venue.openOrders("BTC/USDT")).toEqual([]);
  await expect(venue.under?.({ now: NOW }, HOLD).openOrders("BTC/USDT")).rejects.toThrow("differ by 5 s");
  const right = await venueOf({}, { body });
  expect(await right.venue.under?.({ now: NOW }, HOLD).openOrders("BTC/USDT")).toEqual([]);
});

it("a pass signs at its own time, and a person at the machine's", async () => {
  const { venue, bodies } = await venueOf({}, { body: '{"error":[],"result":{"open":{}}}' });
  await venue.openOrders("BTC/USDT");
  await venue.under?.({ now: NOW - 400 }, HOLD).openOrders("BTC/USDT");
  expect(bodies.map((body) => new URLSearchParams(body).get("nonce"))).toEqual([
    String(NOW),
    String(NOW - 400),
  ]);
});

it("the reads of a pass go on while those of people fail", async () => {
  const { venue, sent } = await venueOf({}, { body: "down" });
  for (let read = 0; read < 7; read++) await venue.ticker("BTC/USDT").catch(() => undefined);
  expect(sent).toHaveLength(5);
  await venue
    .under?.({ now: NOW }, HOLD)
    .ticker("BTC/USDT")
    .catch(() => undefined);
  expect(sent).toHaveLength(6);
});

it("a venue has its account, its times, and the calls around a pass", async () => {
  const { venue, account } = await venueOf({});
  expect(venue).toMatchObject({
    account,
    orderIds: kraken.orderIds,
    timing: LIVE_TIMING,
    candleReach: 720,
    readsTogether: true,
  });
  const pass = venue.under?.({ now: NOW }, HOLD);
  expect(pass?.account).toEqual(account);
  expect([
    await pass?.enter?.(),
    await pass?.leave?.(),
    await venue.wait?.(),
    venue.opening?.(false),
  ]).toEqual([undefined, undefined, undefined, undefined]);
  for (const name of ["enter", "leave", "wait", "opening"] as const)
    expect(venue[name]).toBeTypeOf("function");
  expect(venue.under?.({ now: NOW }, HOLD).forAnyone).toBe(venue.forAnyone);
  const { venue: serial } = await venueOf({ serial: true });
  expect(serial.readsTogether).toBe(false);
});

/** Lists the open orders of an account that traded these pairs and has so much locked, and the pairs that were read. */
async function listed(
  locked: Readonly<Record<string, string>>,
  traded: readonly Pair[],
  {
    orders = {},
    names = [],
  }: { orders?: Record<string, readonly VenueOrder[]>; names?: readonly Pair[] } = {},
) {
  const read: string[] = [];
  let namesRead = 0;
  const link = {
    quirks: { name: "mexc" },
    keeping: { traded: { symbols: async () => traded } },
    catalog: {
      async names() {
        namesRead++;
        return new Map(names.map((pair) => [pair, pair]));
      },
    },
  };
  const found = await openOnEveryPair(link as never, "live:mexc:api.mexc.com", {
    balances: async () => Object.entries(locked).map(([asset, used]) => ({ asset, free: 0n, used: d(used) })),
    async openOrders(symbol) {
      read.push(symbol);
      return orders[symbol] ?? [];
    },
  });
  const reasons = (found.unreadable ?? []).map(({ reason }) => reason);
  return { ids: found.map(({ id }) => id), read, namesRead, reasons };
}

const BUY = reportedOrder({ id: "b", price: d("100"), amount: d("2"), filled: d("0.5") });
const SELL = reportedOrder({ id: "s", side: "sell", amount: d("2"), filled: d("0.5") });

describe("open orders of an exchange that lists one pair at a time", () => {
  it("are those of the traded pairs, each read once", async () => {
    expect(
      await listed({ USDT: "0" }, ["BTC/USDT", "ETH/USDT", "BTC/USDT"], { orders: { "BTC/USDT": [BUY] } }),
    ).toEqual({ ids: ["b"], read: ["BTC/USDT", "ETH/USDT"], namesRead: 0, reasons: [] });
  });

  it("explain what is locked, with two percent more for fees", async () => {
    const of = (locked: Record<string, string>) =>
      listed(locked, ["BTC/USDT"], { orders: { "BTC/USDT": [BUY, SELL] } }).then(({ ids }) => ids);
    const reasonsOf = (locked: Record<string, string>) =>
      listed(locked, ["BTC/USDT"], { orders: { "BTC/USDT": [BUY, SELL] } }).then(({ reasons }) => reasons[0]);
    // A buy of 1.5 more at 100, and 1.5 base to sell.
    expect(await of({ USDT: "153", BTC: "1.53" })).toEqual(["b", "s"]);
    expect(await reasonsOf({ USDT: "153.01" })).toMatch("and USDT is locked in orders on a pair");
    expect(await reasonsOf({ BTC: "1.5301" })).toBe(
      "mexc lists open orders of one pair at a time, and BTC is locked in orders on a pair that edgemaker never traded; name the pair",
    );
    expect(await of({ BTC: "0" })).toEqual(["b", "s"]);
  });

  it("are looked for on the pairs of a locked base, twenty at most", async () => {
    const names = ["ETH/USDT", "BTC/ETH", ...Array.from({ length: 25 }, (_, i) => `ETH/Q${i}`)] as Pair[];
    const sell = { ...SELL, id: "e", symbol: "ETH/Q18" as Pair };
    const found = await listed({ ETH: "1.5" }, ["BTC/USDT"], { orders: { "ETH/Q18": [sell] }, names });
    expect(found).toEqual({
      ids: ["e"],
      read: ["BTC/USDT", "ETH/USDT", ...names.slice(2, 21)],
      namesRead: 1,
      reasons: [],
    });
    const hidden = { orders: { "ETH/Q19": [{ ...sell, symbol: "ETH/Q19" as Pair }] }, names };
    expect((await listed({ ETH: "1.5" }, [], hidden)).reasons).toHaveLength(1);
  });
});
