import { describe, expect, it } from "vitest";
import { observe, readMeasuredFills } from "../../../src/engine/pass/observe.ts";
import type { MarketSnapshot } from "../../../src/engine/reconcile/reconcile.ts";
import { gridKind } from "../../../src/grid/kind.ts";
import { BudgetSpent, VenueError } from "../../../src/kernel/errors.ts";
import type { Pair } from "../../../src/kernel/pair.ts";
import { SECOND } from "../../../src/kernel/time.ts";
import type { MeasuredFill, Order } from "../../../src/model/order.ts";
import type { Kinds } from "../../../src/ports/kind.ts";
import type { Snapshot } from "../../../src/ports/stores/pass-store.ts";
import type { Store } from "../../../src/ports/stores/store.ts";
import { d, slot, state } from "../../support/grid.ts";
import { virtualLocal } from "../../support/local.ts";
import {
  describeFilled,
  idOf,
  NOW,
  observedMarket,
  order,
  quote,
  reportedOrder,
  SYMBOL,
  snapshot,
  strategy,
  trade,
} from "../../support/made.ts";
import { callsLeft, exchangeOf, nothingDone } from "./answering.ts";

const kinds = (() => gridKind) as unknown as Kinds;
const OTHER = "ETH/USDT";

interface Setup extends Partial<Snapshot> {
  readonly exchange?: Parameters<typeof exchangeOf>[0];
  readonly calls?: number;
  readonly fitting?: number;
  /** Every row of ours, also those that are settled. */
  readonly rows?: readonly Order[];
}

/** One pass's look at the grid `g`, whose two orders rest. */
async function observed({ exchange = {}, calls, fitting, rows = [], ...over }: Setup = {}) {
  const open = [reportedOrder(), reportedOrder({ id: "x2", clientId: idOf({ slot: 1 }) })];
  const { venue, requests } = exchangeOf({ openOrders: async () => open, ...exchange });
  const orders = [order({ slot: 0 }), order({ slot: 1, exchangeId: "x2" })];
  const looks: unknown[] = [];
  const store = {
    async ordersByIds(account: string, ids: { exchange: readonly string[]; client: readonly string[] }) {
      looks.push([account, ids]);
      return rows.filter(
        ({ exchangeId, clientId }) =>
          ids.exchange.includes(exchangeId ?? "") || ids.client.includes(clientId),
      );
    },
  } as unknown as Store;
  const memory = { ...snapshot().memory, foreign: [], turn: 0 };
  const known = snapshot({ orders, memory, ...over });
  const plain = callsLeft(calls);
  const budget = fitting === undefined ? plain : { ...plain, left: calls ?? 100, fitting };
  const reads = await observe(venue, { store, kinds, local: virtualLocal(0).local }, known, budget);
  return {
    ...reads,
    requests: requests.map(([name, of]) => (typeof of === "string" ? `${name} ${of}` : String(name))),
    looks,
  };
}

const MARKET = [`openOrders ${SYMBOL}`, `fills ${SYMBOL}`, `market ${SYMBOL}`, `ticker ${SYMBOL}`];

