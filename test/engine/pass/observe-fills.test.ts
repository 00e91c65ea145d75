import { describe, expect, it } from "vitest";
import { readFills, readLacking } from "../../../src/engine/pass/observe-fills.ts";
import { tradesAreDue } from "../../../src/engine/pass/observe-markets.ts";
import type { MarketSnapshot } from "../../../src/engine/reconcile/reconcile.ts";
import type { Order } from "../../../src/model/order.ts";
import type { Snapshot } from "../../../src/ports/stores/pass-store.ts";
import type { FillsOfSpan, FillsRead, VenueFill, VenueOrder } from "../../../src/ports/venue.ts";
import { d, slot, state } from "../../support/grid.ts";
import {
  describeFilled,
  fill,
  idOf,
  NOW,
  observedMarket,
  order,
  reportedOrder,
  SYMBOL,
  snapshot,
  strategy,
  TIMING,
  trade,
} from "../../support/made.ts";
import { callsLeft, exchangeOf } from "./answering.ts";

const { overlap, readLag } = TIMING;
const cursors = { [SYMBOL]: { at: NOW - 50_000, ahead: null } };
const FROM = NOW - 50_000 - overlap;

/** Reads trades of an exchange that tells so long a part of a span at a time. */
async function read(
  all: readonly VenueFill[],
  { part = Number.MAX_SAFE_INTEGER, calls, over = {}, unreadable = [] }: Reading = {},
) {
  const { venue, requests } = exchangeOf({
    fills: async (_, { from, to = NOW }): Promise<FillsOfSpan> => {
      const end = Math.min(to, from + part);
      const fills = all.filter(({ at }) => at >= from && at <= end);
      return { fills, unreadable, covered: { from, to: end }, now: NOW };
    },
  });
  const observed = await readFills(venue, snapshot({ cursors, ...over }), SYMBOL, callsLeft(calls));
  return {
    ...observed,
    trades: observed.trades.map(({ id }) => id),
    requests: requests.map(([, , span]) => span),
  };
}

interface Reading {
  readonly part?: number;
  readonly calls?: number;
  readonly over?: Partial<Snapshot>;
  readonly unreadable?: FillsRead["unreadable"];
}

describe("reading trades", () => {
  it("starts an overlap before the end of the last pass, and stops at the end of the trades", async () => {
    const observed = await read([trade({ at: NOW - 10 })]);
    expect(observed).toMatchObject({ trades: ["t1"], short: false, requests: [{ from: FROM }] });
    expect(observed.reading).toEqual({ from: NOW, ahead: null, until: NOW });
  });

  it("continues while there are more trades, and sorts them", async () => {
    const all = [trade({ id: "b", at: NOW - 10 }), trade({ id: "a", at: NOW - 40_000 })];
    const observed = await read(all, { part: 30_000 });
    expect(observed).toMatchObject({ trades: ["a", "b"], short: false });
    expect(observed.requests).toEqual([{ from: FROM }, { from: FROM + 30_000 }]);
  });

  it.each([
    [100, 8],
    [10, 5],
    [3, 1],
    [1, 1],
    [0, 0],
  ])("sends at most eight requests, and with %i calls left %i", async (calls, times) => {
    const { requests, short } = await read([], { part: 1_000, calls });
    expect([requests.length, short]).toEqual([times, true]);
  });

  it("sends no request if we have no order and no strategy there", async () => {
    const { requests, reading, short } = await read([], { over: { strategies: [] } });
    expect([requests, reading, short]).toEqual([[], undefined, false]);
  });

  it("skips trades that are booked, or so old that they must be", async () => {
    const all = [
      trade({ id: "booked", at: NOW - 5 }),
      trade({ id: "old", at: FROM - 1 }),
      trade({ id: "edge", at: FROM }),
    ];
    const { venue } = exchangeOf({
      fills: async (_, { from }) => ({ fills: all, unreadable: [], covered: { from, to: NOW }, now: NOW }),
    });
    const known = snapshot({ cursors, booked: { [SYMBOL]: new Map([["booked", fill()]]) } });
    const { trades } = await readFills(venue, known, SYMBOL, callsLeft());
    expect(trades.map(({ id }) => id)).toEqual(["edge"]);
  });

  it("reports an unreadable row once, but not one that another response shows complete", async () => {
    const row = (id: string | null) => ({ id, orderId: "x1", at: NOW, reason: "no price" });
    const rows = [row("t1"), row("bad"), row("bad"), row(null)];
    const observed = await read([trade({ at: NOW - 10 })], { unreadable: rows });
    expect(observed.unreadable).toEqual([row("bad"), row(null)]);
  });
});

