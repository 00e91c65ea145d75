import { describe, expect, it } from "vitest";
import { readFeePrices } from "../../../src/engine/pass/fee-prices.ts";
import { offerMinutesOf, readConfidence } from "../../../src/engine/pass/own-offers.ts";
import type { MarketSnapshot } from "../../../src/engine/reconcile/reconcile.ts";
import { gridKind } from "../../../src/grid/kind.ts";
import { VenueError } from "../../../src/kernel/errors.ts";
import type { Pair } from "../../../src/kernel/pair.ts";
import { MINUTE, SECOND } from "../../../src/kernel/time.ts";
import type { Confidence, OfferMemory } from "../../../src/model/memory.ts";
import type { Order, OrderState } from "../../../src/model/order.ts";
import { EMPTY_OFFER, formatOffer } from "../../../src/model/samples/sample.ts";
import type { Strategy } from "../../../src/model/strategy.ts";
import type { Kinds } from "../../../src/ports/kind.ts";
import type { Reference } from "../../../src/ports/venue.ts";
import { d } from "../../support/grid.ts";
import { NOW, observedMarket, quote, SYMBOL, snapshot, strategy, trade } from "../../support/made.ts";
import { callsLeft, exchangeOf } from "./answering.ts";

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
  readonly fills?: Readonly<Record<string, number | readonly number[]>>;
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
    fills: Object.entries(fills).flatMap(([clientId, times]) =>
      [times].flat().map((at) => ({ clientId, at })),
    ),
  };
  const { rows, offers } = offerMinutesOf({
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
  } as unknown as Parameters<typeof offerMinutesOf>[0]);
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
      "ends with the last of several fills of an order",
      {
        orders: both,
        listed: ["b1"],
        states: { a1: "filled" },
        fills: { a1: [SINCE + 12_000, SINCE + 20_000, SINCE + 4000] },
      },
      "0.02:1:20000",
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

const feeIn = (asset: string, amount = "1") => trade({ fees: [{ asset, amount: d(amount) }] });

/** Mids of an exchange that tells each pair's as 104 and 106, but for those that it does not know. */
async function prices(
  over: Partial<MarketSnapshot>,
  {
    unknown = [],
    calls,
    more = [],
  }: { unknown?: string[]; calls?: number; more?: [Pair, MarketSnapshot][] } = {},
) {
  const { venue, requests } = exchangeOf({
    ticker: async (symbol) => {
      if (unknown.includes(symbol)) throw new VenueError("unlisted", "no such pair");
      return quote(symbol === "NIL/USDT" ? { bid: 0n, ask: 0n } : {});
    },
  });
  const markets = new Map<Pair, MarketSnapshot>([[SYMBOL, observedMarket(over)], ...more]);
  const found = await readFeePrices(venue, markets, callsLeft(calls));
  return { found: [...found], requests: requests.map(([, symbol]) => symbol) };
}

describe("the value of fees in other assets", () => {
  it("is requested once for each asset other than base and quote", async () => {
    const trades = [feeIn("MX"), feeIn("MX"), feeIn("BTC"), feeIn("USDT"), feeIn("GT")];
    expect(await prices({ trades })).toEqual({
      found: [
        ["MX/USDT", d("105")],
        ["GT/USDT", d("105")],
      ],
      requests: ["MX/USDT", "GT/USDT"],
    });
    const more: [Pair, MarketSnapshot][] = [["ETH/USDT", observedMarket({ trades: [feeIn("MX")] })]];
    expect((await prices({ trades: [feeIn("MX")] }, { more })).requests).toEqual(["MX/USDT"]);
  });

  it("is omitted if the exchange does not report it, or reports zero", async () => {
    const trades = [feeIn("MX"), feeIn("NIL")];
    expect(await prices({ trades }, { unknown: ["MX/USDT"] })).toMatchObject({ found: [] });
    expect(await prices({ trades }, { calls: 0 })).toEqual({ found: [], requests: [] });
    expect((await prices({ trades }, { calls: 1 })).found).toEqual([["MX/USDT", d("105")]]);
  });

  it("ends the pass if no source reports it and the market is unknown too", async () => {
    const over = { trades: [feeIn("MX")], market: undefined };
    expect((await prices(over)).found).toHaveLength(1);
    await expect(prices(over, { unknown: ["MX/USDT"] })).rejects.toThrow(
      new VenueError("unavailable", "a fee in MX cannot be valued: BTC/USDT was not read"),
    );
  });

  it("ends the pass on an internal error", async () => {
    const { venue } = exchangeOf({ ticker: () => Promise.reject(new TypeError("a mistake")) });
    const markets = new Map<Pair, MarketSnapshot>([[SYMBOL, observedMarket({ trades: [feeIn("MX")] })]]);
    await expect(readFeePrices(venue, markets, callsLeft())).rejects.toThrow("a mistake");
  });
});

