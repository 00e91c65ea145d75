import { describe, expect, it } from "vitest";
import { tradesAreDue } from "../../src/engine/pass/observe-markets.ts";
import { TRADES_WAIT } from "../../src/engine/reconcile/order-fills.ts";
import { type MarketSnapshot, type Observation, reconcile } from "../../src/engine/reconcile/reconcile.ts";
import { NEW_ORDER, type Order } from "../../src/model/order.ts";
import type { Snapshot } from "../../src/ports/stores/pass-store.ts";
import type { VenueFill } from "../../src/ports/venue.ts";
import { REAL_TIMING } from "../simulation/plan.ts";
import { d } from "../support/grid.ts";

const SINCE = 1_000_000;
const DUE = SINCE + TRADES_WAIT;
const FEES = [{ asset: "USDT", amount: d("0.1") }];

/** Filled ten minutes ago by what it tells, and no trade of it seen since. */
const order = {
  ...NEW_ORDER,
  clientId: "em1",
  exchangeId: "7",
  account: "sandbox:sim:",
  strategy: "grid-1",
  symbol: "BTC/USDT",
  side: "buy",
  type: "limit",
  price: d("100"),
  amount: d("2"),
  state: "filled",
  filled: d("2"),
  notional: d("200"),
  fees: FEES,
  endedAt: SINCE,
  behindSince: SINCE,
  createdAt: SINCE - 60_000,
} as unknown as Order;

const trade = { id: "t1", orderId: "7", symbol: "BTC/USDT", side: "buy", price: d("100"), amount: d("2") };
const shown = { ...trade, notional: d("200"), fees: FEES, at: SINCE } as unknown as VenueFill;

function observation(observed: Partial<MarketSnapshot>): Observation {
  const market = { open: [], trades: [], unreadable: [], tradesRead: false, ...observed } as unknown;
  const markets = new Map([[order.symbol, market as MarketSnapshot]]);
  return { markets, reports: new Map(), found: [], late: [], timing: REAL_TIMING } as unknown as Observation;
}

const bookedBy = (observed: Partial<MarketSnapshot>, now = DUE) =>
  reconcile(order, observation(observed), now).fills.map(({ tradeId }) => tradeId);

const dueFor = (over: Partial<Order>) =>
  tradesAreDue(
    {
      memory: { tradesAt: { "BTC/USDT": DUE - 1 } },
      lease: { now: DUE },
      orders: [{ ...order, ...over }],
      strategies: [],
      epoch: 0,
    } as unknown as Snapshot,
    order.symbol,
    [],
    REAL_TIMING,
  );

describe("an order whose trades are missing for ten minutes", () => {
  it("is booked from its own sums only by a pass that requested its trades", () => {
    expect(bookedBy({})).toEqual([]);
    expect(bookedBy({ requestedOrders: new Set(["8"]) })).toEqual([]);
    // The pair's trades, read from the cursor on, may not reach back to it.
    expect(bookedBy({ tradesRead: true })).toEqual([]);
    expect(bookedBy({ requestedOrders: new Set(["7"]) })).toEqual([`order:7:${d("2")}`]);
    expect(bookedBy({ requestedOrders: new Set(["7"]) }, DUE - 1)).toEqual([]);
  });

  it("is booked from a trade that appears in the last request", () => {
    expect(bookedBy({ requestedOrders: new Set(["7"]), trades: [shown] })).toEqual(["t1"]);
  });

  it("is requested immediately once more, but only at intervals if its notional is unknown", () => {
    expect(dueFor({})).toBe(true);
    expect(dueFor({ fees: null })).toBe(true);
    expect(dueFor({ notional: null })).toBe(false);
  });
});