describe("the reads of a pass", () => {
  it("are open orders, trades and then the price, plus balances if an order may be placed", async () => {
    const quiet = await observed();
    expect([quiet.requests, quiet.short, quiet.balances]).toEqual([MARKET, false, undefined]);
    expect([...quiet.reports.keys()]).toEqual([idOf({ slot: 0 }), idOf({ slot: 1 })]);
    expect(quiet.markets.get(SYMBOL)).toMatchObject({ tradesRead: true, error: null, quote: quote() });
    const free = await observed({ orders: [order({ slot: 0 })] });
    expect(free.requests).toEqual([...MARKET, "balances"]);
    expect([free.balances, free.balancesFirst]).toEqual([[], false]);
  });

  it("follow the open orders all at once where the exchange allows it", async () => {
    /** Reads that began before any of them was answered. */
    const begun = async (exchange: Parameters<typeof exchangeOf>[0], over: Setup = {}) => {
      const names: string[] = [];
      const later =
        <T>(name: string, answer: T) =>
        async (): Promise<T> => {
          names.push(name);
          await new Promise(setImmediate);
          names.push(`${name} ended`);
          return answer;
        };
      const fills = { fills: [], unreadable: [], covered: { from: 0, to: NOW }, now: NOW };
      await observed({
        exchange: {
          openOrders: async () => [reportedOrder()],
          balances: later("balances", []),
          fills: later("fills", fills),
          ticker: later("ticker", quote()),
          ...exchange,
        },
        ...over,
      });
      return names.slice(
        0,
        names.findIndex((name) => name.endsWith("ended")),
      );
    };
    expect((await begun({ readsTogether: true })).sort()).toEqual(["balances", "fills", "ticker"]);
    // Its private calls are serial, so balances are read only if they turn out to be needed.
    expect((await begun({})).sort()).toEqual(["fills", "ticker"]);
    const nothingEnds = { openOrders: async () => [reportedOrder(), reportedOrder({ id: "x2" })] };
    expect((await begun({ readsTogether: true, ...nothingEnds })).sort()).toEqual(["fills", "ticker"]);
    const killed = { kill: { ...snapshot().kill, on: true } };
    expect((await begun({ readsTogether: true }, killed)).sort()).toEqual(["fills", "ticker"]);
    const stopping = { strategies: [strategy({ wants: "stop" })] };
    expect((await begun({ readsTogether: true }, stopping)).sort()).toEqual(["fills", "ticker"]);
    // A fill on the second market would be missing from balances that were read before its open orders.
    const two = [order({ slot: 0 }), order({ slot: 1, exchangeId: "x2" }), order({ symbol: OTHER, slot: 2 })];
    const early = await begun({ readsTogether: true }, { orders: two });
    expect(early.sort()).toEqual(["fills", "ticker"]);
  });

  it("end together if one fails", async () => {
    let isEnded = false;
    const exchange = {
      fills: () => Promise.reject(new VenueError("unavailable", "no answer")),
      async ticker() {
        await new Promise(setImmediate);
        isEnded = true;
        return quote();
      },
    };
    await expect(observed({ exchange })).rejects.toThrow("no answer");
    expect(isEnded).toBe(true);
  });

  it("start with balances if a strategy starts", async () => {
    const begins = strategy({ phase: "starting" });
    const reads = await observed({ strategies: [begins, strategy({ id: "h" })] });
    expect([reads.requests[0], reads.balancesFirst]).toEqual(["balances", true]);
    expect(reads.requests.filter((one) => one === "balances")).toHaveLength(1);
    expect((await observed({ strategies: [{ ...begins, wants: "stop" }] })).balancesFirst).toBe(false);
    expect((await observed({ strategies: [strategy()] })).balancesFirst).toBe(false);
  });

  it("omit trades if none are due, unless an order may be placed", async () => {
    const memory = { ...snapshot().memory, tradesAt: { [SYMBOL]: NOW - 1 } };
    const exchange = { timing: { tradesEvery: 60_000 } };
    const reads = await observed({ memory, exchange });
    const [open, trades, ...price] = MARKET;
    expect(reads.requests).toEqual([open, ...price]);
    expect(reads.markets.get(SYMBOL)).toMatchObject({ tradesRead: false, trades: [], reading: undefined });
    expect(reads.short).toBe(false);
    const orders = [order({ slot: 0 })];
    const free = await observed({
      memory,
      orders,
      exchange: { ...exchange, openOrders: async () => [reportedOrder()] },
    });
    expect(free.requests).toEqual([open, ...price, trades, "balances"]);
    expect(free.markets.get(SYMBOL)).toMatchObject({
      tradesRead: true,
      reading: { from: expect.any(Number) },
    });
  });

  it("are incomplete if there are more trades than calls to read them", async () => {
    const exchange = {
      fills: async (_: string, { from }: { from: number }) => ({
        fills: [],
        unreadable: [],
        covered: { from, to: from + 1 },
        now: NOW,
      }),
    };
    const reads = await observed({ exchange });
    expect([reads.short, reads.markets.get(SYMBOL)?.tradesRead]).toEqual([true, false]);
  });

  it("cover every market with a strategy or an order once, and another one first after a short pass", async () => {
    const orders = [order(), order({ symbol: OTHER, slot: 1 })];
    const first = async (turn: number) =>
      (await observed({ orders, memory: { ...snapshot().memory, foreign: [], turn } })).requests
        .filter((one) => one.startsWith("openOrders"))
        .map((one) => one.slice(-8));
    expect(await first(0)).toEqual([SYMBOL, OTHER]);
    expect(await first(1)).toEqual([OTHER, SYMBOL]);
    expect(await first(2)).toEqual([SYMBOL, OTHER]);
    expect((await observed({ orders: [], strategies: [] })).requests).toEqual([]);
    const unsorted = await observed({ orders: orders.reverse(), strategies: [], calls: 3 });
    expect(unsorted.requests[0]).toBe(`openOrders ${SYMBOL}`);
  });

  it("look up each market's orders on that market's list", async () => {
    const orders = [order(), order({ symbol: OTHER, slot: 1, exchangeId: "x2" })];
    const exchange = { openOrders: async (symbol?: string) => (symbol === SYMBOL ? [reportedOrder()] : []) };
    const reads = await observed({ orders, exchange });
    expect([...reads.reports]).toEqual([
      [idOf({ slot: 0 }), reportedOrder()],
      [idOf({ slot: 1 }), "missing"],
    ]);
  });
});