const kinds = (() => gridKind) as unknown as Kinds;
const careful = (over: Partial<Strategy> = {}) =>
  strategy({ config: { confidence: d("0.5") } as unknown as Strategy["config"], ...over });
const AGREED: Reference = {
  prices: [{ source: "others", price: d("105") }],
  maxConfidence: null,
  listed: true,
} as Reference;
const kept = (requestedAt: number): Confidence => ({
  value: d("0.7"),
  source: "before",
  at: requestedAt,
  requestedAt,
});

interface Asking {
  readonly strategies?: readonly Strategy[];
  readonly over?: Partial<MarketSnapshot>;
  readonly known?: Confidence;
  readonly host?: string;
  readonly isAlone?: boolean;
  readonly kill?: boolean;
}

async function confidence({ strategies = [careful()], over = {}, known, host = "h", isAlone, kill }: Asking) {
  const requests: string[] = [];
  const reference = async (exchange: string, symbol: string) => {
    requests.push(`${exchange} ${symbol}`);
    return AGREED;
  };
  const { venue } = exchangeOf({ account: { exchange: "kraken", kind: "live", host } });
  const memory = { ...snapshot().memory, ...(known ? { confidence: { [SYMBOL]: known } } : {}) };
  const budget = callsLeft();
  const found = await readConfidence(
    { reference: isAlone ? undefined : reference, venue, kinds },
    snapshot({ strategies, memory, kill: { on: kill ?? false, cancels: false, sells: false } }),
    { markets: new Map([[SYMBOL, observedMarket(over)]]), reports: new Map() },
    budget,
  );
  expect(budget.made).toBe(requests.length);
  return { value: found.get(SYMBOL)?.value, source: found.get(SYMBOL)?.source, requests };
}

const NOTHING = { value: undefined, source: undefined, requests: [] };

describe("the confidence in a price", () => {
  it("is requested once from other venues, if a strategy needs it and an order may be placed", async () => {
    const once = { value: d("1"), source: "the median of others", requests: ["kraken BTC/USDT"] };
    expect(await confidence({})).toEqual(once);
    expect(await confidence({ strategies: [careful(), careful({ id: "h" })] })).toEqual(once);
    expect(await confidence({ strategies: [strategy(), careful()] })).toEqual(once);
    expect(await confidence({ strategies: [strategy()] })).toEqual(NOTHING);
    expect(await confidence({ kill: true })).toEqual(NOTHING);
    expect(await confidence({ strategies: [careful({ wants: "pause" }), strategy()] })).toEqual(NOTHING);
    expect(await confidence({ over: { quote: undefined } })).toEqual(NOTHING);
  });

  it("is not requested again within a minute", async () => {
    expect(await confidence({ known: kept(NOW - 59_999) })).toEqual({
      value: d("0.7"),
      source: "before",
      requests: [],
    });
    expect((await confidence({ known: kept(NOW - 60_000) })).requests).toHaveLength(1);
  });

  it("is zero for a quote older than a minute, except on a simulated exchange", async () => {
    const over = { quote: quote({ at: NOW - 60_001 }) };
    expect((await confidence({ over })).value).toBe(0n);
    expect((await confidence({ over, host: "" })).value).toBe(d("1"));
  });

  it("is full if there is no other venue to query", async () => {
    expect(await confidence({ isAlone: true })).toEqual({
      value: d("1"),
      source: "no other exchange lists the pair",
      requests: [],
    });
  });
});
