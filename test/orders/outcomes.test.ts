import { describe, expect, it } from "vitest";
import { VenueError } from "../../src/kernel/errors.ts";
import {
  acceptedId,
  asRequested,
  manualOrder,
  manualOrderOutcome,
  orderOut,
  prepareOrder,
} from "../../src/orders/manual-order.ts";
import { hasEnded } from "../../src/orders/operations/self-cross.ts";
import { previewOrder } from "../../src/orders/preview.ts";
import type { Venue } from "../../src/ports/venue.ts";
import { d, market } from "../support/grid.ts";
import { order, reportedOrder, TIMING } from "../support/made.ts";

const MARKET = market({ taker: d("0.002") });
const quote = { bid: d("104"), ask: d("106"), at: 1 };

describe("the outcome of a manual order", () => {
  it("is unknown without a response: it is looked up, and never counted as not placed", () => {
    const unknown = { result: "unknown", reason: "timeout" } as const;
    expect(manualOrderOutcome(order(), unknown)).toMatchObject({
      state: "unknown",
      reason: "timeout",
      exchangeId: null,
    });
    expect(() => acceptedId(order(), unknown)).toThrow(
      /did not confirm the order \(timeout\); check your open orders/,
    );
    expect(manualOrderOutcome(order(), { result: "not_sent" })).toMatchObject({
      state: "rejected",
      reason: "not sent",
    });
    expect(manualOrderOutcome(order(), { result: "accepted", id: "x9" })).toMatchObject({
      state: "submitted",
      exchangeId: "x9",
    });
  });

  it("can no longer arrive after its deadline", () => {
    const terms = { account: "a", symbol: "BTC/USDT", clientId: "c", now: 1000, at: 5, actor: "p" } as const;
    const made = manualOrder(
      { ...terms, side: "buy", type: "limit", amount: 1n, price: 1n } as never,
      TIMING,
    );
    expect([made.sendBy, made.notAfter, made.createdAt, made.timeInForce]).toEqual([
      11_000,
      27_000,
      5,
      "gtc",
    ]);
  });

  it("shows what is left, and no price before the first fill of a market order", () => {
    const half = reportedOrder({ filled: d("0.5") });
    expect(orderOut(half)).toMatchObject({ amount: 2, filled: 0.5, remaining: 1.5, price: 100 });
    expect(orderOut(reportedOrder({ type: "market" })).price).toBe(0);
    expect(orderOut(reportedOrder({ type: "market", filled: d("1") }))).toMatchObject({
      price: 100,
      timestamp: 1_500,
      status: "open",
      side: "buy",
      symbol: "BTC/USDT",
      id: "x1",
    });
    expect(orderOut(reportedOrder({ clientId: "mine" })).clientOrderId).toBe("mine");
  });
});

it("a market order that was sent as a limit order has its average as its price", () => {
  const market = order({ type: "market" });
  const filled = reportedOrder({ filled: d("2"), notional: d("210") });
  expect(asRequested(market, filled)).toEqual({ ...filled, type: "market", price: d("105") });
  expect(asRequested(market, reportedOrder()).price).toBe(0n);
  expect(asRequested(order(), filled)).toEqual(filled);
});

it("an order has ended only if the exchange says so", async () => {
  const ended = (status?: string) => {
    const found = status === undefined ? undefined : reportedOrder({ status: status as never });
    return hasEnded({ order: async () => found } as unknown as Venue, { symbol: "BTC/USDT", id: "x1" });
  };
  const states = [
    "filled",
    "canceled",
    "expired",
    "rejected",
    "open",
    "partially_filled",
    "unknown",
    undefined,
  ];
  expect(await Promise.all(states.map(ended))).toEqual([true, true, true, true, false, false, false, false]);
  const silent = {
    order: () => Promise.reject(new VenueError("unavailable", "no answer")),
  } as unknown as Venue;
  expect(await hasEnded(silent, { symbol: "BTC/USDT", id: "x1" })).toBe(false);
});

describe("a manual order", () => {
  const ask = { side: "sell", type: "limit", amount: d("1.23456789"), price: d("105.001") } as const;

  it("is rounded to the person's advantage: a buy's price down, a sell's up, the amount down", () => {
    const sold = prepareOrder(ask, MARKET, quote);
    const bought = prepareOrder({ ...ask, side: "buy" }, MARKET, quote);
    expect(sold.price >= ask.price && bought.price <= ask.price && sold.price > bought.price).toBe(true);
    expect([sold.price - bought.price, sold.amount % MARKET.lot]).toEqual([MARKET.tick, 0n]);
    expect(sold.amount <= ask.amount).toBe(true);
  });

  it("is previewed with the higher of both fees", () => {
    const around = { exchange: "kraken", market: MARKET, quote, balances: [], killed: false, met: undefined };
    const book = { bids: [], asks: [], at: 1 };
    const { cost } = previewOrder(
      { ...ask, side: "buy", amount: d("2"), price: d("100") },
      { ...around, book },
    );
    expect(cost).toContain("200 USDT and a fee of at most 0.4 USDT");
  });
});
