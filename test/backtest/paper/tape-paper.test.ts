import { describe, expect, it } from "vitest";
import { createQueues, eaten, sizeShown } from "../../../src/backtest/queue.ts";
import { tapePaper } from "../../../src/backtest/tape-paper.ts";
import { RULES } from "../../../src/backtest/ticks.ts";
import type { TapeBooks } from "../../../src/candles/tape.ts";
import type { BookedOrder } from "../../../src/market/matching.ts";
import type { Side } from "../../../src/model/market.ts";
import { d, market } from "../../support/grid.ts";

const MARKET = market({ tick: d("1"), lot: d("0.1"), maker: 0n, taker: 0n, minAmount: 0n, minNotional: 0n });
type Level = readonly [price: number, amount: number];
interface Shown {
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
}
/** Recorded books, one after the other. */
function booksOf(all: readonly Shown[]): TapeBooks {
  const levels = all.flatMap(({ bids, asks }) => [...bids, ...asks]);
  const [starts, asks]: [number[], number[]] = [[0], []];
  for (const one of all) {
    const from = starts.at(-1) as number;
    asks.push(from + one.bids.length);
    starts.push(from + one.bids.length + one.asks.length);
  }
  return {
    times: Float64Array.from(all, (_, i) => i),
    starts: Int32Array.from(starts),
    asks: Int32Array.from(asks),
    prices: Float64Array.from(levels, ([price]) => price),
    amounts: Float64Array.from(levels, ([, amount]) => amount),
  } as unknown as TapeBooks;
}
const BALANCES = [
  { asset: "USDT", free: d("10000"), used: 0n },
  { asset: "BTC", free: d("100"), used: 0n },
];
const BOOK: Shown = {
  bids: [
    [99, 3],
    [97, 5],
  ],
  asks: [
    [102, 2],
    [104, 4],
  ],
};

function venueOf(books: readonly Shown[] | null = null, over: object = {}) {
  const venue = tapePaper(
    MARKET,
    { ...RULES, ...over },
    {
      balances: BALANCES,
      first: { at: 0, ticks: 100, amount: d("1") },
      books: books && booksOf(books),
      queue: "trades",
    },
  );
  const place = (side: Side, price: number, amount = "1", more: object = {}) =>
    venue.place({
      clientId: `${side}${price}`,
      symbol: "BTC/USDT",
      side,
      type: "limit",
      price: d(String(price)),
      amount: d(amount),
      timeInForce: "post_only",
      ...more,
    } as never);
  const fills = () =>
    venue.takeFills().map(({ side, price, amount, at }) => [at, side, price / d("1"), Number(amount) / 1e18]);
  return { venue, place, fills };
}