describe("a pass without enough calls or time", () => {
  it("reports it, and skips a market rather than read half of it", async () => {
    const two = [order(), order({ symbol: OTHER, slot: 1, exchangeId: "x2" })];
    const reads = async (over: Setup) => {
      const { requests, short } = await observed({ orders: two, ...over });
      return [requests.filter((one) => one.startsWith("openOrders")).length, short];
    };
    expect(await reads({ calls: 2 })).toEqual([0, true]);
    expect(await reads({ calls: 3 })).toEqual([1, true]);
    expect(await reads({ fitting: 5 })).toEqual([1, true]);
    expect(await reads({ fitting: 6 })).toEqual([2, false]);
    expect(await reads({ calls: 100 })).toEqual([2, false]);
  });

  it("reports it if no call was left for balances or for an order", async () => {
    const free = { orders: [order({ slot: 0 })] };
    expect((await observed({ ...free, calls: 3 })).short).toBe(true);
    expect((await observed({ ...free, calls: 4 })).short).toBe(false);
    const gone = { openOrders: async () => [] };
    expect((await observed({ exchange: gone, calls: 3 })).short).toBe(true);
  });

  it("reports it if the exchange's budget has no call for a market", async () => {
    const exchange = { openOrders: () => Promise.reject(new BudgetSpent("none left", 500)) };
    const reads = await observed({ exchange });
    expect([reads.markets.size, reads.refused.size, reads.short]).toEqual([0, 0, true]);
  });

  it("reports it if it could not look up an unexpected order", async () => {
    const fills = async (symbol: string, span: { from: number }) => ({
      ...(await nothingDone(symbol, span)),
      fills: [trade({ orderId: "x5", at: NOW })],
    });
    const reads = await observed({ exchange: { fills }, calls: 3 });
    expect([reads.short, [...reads.unlooked]]).toEqual([true, [[SYMBOL, NOW]]]);
  });
});

