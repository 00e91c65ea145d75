import { describe, expect, it } from "vitest";
import { checkForeignOrders, foreignOrdersAmong } from "../../../src/engine/pass/observe.ts";
import type { OrderReport } from "../../../src/engine/reconcile/order-fills.ts";
import type { MarketSnapshot } from "../../../src/engine/reconcile/reconcile.ts";
import type { Pair } from "../../../src/kernel/pair.ts";
import type { UnreadableFill, Venue, VenueOrder } from "../../../src/ports/venue.ts";
import {
  idOf,
  NOW,
  observedMarket,
  order,
  reportedOrder,
  SYMBOL,
  snapshot,
  TIMING,
  trade,
} from "../../support/made.ts";
import { callsLeft, exchangeOf } from "./answering.ts";

const marketsOf = (
  over: Partial<MarketSnapshot> = {},
  more: readonly (readonly [Pair, MarketSnapshot])[] = [],
): ReadonlyMap<Pair, MarketSnapshot> => new Map([[SYMBOL, observedMarket(over)], ...more]);

const unreadable = (over: Partial<UnreadableFill> = {}): UnreadableFill => ({
  id: "t9",
  orderId: "x9",
  at: 2_000,
  reason: "no price",
  ...over,
});

describe("an unexpected order", () => {
  const among = (
    over: Partial<MarketSnapshot>,
    {
      orders = [order()],
      reports = {},
    }: { orders?: ReturnType<typeof order>[]; reports?: Record<string, OrderReport> } = {},
  ) => [...foreignOrdersAmong(snapshot({ orders }), marketsOf(over), new Map(Object.entries(reports)))];

  it("is one named by a trade, even an unreadable one, whose id is none of ours", () => {
    expect(among({ trades: [trade(), trade({ orderId: "x7" })], unreadable: [unreadable()] })).toEqual([
      "x7",
      "x9",
    ]);
    expect(among({ unreadable: [unreadable({ orderId: null })] })).toEqual([]);
  });

  it("is known by the id that this pass has read", () => {
    const orders = [order({ exchangeId: null })];
    expect(among({ trades: [trade()] }, { orders })).toEqual(["x1"]);
    expect(among({ trades: [trade()] }, { orders, reports: { [idOf()]: "missing" } })).toEqual(["x1"]);
    expect(among({ trades: [trade()] }, { orders, reports: { [idOf()]: reportedOrder() } })).toEqual([]);
  });

  it("is one on the open list with the id of a strategy rather than of a user", () => {
    const open = [
      reportedOrder(),
      reportedOrder({ id: "x5" }),
      reportedOrder({ id: "x6", clientId: "mine" }),
    ];
    expect(among({ open })).toEqual(["x5"]);
  });
});

/** What becomes of the unknown `x5`, which trades of some ages name. */
async function looked(
  unknown: readonly string[],
  over: {
    readonly ages?: readonly number[];
    readonly open?: readonly VenueOrder[];
    readonly order?: Venue["order"];
    readonly foreign?: readonly string[];
    readonly calls?: number;
    readonly readLag?: number;
    readonly unreadable?: readonly UnreadableFill[];
  } = {},
) {
  const { ages = [], open = [], calls, readLag = TIMING.readLag, foreign = [] } = over;
  const { venue, requests } = exchangeOf({
    timing: { readLag },
    ...(over.order ? { order: over.order } : {}),
  });
  const trades = ages.map((age, i) => trade({ id: `t${i}`, orderId: "x5", at: NOW - age }));
  const markets = marketsOf({ trades, open, unreadable: over.unreadable ?? [] });
  const memory = { ...snapshot().memory, foreign };
  const budget = callsLeft(calls);
  const { unlooked, ...rest } = await checkForeignOrders(venue, snapshot({ memory }), markets, {
    unknown,
    budget,
  });
  return { ...rest, unlooked: [...unlooked], requests };
}

const NONE = { found: [], foreign: [], unlooked: [], short: false, requests: [] };
const YOUNG = TIMING.readLag + TIMING.skew;

describe("the lookup of an order without a row", () => {
  it("takes it from the open list if it is there", async () => {
    const open = [reportedOrder({ id: "x4" }), reportedOrder({ id: "x5" })];
    expect(await looked(["x5"], { open })).toEqual({ ...NONE, found: [open[1]] });
  });

  it("needs a call on the trade's market if only a trade names it", async () => {
    const answer = reportedOrder({ id: "x5" });
    expect(await looked(["x5"], { ages: [1], order: async () => answer })).toEqual({
      ...NONE,
      found: [answer],
      requests: [["order", { symbol: SYMBOL, id: "x5" }]],
    });
  });

  it("finds a user's order, which is not looked up again", async () => {
    const mine = async () => reportedOrder({ id: "x5", clientId: "mine" });
    expect(await looked(["x5"], { ages: [1], order: mine })).toMatchObject({ found: [], foreign: ["x5"] });
    expect(await looked(["x5"], { ages: [1], order: mine, foreign: ["x5"] })).toEqual(NONE);
  });

  it("counts as not found only once its trades are older than the exchange's read lag", async () => {
    expect(await looked(["x5"], { ages: [YOUNG + 1] })).toMatchObject({ foreign: ["x5"], unlooked: [] });
    expect(await looked(["x5"], { ages: [YOUNG] })).toMatchObject({
      foreign: [],
      unlooked: [[SYMBOL, NOW - YOUNG]],
      short: false,
    });
    // The youngest tells, and the market is read again from the oldest on.
    expect(await looked(["x5"], { ages: [5, YOUNG + 9, 7] })).toMatchObject({
      unlooked: [[SYMBOL, NOW - YOUNG - 9]],
    });
  });

  it("counts as not found on a simulated exchange, which shows all orders immediately", async () => {
    expect(await looked(["x5"], { ages: [0], readLag: 0 })).toMatchObject({ foreign: ["x5"], unlooked: [] });
  });

  it("waits for the next pass if there is no call for it", async () => {
    expect(await looked(["x5"], { ages: [5], calls: 0 })).toEqual({
      ...NONE,
      unlooked: [[SYMBOL, NOW - 5]],
      short: true,
    });
  });

  it("starts at an unreadable trade's time, or at the beginning", async () => {
    const rows = (at: number | null) => [
      unreadable({ orderId: "x5", at }),
      unreadable({ orderId: "x6", at: 1 }),
    ];
    expect((await looked(["x5"], { unreadable: rows(900), calls: 0 })).unlooked).toEqual([[SYMBOL, 900]]);
    expect((await looked(["x5"], { unreadable: rows(null), calls: 0 })).unlooked).toEqual([[SYMBOL, 0]]);
  });

  it("is not sent to an exchange if no market names the order", async () => {
    expect(await looked(["x5"], {})).toEqual({ ...NONE, foreign: ["x5"] });
  });
});