describe("an order on a tape without books", () => {
  it("fills at its own price once a trade passes it, as far as the trade goes", () => {
    const { venue, place, fills } = venueOf();
    place("buy", 97, "5");
    place("buy", 98);
    place("sell", 103);
    expect(venue.reach()).toEqual({ below: 97, above: 104 });
    expect([
      venue.print({ at: 1, ticks: 98, amount: d("9") }),
      venue.print({ at: 2, ticks: 103, amount: d("9") }),
    ]).toEqual([false, false]);
    // The dearer buy first; 0.15 are less than two lots.
    expect(venue.print({ at: 3, ticks: 96, amount: d("1.15") })).toBe(true);
    expect(fills()).toEqual([
      [3, "buy", 98n, 1],
      [3, "buy", 97n, 0.1],
    ]);
    expect(venue.reach()).toEqual({ below: 96, above: 104 });
    expect(venue.print({ at: 4, ticks: 96, amount: d("0.05") })).toBe(false);
    expect(venue.print({ at: 5, ticks: 104, amount: undefined })).toBe(true);
    expect(fills()).toEqual([[5, "sell", 103n, 1]]);
    expect(venue.reach()).toEqual({ below: 96, above: Infinity });
  });

  it("fills before those of a worse price, whichever was placed first", () => {
    const { venue, place, fills } = venueOf();
    for (const price of [97, 99, 98]) place("buy", price);
    for (const price of [104, 102, 103]) place("sell", price);
    venue.print({ at: 1, ticks: 90, amount: d("2.5") });
    venue.print({ at: 2, ticks: 110, amount: d("2.5") });
    expect(fills()).toEqual([
      ...[99n, 98n].map((price) => [1, "buy", price, 1]),
      [1, "buy", 97n, 0.5],
      ...[102n, 103n].map((price) => [2, "sell", price, 1]),
      [2, "sell", 104n, 0.5],
    ]);
    // Its reach changes with each order that is placed.
    expect(venue.reach()).toEqual({ below: 96, above: 105 });
    place("buy", 98);
    expect(venue.reach()).toEqual({ below: 97, above: 105 });
  });

  it("shares no trade of an unknown amount: that is enough for each", () => {
    const { venue, place, fills } = venueOf(null, { fill: "touch" });
    place("buy", 98, "2");
    place("buy", 97, "3");
    expect(venue.print({ at: 1, ticks: 97, amount: undefined })).toBe(true);
    expect(fills().map(([, , , amount]) => amount)).toEqual([2, 3]);
  });

  it("takes at the last price, half a spread and the slippage away", () => {
    const { venue, place, fills } = venueOf(null, { slippage: d("0.01") });
    expect([venue.quote(), venue.lastPrices()]).toEqual([
      { bid: d("99"), ask: d("101"), at: 0 },
      { below: 100, above: 100 },
    ]);
    venue.see(7, 110);
    expect([venue.quote(), venue.lastPrices()]).toEqual([
      { bid: d("109"), ask: d("111"), at: 7 },
      { below: 110, above: 110 },
    ]);
    place("buy", 0, "1", { type: "market", timeInForce: "ioc" });
    // 111 and 1 %, up to a whole tick.
    expect(fills()).toEqual([[7, "buy", 113n, 1]]);
    venue.see(8);
    expect(venue.quote().bid).toBe(d("109"));
  });

  it("is no longer reached once it is canceled", () => {
    const { venue, place } = venueOf();
    const placed = place("buy", 98);
    expect(venue.reach().below).toBe(97);
    venue.cancel("id" in placed ? placed.id : "");
    expect([venue.reach().below, venue.openOrders()]).toEqual([-Infinity, []]);
  });
});

describe("an order on a tape with books", () => {
  it("waits for what was before it, at its own price", () => {
    const { venue, place, fills } = venueOf([BOOK]);
    venue.show(0, 1);
    expect([venue.quote(), venue.lastPrices()]).toEqual([
      { bid: d("99"), ask: d("102"), at: 1 },
      { below: 99, above: 102 },
    ]);
    place("buy", 99, "2");
    expect(venue.print({ at: 2, ticks: 99, amount: d("3") })).toBe(false);
    expect(venue.print({ at: 3, ticks: 99, amount: d("0.5") })).toBe(true);
    // A trade beyond it fills it without a queue.
    expect(venue.print({ at: 4, ticks: 98, amount: d("1") })).toBe(true);
    expect(fills().map(([at, , , amount]) => [at, amount])).toEqual([
      [3, 0.5],
      [4, 1],
    ]);
  });

  it("gets what the better orders and its queue leave of a trade", () => {
    const { venue, place, fills } = venueOf([BOOK]);
    venue.show(0, 1);
    place("buy", 99, "5");
    place("buy", 101, "2");
    // 2 of 4 are left for the price of 99, where 3 wait.
    venue.print({ at: 2, ticks: 99, amount: d("4") });
    venue.print({ at: 3, ticks: 99, amount: d("2") });
    expect(fills()).toEqual([
      [2, "buy", 101n, 2],
      [3, "buy", 99n, 1],
    ]);
  });

  it("is placed beside the last trade while the book has one side only", () => {
    for (const [bids, asks] of [
      [[[99, 3]], []],
      [[], [[102, 3]]],
    ] as const) {
      const { venue } = venueOf([{ bids, asks }]);
      venue.show(0, 1);
      expect(venue.quote()).toEqual({ bid: d("99"), ask: d("101"), at: 1 });
    }
    const { venue } = venueOf([{ bids: [[99.5, 1]], asks: [[101.5, 1]] }]);
    venue.show(0, 1);
    // Prices between two ticks: the bid is at least 99, and the ask at most 102.
    expect(venue.lastPrices()).toEqual({ below: 99, above: 102 });
  });

  it("takes from the levels of the other side", () => {
    const { venue, place, fills } = venueOf([BOOK]);
    venue.show(0, 1);
    place("buy", 104, "3", { timeInForce: "ioc" });
    place("sell", 97, "4", { timeInForce: "ioc" });
    expect(fills()).toEqual([
      [1, "buy", 102n, 2],
      [1, "buy", 104n, 1],
      [1, "sell", 99n, 3],
      [1, "sell", 97n, 1],
    ]);
  });
});

