import { describe, expect, it } from "vitest";
import { ownOffers } from "../../../src/engine/pass/own-offers.ts";
import { MINUTE, SECOND } from "../../../src/kernel/time.ts";
import type { OfferMemory } from "../../../src/model/memory.ts";
import type { Order, OrderState } from "../../../src/model/order.ts";
import { EMPTY_OFFER, formatOffer } from "../../../src/model/samples/sample.ts";
import { d } from "../../support/grid.ts";

const PAIR = "BTC/USDT";
const SINCE = 10 * MINUTE;
const CASE = { since: SINCE, now: SINCE + 30 * SECOND };

const order = (clientId: string, over: Partial<Order> = {}): Order =>
  ({
    clientId,
    symbol: PAIR,
    type: "limit",
    state: "open",
    side: clientId.startsWith("b") ? "buy" : "sell",
    price: d(clientId.startsWith("b") ? "99" : "101"),
    ...over,
  }) as Order;

interface Case {
  readonly since?: number;
  readonly now?: number;
  /** Orders before the pass. */
  readonly orders: readonly Order[];
  /** Orders that the exchange lists as open. */
  readonly listed?: readonly string[];
  /** States after the pass, and times of fills. */
  readonly states?: Readonly<Record<string, OrderState>>;
  readonly fills?: Readonly<Record<string, number>>;
  readonly before?: Partial<OfferMemory> | null;
  readonly isRead?: boolean;
}

function offersOf({ since = CASE.since, now = CASE.now, orders, before = {}, ...pass }: Case) {
  const { listed = orders.map(({ clientId }) => clientId), states = {}, fills = {}, isRead = true } = pass;
  const memory: OfferMemory = { since, offer: EMPTY_OFFER, opened: {}, canceled: {}, ...before };
  const change = {
    orders: orders.flatMap((one) => {
      const state = states[one.clientId];
      return state ? [{ ...one, state }] : [];
    }),
    fills: Object.entries(fills).map(([clientId, at]) => ({ clientId, at })),
  };
  const { rows, offers } = ownOffers({
    snapshot: {
      lease: { now, account: "live:kraken:h" },
      memory: { offers: before ? { [PAIR]: memory } : undefined },
      orders,
    },
    observation: {
      markets: new Map(isRead ? [[PAIR, {}]] : []),
      reports: new Map(listed.map((id) => [id, { status: "open" }])),
    },
    decision: { changes: [change], creates: [order("b9", { state: "pending" })] },
    hold: { opened: new Map([["b9", now + 400]]), canceled: new Map([["a1", now + 300]]) },
  } as unknown as Parameters<typeof ownOffers>[0]);
  const left = offers?.[PAIR];
  return {
    rows: rows.map(({ minute, offer }) => [minute, formatOffer(offer)]),
    rest: left && formatOffer(left.offer),
    left,
  };
}

const both = [order("b1"), order("a1")];

describe("the time with own orders on both sides", () => {
  it.each<[string, Case, string]>([
    ["lasts from pass to pass while both stay open", { orders: both }, "0.02:1:30000"],
    ["is empty without orders on a side", { orders: [order("b1"), order("b2")] }, ""],
    [
      "ends with a fill, at the exchange's time",
      { orders: both, listed: ["b1"], states: { a1: "filled" }, fills: { a1: SINCE + 12_000 } },
      "0.02:1:12000",
    ],
    [
      "goes on with the orders behind a filled one, wider apart",
      {
        orders: [...both, order("a2", { price: d("103") })],
        listed: ["b1", "a2"],
        states: { a1: "filled" as const },
        fills: { a1: SINCE + 12_000 },
      },
      "0.039604:1:18000;0.02:1:12000",
    ],
    [
      "ends when an order's cancel was sent",
      {
        orders: both,
        listed: ["b1"],
        states: { a1: "canceled" },
        before: { canceled: { a1: SINCE + 2000 } },
      },
      "0.02:1:2000",
    ],
    [
      "is uncertain if the exchange canceled an order at an unknown time",
      { orders: both, listed: ["b1"], states: { a1: "canceled" } },
      "?:30000",
    ],
    [
      "is uncertain while a fill has no time",
      { orders: both, listed: ["b1"], states: { a1: "filled" } },
      "?:30000",
    ],
    [
      "begins when a new order was accepted",
      {
        orders: [order("b1"), order("a1", { state: "submitted" })],
        before: { opened: { a1: SINCE + 500 } },
      },
      "0.02:1:29500",
    ],
    [
      "is uncertain for an order without a known start",
      { orders: [order("b1"), order("a1", { state: "unknown" })] },
      "?:30000",
    ],
    [
      "does not count an order that never was",
      {
        orders: [order("b1"), order("a1", { state: "pending" })],
        listed: ["b1"],
        states: { a1: "rejected" },
      },
      "",
    ],
    [
      "does not count an order that had ended before",
      { orders: [order("b1"), order("a1", { state: "filled" })], listed: ["b1"] },
      "",
    ],
    ["begins anew after an hour without a pass", { orders: both, now: SINCE + 61 * MINUTE + 8000 }, "?:8000"],
    ["is uncertain before the first pass", { orders: both, now: SINCE + 7000, before: null }, "?:7000"],
    ["begins anew if the clock was set back", { orders: both, since: SINCE + MINUTE }, "?:30000"],
  ])("%s", (_, input, rest) => {
    expect(offersOf(input).rest).toBe(rest);
  });

  it("is split by minutes, and each minute is stored once it is over", () => {
    const { rows, rest } = offersOf({
      orders: both,
      since: SINCE + 40_000,
      now: SINCE + 2 * MINUTE + 5000,
      before: { offer: { parts: [{ spread: d("0.02"), levels: 1, millis: 10_000 }], uncertain: 300 } },
    });
    expect(rows).toEqual([
      [10, "0.02:1:30000;?:300"],
      [11, "0.02:1:60000"],
    ]);
    expect(rest).toBe("0.02:1:5000");
  });

  it("waits for the next pass if the market was not read", () => {
    const { rows, left } = offersOf({ orders: both, now: SINCE + 2 * MINUTE, isRead: false });
    expect([rows, left?.since]).toEqual([[], SINCE]);
  });

  it("remembers when the pass had orders accepted and sent cancels, until their end is read", () => {
    const { left } = offersOf({
      orders: [...both, order("b2"), order("a2", { state: "submitted" })],
      states: { b2: "canceled" },
      before: { canceled: { b2: 1, a2: 2 }, opened: { a2: 3 } },
    });
    expect(left).toMatchObject({ since: CASE.now });
    expect(left?.canceled).toEqual({ a1: CASE.now + 300, a2: 2 });
    expect(left?.opened).toEqual({ a2: 3, b9: CASE.now + 400 });
  });
});