describe("an unreadable market", () => {
  const failing = (failure: VenueError["failure"]) => ({
    openOrders: () => Promise.reject(new VenueError(failure, `it is ${failure}`)),
  });

  it("is skipped if the exchange rejects only that one, and the others are read", async () => {
    for (const failure of ["unlisted", "refused"] as const) {
      const exchange = {
        openOrders: async (symbol?: string) => (symbol === SYMBOL ? failing(failure).openOrders() : []),
      };
      const reads = await observed({ orders: [order(), order({ symbol: OTHER, slot: 1 })], exchange });
      expect([[...reads.refused], [...reads.markets.keys()], reads.short]).toEqual([
        [[SYMBOL, `it is ${failure}`]],
        [OTHER],
        false,
      ]);
    }
  });

  it("is skipped as well if the exchange rejects the lookup of its orders", async () => {
    const exchange = {
      openOrders: async () => [],
      order: async ({ symbol }: { symbol: string }) =>
        symbol === SYMBOL ? Promise.reject(new VenueError("unlisted", "no such pair")) : undefined,
    };
    const reads = await observed({ orders: [order(), order({ symbol: OTHER, slot: 1 })], exchange });
    expect([[...reads.refused], [...reads.markets.keys()]]).toEqual([[[SYMBOL, "no such pair"]], [OTHER]]);
  });

  it("ends the pass if the exchange does not respond, or on an internal error", async () => {
    await expect(observed({ exchange: failing("unavailable") })).rejects.toThrow("it is unavailable");
    const broken = { openOrders: () => Promise.reject(new TypeError("a mistake")) };
    await expect(observed({ exchange: broken })).rejects.toThrow("a mistake");
  });

  it("is known to be unlisted if its price is refused for that reason", async () => {
    const ticker = () => Promise.reject(new VenueError("unlisted", "no such pair"));
    expect((await observed({ exchange: { ticker } })).markets.get(SYMBOL)).toMatchObject({
      isUnlisted: true,
      error: "no such pair",
    });
  });

  it("has no price if only the price fails: its open orders are still managed", async () => {
    const ticker = () => Promise.reject(new VenueError("unavailable", "no price"));
    const reads = await observed({ exchange: { ticker } });
    expect(reads.markets.get(SYMBOL)).toMatchObject({
      market: { symbol: SYMBOL },
      quote: undefined,
      error: "no price",
    });
    expect(reads.markets.get(SYMBOL)).not.toHaveProperty("isUnlisted");
    expect(reads.reports.size).toBe(2);
    const broken = { ticker: () => Promise.reject(new TypeError("a mistake")) };
    await expect(observed({ exchange: broken })).rejects.toThrow("a mistake");
  });
});

describe("an order that the pass did not expect", () => {
  const later = (over: object = {}) => reportedOrder({ id: "x5", clientId: idOf({ serial: 5 }), ...over });
  const withOpen = (more: ReturnType<typeof reportedOrder>[]) => ({
    openOrders: async () => [
      reportedOrder(),
      reportedOrder({ id: "x2", clientId: idOf({ slot: 1 }) }),
      ...more,
    ],
  });

  it("is found if it has no row", async () => {
    const reads = await observed({ exchange: withOpen([later()]) });
    expect([reads.found, reads.late]).toEqual([[later()], []]);
    expect(reads.looks).toEqual([
      [snapshot().lease.account, { exchange: ["x5"], client: [] }],
      [snapshot().lease.account, { exchange: [], client: [idOf({ serial: 5 })] }],
    ]);
  });

  it("is late if it has a settled row, by the exchange's id or by ours", async () => {
    const settled = order({ clientId: idOf({ serial: 5 }), state: "canceled", settled: true });
    const byTheirs = await observed({
      exchange: withOpen([later()]),
      rows: [{ ...settled, exchangeId: "x5" }],
    });
    expect([byTheirs.found, byTheirs.late]).toEqual([[], [{ ...settled, exchangeId: "x5" }]]);
    const byOurs = await observed({
      exchange: withOpen([later()]),
      rows: [{ ...settled, exchangeId: null }],
    });
    expect([byOurs.found, byOurs.late]).toEqual([[], [{ ...settled, exchangeId: "x5" }]]);
  });

  it("is not looked up again if a trade names an order that has a row", async () => {
    const fills = async (symbol: string, span: { from: number }) => ({
      ...(await nothingDone(symbol, span)),
      fills: [trade({ orderId: "x5", at: NOW })],
    });
    const settled = order({ clientId: idOf({ serial: 5 }), exchangeId: "x5", settled: true });
    const reads = await observed({ exchange: { fills }, rows: [settled] });
    expect([reads.late, reads.requests.includes("order")]).toEqual([[settled], false]);
  });

  it("is observed if it has an unsettled row", async () => {
    const pending = order({ slot: 2, exchangeId: null, state: "pending" });
    const shown = reportedOrder({ id: "x9", clientId: pending.clientId });
    const exchange = withOpen([shown]);
    const orders = [
      order({ slot: 0 }),
      order({ slot: 1, exchangeId: "x2" }),
      { ...pending, symbol: OTHER } as Order,
    ];
    const reads = await observed({ orders, rows: orders, exchange });
    expect([reads.found, reads.late, reads.reports.get(pending.clientId)]).toEqual([[], [], shown]);
  });

  it("is found once, from any source", async () => {
    const behind = strategy({ state: state([slot()], { epoch: 0 }) });
    const exchange = {
      ...withOpen([later()]),
      order: async ({ clientId }: { clientId?: string | undefined }) =>
        clientId === idOf({ serial: 5 }) ? later() : undefined,
    };
    expect((await observed({ strategies: [behind], exchange })).found).toEqual([later()]);
  });

  it("is looked up for trades of its market only", async () => {
    const requests: unknown[] = [];
    const exchange = {
      ...withOpen([later({ filled: d("1") })]),
      fillsOf: async (symbol: string, ids: readonly string[]) => {
        requests.push([symbol, ids]);
        return { fills: [trade({ orderId: "x5", at: 10 })], unreadable: [] };
      },
    };
    const orders = [order({ slot: 0 }), order({ symbol: OTHER, slot: 1, exchangeId: "x2" })];
    const reads = await observed({ exchange, orders });
    expect(requests).toEqual([[SYMBOL, ["x5"]]]);
    expect(reads.markets.get(SYMBOL)?.trades.map(({ orderId }) => orderId)).toEqual(["x5"]);
  });
});