describe("the size of a book at a price", () => {
  const size = (side: Side, price: number, index = 1) =>
    sizeShown(booksOf([{ bids: [[1, 1]], asks: [] }, BOOK]), index, { side, price });
  it("is that of its level, zero between levels, and unknown beyond the last", () => {
    expect([99, 98, 97, 96, 100].map((price) => size("buy", price))).toEqual([d("3"), 0n, d("5"), null, 0n]);
    expect([102, 103, 104, 105, 101].map((price) => size("sell", price))).toEqual([
      d("2"),
      0n,
      d("4"),
      null,
      0n,
    ]);
    expect([size("sell", 5, 0), size("buy", 1, 0)]).toEqual([null, d("1")]);
  });
});

describe("a queue", () => {
  it("loses what is traded, and an order behind it gets the rest", () => {
    const queue = { ahead: d("2"), level: d("5") };
    expect(eaten(queue, d("1.5"))).toEqual({ queue: { ahead: d("0.5"), level: d("3.5") }, left: 0n });
    expect(eaten(queue, d("3"))).toEqual({ queue: { ahead: 0n, level: d("2") }, left: d("1") });
    expect(eaten(queue, d("9"))).toEqual({ queue: { ahead: 0n, level: 0n }, left: d("7") });
    expect(eaten(null, d("9"))).toEqual({ queue: null, left: 0n });
  });

  it("is that of its order, which leaves it at its end", () => {
    const order = { id: "1", side: "buy", price: d("99") } as unknown as BookedOrder;
    const queues = createQueues(booksOf([BOOK, { bids: [[99, 1]], asks: [[102, 1]] }]), "trades");
    queues.join(order);
    expect([queues.levels("buy"), queues.passed(order, d("9"), d("7"))]).toEqual([[], 0n]);
    expect(queues.passed(order, undefined, d("7"))).toBe(0n);
    queues.show(0, []);
    expect(queues.levels("sell", 1)).toEqual([{ price: d("102"), amount: d("2") }]);
    expect(queues.levels("buy")).toEqual([
      { price: d("99"), amount: d("3") },
      { price: d("97"), amount: d("5") },
    ]);
    queues.join(order);
    expect([queues.passed(order, d("2"), 0n), queues.passed(order, undefined, d("7"))]).toEqual([0n, 0n]);
    expect([queues.passed(order, d("2"), 0n), queues.passed(order, undefined, d("7"))]).toEqual([
      d("1"),
      d("7"),
    ]);
    // The next book shows it first again only if it is still open.
    queues.show(1, [order]);
    expect(queues.passed(order, d("1"), 0n)).toBe(d("1"));
    queues.show(0, []);
    queues.join(order);
    expect(queues.passed(order, d("4"), 0n)).toBe(d("1"));
    expect(createQueues(null, "trades").levels("buy")).toEqual([]);
  });
});