interface Lack {
  readonly orders?: readonly Order[];
  readonly reports?: Readonly<Record<string, VenueOrder | "missing">>;
  readonly found?: readonly VenueOrder[];
  readonly over?: Partial<MarketSnapshot> & { readonly short?: boolean };
  readonly calls?: number;
  readonly fitting?: number;
  readonly token?: number;
  readonly answer?: FillsRead;
}

/** Orders whose trades are asked for on their own. */
async function lacking({
  orders = [],
  reports = {},
  found = [],
  over = {},
  calls,
  fitting = 9,
  token = 1,
  answer,
}: Lack) {
  const { venue, requests } = exchangeOf(answer ? { fillsOf: async () => answer } : {});
  const whole = { ...observedMarket(over), short: over.short ?? false };
  const lease = { account: "a", token, owner: "one", now: NOW, until: NOW + TIMING.leaseTtl };
  const looked = { observed: whole, reports: new Map(Object.entries(reports)), found };
  const known = snapshot({ orders, lease, cursors });
  const budget = { ...callsLeft(), left: calls ?? 100, fitting };
  const observed = await readLacking(venue, known, SYMBOL, looked, budget);
  const ids = (requests[0]?.[2] ?? []) as string[];
  expect(requests.length).toBe(ids.length > 0 ? 1 : 0);
  return { ids, since: requests[0]?.[3], observed, whole };
}

const filled = (over: Partial<Order> = {}) => order({ filled: d("2"), ...over });

describe("an order that lacks trades", () => {
  it("is requested separately, from an overlap before it was placed", async () => {
    const { ids, since, observed } = await lacking({ orders: [filled({ createdAt: 9_000 })] });
    expect([ids, since, observed.requestedOrders]).toEqual([["x1"], 9_000 - overlap, new Set(["x1"])]);
  });

  it("is one whose row or exchange report exceeds the booked or newly read trades", async () => {
    expect((await lacking({ orders: [order()] })).ids).toEqual([]);
    expect((await lacking({ orders: [order()], reports: { [idOf()]: describeFilled() } })).ids).toEqual([
      "x1",
    ]);
    expect((await lacking({ orders: [order()], reports: { [idOf()]: "missing" } })).ids).toEqual([]);
    expect((await lacking({ orders: [filled({ booked: d("2") })] })).ids).toEqual([]);
    const one = [trade({ amount: d("1") })];
    expect((await lacking({ orders: [filled()], over: { trades: one } })).ids).toEqual(["x1"]);
    expect((await lacking({ orders: [filled({ booked: d("1") })], over: { trades: one } })).ids).toEqual([]);
    const others = [trade({ orderId: "x2", amount: d("2") })];
    expect((await lacking({ orders: [filled()], over: { trades: others } })).ids).toEqual(["x1"]);
  });

  it("uses the id that this pass has read, and is not requested without one", async () => {
    const orders = [filled({ exchangeId: null })];
    expect((await lacking({ orders })).ids).toEqual([]);
    expect((await lacking({ orders, reports: { [idOf()]: describeFilled({ id: "x8" }) } })).ids).toEqual([
      "x8",
    ]);
  });

  it("is one of a strategy on this market", async () => {
    expect((await lacking({ orders: [filled({ strategy: null })] })).ids).toEqual([]);
    expect((await lacking({ orders: [filled({ symbol: "ETH/USDT" })] })).ids).toEqual([]);
  });

  it("waits until the market's trades are read to their end or it is overdue", async () => {
    const short = { short: true, tradesRead: false };
    expect((await lacking({ orders: [filled()], over: short })).ids).toEqual([]);
    const late = (age: number) => [filled({ behindSince: NOW - age, state: "filled", exchangeId: "x1" })];
    expect((await lacking({ orders: late(readLag - 1), over: short })).ids).toEqual([]);
    expect((await lacking({ orders: late(readLag), over: short })).ids).toEqual(["x1"]);
  });

  it("that is overdue is requested only by a pass that has read its market", async () => {
    const long = [filled({ behindSince: NOW - 3_600_000, state: "filled" })];
    expect((await lacking({ orders: long, over: { short: true, tradesRead: false } })).ids).toEqual([]);
    expect((await lacking({ orders: long, over: { short: true, tradesRead: true } })).ids).toEqual(["x1"]);
  });

  it("is one of at most three per pass, in turn, within the calls available", async () => {
    const orders = [0, 1, 2, 3].map((slot) => filled({ slot, exchangeId: `x${slot}` }));
    expect((await lacking({ orders, token: 4 })).ids).toEqual(["x0", "x1", "x2"]);
    expect((await lacking({ orders, token: 7 })).ids).toEqual(["x3", "x0", "x1"]);
    expect((await lacking({ orders: orders.slice(0, 3), token: 5 })).ids).toEqual(["x0", "x1", "x2"]);
    expect((await lacking({ orders, token: 4, calls: 1 })).ids).toEqual(["x0"]);
    expect((await lacking({ orders, calls: 0 })).ids).toEqual([]);
    const { observed, whole } = await lacking({ orders, fitting: 1 });
    expect(observed).toBe(whole);
  });

  it("adds the new trades of its response to those already read", async () => {
    const answer = {
      fills: [trade({ id: "t2", at: NOW - 2 }), trade({ id: "ancient", at: 10 })],
      unreadable: [{ id: "t1", orderId: "x1", at: NOW, reason: "no price" }],
    };
    const lacks = filled({ createdAt: NOW - 100 });
    const { observed, whole } = await lacking({
      orders: [lacks],
      over: { trades: [trade({ at: NOW - 1 })] },
      answer,
    });
    expect(observed).toEqual({
      ...whole,
      trades: [trade({ id: "t2", at: NOW - 2 }), trade({ at: NOW - 1 })],
      unreadable: [],
      requestedOrders: new Set(["x1"]),
    });
  });
});

