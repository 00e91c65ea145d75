import { describe, expect, it } from "vitest";
import { giveFirstBase, layOut } from "../../src/grid/ladder/levels.ts";
import type { View } from "../../src/grid/plan/first-buy.ts";
import { nextOrders } from "../../src/grid/plan/next-orders.ts";
import { outdated } from "../../src/grid/plan/run.ts";
import type { GridState } from "../../src/grid/state/state.ts";
import { text } from "../../src/kernel/decimal.ts";
import { NEW_ORDER, type Order } from "../../src/model/order.ts";
import { d, market, slot, state } from "../support/grid.ts";

const levels = ["90", "95", "100", "105", "110"].map(d);
const at = (price: string) => ({ bid: d(price), ask: d(price), at: 0 });

const view = (over: Partial<View> = {}): View => ({
  market: market(),
  quote: at("101"),
  now: 0,
  busy: new Set(),
  resting: [],
  funds: { USDT: d("10000"), BTC: d("10") },
  killed: false,
  isRecovering: false,
  limit: 100,
  config: {},
  ...over,
});

const shown = (grid: GridState, over: Partial<View> = {}) => {
  const { intents, next } = nextOrders(grid, view(over));
  return {
    orders: intents.map(
      ({ slot: index, side, price, amount }) => `${index} ${side} ${text(amount)} at ${text(price)}`,
    ),
    refused: next.refused.map(({ slot: index, reason }) => `${index} ${reason}`),
  };
};

const started = giveFirstBase(
  state(layOut(levels, d("100"), d("101")), { startPrice: d("101") }),
  market(),
  d("10"),
);

describe("a new grid", () => {
  it("buys where the lower price is strictly below the market, sells elsewhere, nearest first", () => {
    expect(shown(started).orders).toEqual([
      "2 buy 1 at 100",
      "1 buy 1.05263 at 95",
      "3 sell 0.90909 at 110",
      "0 buy 1.11111 at 90",
    ]);
    const onLevel = giveFirstBase(state(layOut(levels, d("100"), d("100"))), market(), d("10"));
    expect(onLevel.slots.map(({ side }) => side)).toEqual(["buy", "buy", "sell", "sell"]);
  });

  it("gives first base in whole orders, lowest slot first, at the start price", () => {
    const two = layOut(levels, d("100"), d("94"));
    const given = giveFirstBase(state(two, { startPrice: d("94") }), market(), d("1.2"));
    expect(given.slots.map(({ base }) => text(base))).toEqual(["0", "1", "0", "0"]);
    expect([text(given.ledger.firstBase), text(given.ledger.firstCost)]).toEqual(["1", "94"]);
  });

  it("reports no_base for a selling slot without base, and buys there once the market is above", () => {
    const bare = state(layOut(levels, d("100"), d("101")));
    expect(shown(bare)).toMatchObject({ refused: ["3 no_base"] });
    expect(shown(bare, { quote: at("106") }).orders).toContain("3 buy 0.95238 at 105");
  });

  it("reports no_quote for slots that the balance does not cover, the far ones first", () => {
    const { orders, refused } = shown(started, { funds: { USDT: d("150"), BTC: d("10") } });
    expect(orders).toEqual(["2 buy 1 at 100", "3 sell 0.90909 at 110"]);
    expect(refused).toEqual(["0 no_quote", "1 no_quote"]);
  });

  it("includes the fee in quote in the cost of a buy", () => {
    const one = state([slot({ lower: d("100"), upper: d("110") })]);
    expect(shown(one, { funds: { USDT: d("100.09") } }).refused).toEqual(["0 no_quote"]);
    expect(shown(one, { funds: { USDT: d("100.1") } }).orders).toHaveLength(1);
    expect(
      shown(one, { funds: { USDT: d("100") }, market: market({ buyFeeIn: "base" }) }).orders,
    ).toHaveLength(1);
  });
});

describe("the order planner", () => {
  const one = state([slot({ lower: d("100"), upper: d("110") })]);

  it("refuses to cross an order of the same account, whoever placed it", () => {
    expect(shown(one, { resting: [{ side: "sell", price: d("100") }] }).refused).toEqual([
      "0 would_self_cross",
    ]);
    expect(shown(one, { resting: [{ side: "sell", price: d("100.01") }] }).orders).toHaveLength(1);
    expect(shown(one, { resting: [{ side: "buy", price: d("120") }] }).orders).toHaveLength(1);
  });

  it("refuses to place two orders that would cross each other", () => {
    const two = state([
      slot(),
      slot({ index: 1, side: "sell", lower: d("90"), upper: d("99"), base: d("2"), cost: d("180") }),
    ]);
    expect(shown(two, { config: { postOnly: false } }).refused).toEqual(["1 would_self_cross"]);
  });

  it("refuses to take when no price exists where the order could stay open", () => {
    const empty = { bid: 0n, ask: d("100"), at: 0 };
    expect(shown(one, { quote: empty }).refused).toEqual(["0 would_take"]);
    expect(shown(one, { quote: empty, config: { postOnly: false } }).orders).toHaveLength(1);
  });

  it("refuses every order while the kill switch is on or the market is closed", () => {
    expect(shown(one, { killed: true }).refused).toEqual(["0 killed"]);
    expect(shown(one, { market: market({ active: false }) }).refused).toEqual(["0 market_closed"]);
  });

  it("refuses to sell base that the account does not have", () => {
    const selling = state([slot({ side: "sell", base: d("1"), cost: d("100") })]);
    expect(shown(selling, { funds: { BTC: d("0.5") } }).refused).toEqual(["0 inventory_missing"]);
  });

  it("refuses to retry a rejected order before its time, and gives the reason", () => {
    const rejected = state([slot({ retryAt: 50 })], {
      refused: [{ slot: 0, reason: "rejected", detail: "too small" }],
    });
    expect(nextOrders(rejected, view({ now: 49 })).next.refused).toEqual([
      { slot: 0, reason: "rejected", detail: "too small" },
    ]);
    expect(nextOrders(rejected, view({ now: 50 })).intents).toHaveLength(1);
  });
});