it("a pass requests the value of fees in other assets, and reports orders without an owner", async () => {
  const fills = async (symbol: string, span: { from: number }) => ({
    ...(await nothingDone(symbol, span)),
    fills: [trade({ orderId: "x5", at: 10, fees: [{ asset: "MX", amount: d("1") }] })],
  });
  const reads = await observed({
    exchange: { fills, order: async () => describeFilled({ id: "x5", clientId: "mine" }) },
  });
  expect([[...(reads.feePrices ?? [])], reads.foreign]).toEqual([[["MX/USDT", d("105")]], ["x5"]]);
});

/** The queries of a pass, and the fills that it gives to the pair's strategies. */
async function reads(need: object | undefined, filledAt: number | undefined, bookAt: number | null = NOW) {
  const queries: unknown[] = [];
  const store = {
    async measuredFillsOf(id: string, page: object) {
      queries.push([id, page]);
      return [{ strategy: id } as MeasuredFill];
    },
  };
  const known = snapshot({ strategies: [strategy({ id: "a" }), strategy({ id: "b" })] });
  const memory = { ...known.memory, ...(filledAt === undefined ? {} : { filledAt: { [SYMBOL]: filledAt } }) };
  const book = bookAt === null ? undefined : { bids: [], asks: [], at: bookAt };
  const markets = new Map<Pair, MarketSnapshot>([[SYMBOL, observedMarket({ book })]]);
  const kinds = (() => ({ fillsFor: () => need })) as unknown as Kinds;
  await readMeasuredFills({ kinds, store }, { ...known, memory }, markets);
  return { queries, fills: markets.get(SYMBOL)?.fills?.map((fill) => fill.strategy) };
}

const NEED = { within: 45 * SECOND, count: 100 };

it("a pass reads a bounded number of fills for each strategy that uses them", async () => {
  expect(await reads(NEED, NOW - 45 * SECOND)).toEqual({
    queries: [
      ["a", { limit: 100 }],
      ["b", { limit: 100 }],
    ],
    fills: ["a", "b"],
  });
});

it("a pass reads them by the time of the book, and by its own without a book", async () => {
  const at = NOW - 46 * SECOND;
  expect((await reads(NEED, at, NOW - SECOND)).queries).toHaveLength(2);
  expect((await reads(NEED, NOW - 45 * SECOND, null)).queries).toHaveLength(2);
  expect((await reads(NEED, at, null)).queries).toEqual([]);
});

it.each([
  ["no strategy uses them", undefined, NOW],
  ["the pair has no fills", NEED, undefined],
  ["the newest fill is too old to matter", NEED, NOW - 45 * SECOND - 1],
])("a pass reads no fills if %s", async (_why, need, filledAt) => {
  expect(await reads(need, filledAt)).toEqual({ queries: [], fills: undefined });
});