describe("an order without a row", () => {
  const found = [reportedOrder({ id: "x5", clientId: idOf({ serial: 3 }), filled: d("1"), at: 7_000 })];

  it("is requested after the earlier order of its slot, and before all other orders that lack trades", async () => {
    const late = [
      filled({ behindSince: NOW - readLag, slot: 1, exchangeId: "x2" }),
      filled({ behindSince: NOW - readLag }),
    ];
    const { ids, since } = await lacking({ found, orders: late });
    expect([ids, since]).toEqual([["x1", "x5", "x2"], 1_000 - overlap]);
  });

  it("books trades that are older than any other unknown one", async () => {
    const answer = { fills: [trade({ id: "old", orderId: "x5", at: 10 })], unreadable: [] };
    expect((await lacking({ found, answer })).observed.trades.map(({ id }) => id)).toEqual(["old"]);
  });

  it("with available trades is not requested, but the earlier order of its slot is", async () => {
    const trades = [trade({ orderId: "x5", amount: d("1") })];
    const before = { behindSince: NOW - readLag };
    const orders = [
      filled({ ...before, slot: 1, exchangeId: "x2" }),
      filled({ ...before, slot: 0, exchangeId: "x1" }),
    ];
    expect((await lacking({ found, over: { trades } })).ids).toEqual([]);
    expect((await lacking({ found, over: { trades }, orders })).ids).toEqual(["x1"]);
    expect((await lacking({ found, over: { trades }, orders: orders.slice(0, 1) })).ids).toEqual(["x2"]);
    // What only lacks trades because this pass has not seen all of them waits, in other slots.
    const [fresh, elsewhere] = [[filled()], [filled({ clientId: idOf({ slot: 1 }) })]];
    expect((await lacking({ found, over: { trades }, orders: fresh })).ids).toEqual(["x1"]);
    expect((await lacking({ found, over: { trades }, orders: elsewhere })).ids).toEqual([]);
  });
});

const EVERY = 60_000;