describe("a slot whose level would take", () => {
  const quote = { bid: d("98.9"), ask: d("99.1"), at: 0 };
  const buying = state([slot({ lower: d("100"), upper: d("110") })]);
  const selling = state([
    slot({ side: "sell", lower: d("90"), upper: d("95"), base: d("2"), cost: d("180") }),
  ]);

  it("places its order at the nearest price that does not take, which is better for the grid", () => {
    expect(shown(buying, { quote }).orders).toEqual(["0 buy 1 at 98.9"]);
    expect(shown(selling, { quote }).orders).toEqual(["0 sell 2 at 99.1"]);
  });

  it("takes if the grid allows it", () => {
    const config = { postOnly: false };
    expect(shown(buying, { quote, config }).orders).toEqual(["0 buy 1 at 100"]);
    expect(shown(selling, { quote, config }).orders).toEqual(["0 sell 2 at 95"]);
  });

  it("returns to its level once an order can stay open there, but not while that is unknown", () => {
    const live = { exchangeId: "1", generation: 0, slot: 0, side: "buy", price: d("98.9") };
    const order = { ...NEW_ORDER, ...live, state: "open", timeInForce: "post_only" } as unknown as Order;
    expect(outdated(buying, [order], quote)).toEqual([]);
    expect(outdated(buying, [order])).toEqual([]);
    expect(outdated(buying, [order], at("100.5"))).toEqual([order]);
    expect(outdated(buying, [{ ...order, price: d("101") }], quote)).toHaveLength(1);
    expect(outdated(buying, [{ ...order, timeInForce: "gtc" }], quote)).toHaveLength(1);
  });

  it("stays at the nearest price of a tick that is wider than at the start", () => {
    const live = { exchangeId: "1", generation: 0, slot: 0, side: "buy", price: d("99") };
    const order = { ...NEW_ORDER, ...live, state: "open", timeInForce: "gtc" } as unknown as Order;
    expect(outdated(buying, [order], at("100.5"), { tick: d("3") })).toEqual([]);
    expect(outdated(buying, [order], at("100.5"), { tick: d("1") })).toEqual([order]);
  });
});

describe("a partially filled, canceled order", () => {
  const lot = market({ minNotional: d("5"), lot: d("0.001") });

  it("buys the missing amount if that meets the minimum", () => {
    expect(
      shown(state([slot({ bought: d("0.4"), base: d("0.4"), cost: d("40") })]), { market: lot }).orders,
    ).toEqual(["0 buy 0.6 at 100"]);
  });

  it("sells what it holds if the missing amount is below the minimum", () => {
    expect(
      shown(state([slot({ bought: d("0.96"), base: d("0.96"), cost: d("96") })]), { market: lot }).orders,
    ).toEqual(["0 sell 0.96 at 110"]);
  });

  it("waits and reports it if it can neither buy nor sell", () => {
    const poor = market({ minNotional: d("60"), lot: d("0.001") });
    const half = state([slot({ bought: d("0.5"), base: d("0.5"), cost: d("50") })]);
    expect(shown(half, { market: poor })).toEqual({ orders: [], refused: ["0 below_minimum"] });
  });

  it("keeps selling after a partial sell, and buys the amount back when too little is left", () => {
    const sold = slot({ side: "sell", base: d("1"), cost: d("100"), sold: d("0.4"), bought: d("1") });
    expect(shown(state([sold]), { market: lot }).orders).toEqual(["0 sell 0.6 at 110"]);
    const nearly = { ...sold, sold: d("0.97") };
    expect(shown(state([nearly]), { market: lot }).orders).toEqual(["0 buy 0.97 at 100"]);
  });
});

describe("a pass without changes", () => {
  it("returns the same state object, so that nothing is written", () => {
    const busy = new Set([0, 1, 2, 3]);
    expect(nextOrders(started, view({ busy })).next).toBe(started);
    const bare = nextOrders(state(layOut(levels, d("100"), d("101"))), view({ limit: 0 })).next;
    expect(nextOrders(bare, view({ limit: 0 })).next).toBe(bare);
  });

  it("leaves orders beyond its request budget to the next pass", () => {
    const { intents, postponed } = nextOrders(started, view({ limit: 2 }));
    expect([intents.length, postponed]).toEqual([2, 2]);
  });
});