/** Whether trades are asked for that were read `ago`, of an order that rests and shows. */
function due({
  ago = EVERY - 1,
  orders = [order()],
  open = [reportedOrder()],
  ...over
}: Partial<Snapshot> & {
  readonly ago?: number | undefined;
  readonly orders?: readonly Order[];
  readonly open?: readonly VenueOrder[];
} = {}): boolean {
  const memory = { ...snapshot().memory, tradesAt: { [SYMBOL]: NOW - ago } };
  const all = snapshot({ orders, memory, ...over });
  return tradesAreDue(all, SYMBOL, open, { ...TIMING, tradesEvery: EVERY });
}

describe("the trades of a market", () => {
  it("are requested at intervals, and if they were never read", () => {
    expect(due()).toBe(false);
    expect(due({ ago: EVERY })).toBe(true);
    expect(due({ memory: snapshot().memory })).toBe(true);
    expect(due({ memory: { ...snapshot().memory, tradesAt: { "ETH/USDT": NOW } } })).toBe(true);
  });

  it("are requested after a restore, until pending trades are visible", () => {
    const grid = (over: object, more: object = {}) =>
      strategy({ state: state([slot()], { epoch: 1, ...over }), ...more });
    expect(due({ strategies: [grid({ epoch: 0 })] })).toBe(true);
    expect(due({ strategies: [grid({ recoversUntil: NOW + 1 })] })).toBe(true);
    expect(due({ strategies: [grid({ recoversUntil: NOW })] })).toBe(false);
    expect(due({ strategies: [grid({ epoch: 0, recoversUntil: NOW + 1 }, { symbol: "ETH/USDT" })] })).toBe(
      false,
    );
    expect(due({ strategies: [grid({}), grid({ epoch: 0 })] })).toBe(true);
  });

  it("are requested if the open list has a strategy order without a row", () => {
    expect(due({ open: [reportedOrder(), reportedOrder({ id: "x5" })] })).toBe(true);
    expect(due({ open: [reportedOrder(), reportedOrder({ id: "x5", clientId: "mine" })] })).toBe(false);
  });

  it("are requested if an order has left the open list or has new fills", () => {
    expect(due({ open: [] })).toBe(true);
    expect(due({ open: [reportedOrder({ filled: d("1") })] })).toBe(true);
    expect(due({ orders: [order({ filled: d("1") })] })).toBe(true);
    expect(due({ orders: [order(), order({ filled: d("1") })] })).toBe(true);
    const other = reportedOrder({ id: "x9", clientId: "mine" });
    expect(due({ open: [other, reportedOrder({ filled: d("1") })] })).toBe(true);
    expect(due({ open: [other] })).toBe(true);
    const half = { filled: d("1"), booked: d("1") };
    expect(due({ orders: [order(half)], open: [reportedOrder({ filled: d("1") })] })).toBe(false);
    expect(due({ orders: [order(half)], open: [reportedOrder({ filled: d("2") })] })).toBe(true);
  });

  it("match an order on the list by either of its ids", () => {
    expect(due({ open: [reportedOrder({ clientId: undefined })] })).toBe(false);
    const submitted = [order({ exchangeId: null }), order({ clientId: idOf({ slot: 4 }), exchangeId: "x1" })];
    expect(
      due({ orders: submitted, open: [reportedOrder(), reportedOrder({ clientId: idOf({ slot: 4 }) })] }),
    ).toBe(false);
  });

  it("are not requested for an ended order with all of it booked", () => {
    expect(due({ orders: [order({ state: "canceled" })], open: [] })).toBe(false);
    expect(due({ orders: [order({ state: "canceled", filled: d("1") })], open: [] })).toBe(true);
  });

  it("are not requested for another market, a user's order, or an order whose wait is over", () => {
    expect(due({ orders: [order({ symbol: "ETH/USDT" })], open: [] })).toBe(false);
    expect(due({ orders: [order({ strategy: null })], open: [] })).toBe(false);
    const long = order({ state: "filled", filled: d("2"), behindSince: NOW - 3_600_000 });
    expect(due({ orders: [long], open: [] })).toBe(false);
    expect(due({ orders: [{ ...long, behindSince: NOW - 1 }], open: [] })).toBe(true);
  });
});
