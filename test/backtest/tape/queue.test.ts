import { describe, expect, it } from "vitest";
import { createQueues, lastInQueue, type Queue, shownIn, sizeShown } from "../../../src/backtest/queue.ts";
import type { TapeBooks } from "../../../src/candles/tape.ts";
import type { BookedOrder } from "../../../src/market/matching.ts";
import { d } from "../../support/grid.ts";

/** A first book with one ask at 102, and a second one with bids at 106 and 105, and an ask of less than a unit at 107. */
const BOOKS = {
  times: Float64Array.of(0, 1),
  starts: Uint32Array.of(0, 1, 4),
  asks: Uint32Array.of(0, 3),
  prices: Float64Array.of(102, 106, 105, 107),
  amounts: Float64Array.of(2, 1, 3, 1e-19),
} as TapeBooks;

const queue = (ahead: string, level: string): Queue => ({ ahead: d(ahead), level: d(level) });

describe("a queue after a book", () => {
  it("is unknown until a book reaches its price, and then behind everything there", () => {
    expect(lastInQueue(null)).toBeNull();
    for (const model of ["trades", "proportional"] as const) {
      expect([shownIn(null, null, model), shownIn(null, d("3"), model)]).toEqual([null, queue("3", "3")]);
      expect(shownIn(queue("1", "3"), null, model)).toEqual(queue("1", "3"));
    }
  });

  it("loses nothing to cancellations, or its share of them, and is at most what is shown", () => {
    const shown = (ahead: string, level: string, size: string) =>
      (["trades", "proportional"] as const).map((model) => shownIn(queue(ahead, level), d(size), model));
    // Two of four are canceled: with equal probability one of them was ahead.
    expect(shown("2", "4", "2")).toEqual([queue("2", "2"), queue("1", "2")]);
    expect(shown("3", "4", "2")).toEqual([queue("2", "2"), queue("1.5", "2")]);
    // More than before is behind.
    expect(shown("2", "4", "8")).toEqual([queue("2", "8"), queue("2", "8")]);
    expect(shown("0", "0", "0")).toEqual([queue("0", "0"), queue("0", "0")]);
    // Two thirds are rounded up.
    expect(shown("1", "3", "2")[1]).toEqual({ ahead: (2n * d("1")) / 3n + 1n, level: d("2") });
  });
});

describe("levels of a book", () => {
  it("are its own, and not those of the next one", () => {
    // The next book's first bid is at 106.
    const sellAt = (price: number) => sizeShown(BOOKS, 0, { side: "sell", price });
    expect([sellAt(102), sellAt(103), sellAt(106)]).toEqual([d("2"), null, null]);
    const queues = createQueues(BOOKS, "trades");
    queues.show(0, []);
    expect([queues.levels("buy"), queues.levels("sell")]).toEqual([
      [],
      [{ price: d("102"), amount: d("2") }],
    ]);
    queues.show(1, []);
    expect(queues.levels("buy", 1)).toEqual([{ price: d("106"), amount: d("1") }]);
    expect(queues.levels("buy", 9)).toHaveLength(2);
  });

  it("have no known amount if it needs more than 18 decimals", () => {
    expect(sizeShown(BOOKS, 1, { side: "sell", price: 107 })).toBeNull();
    const queues = createQueues(BOOKS, "trades");
    queues.show(1, []);
    expect(queues.levels("sell")).toEqual([{ price: d("107"), amount: 0n }]);
    const tiny = createQueues({ ...BOOKS, prices: Float64Array.of(1e-19, 106, 105, 107) }, "trades");
    tiny.show(0, []);
    expect(tiny.levels("sell")).toEqual([{ price: 0n, amount: d("2") }]);
  });
});

it("an order waits in its own queue, unknown before the first book", () => {
  const order = (id: string, side: "buy" | "sell", price: string) =>
    ({ id, side, price: d(price) }) as unknown as BookedOrder;
  const [early, bid, ask] = [order("1", "buy", "105"), order("2", "buy", "105"), order("3", "sell", "107")];
  const queues = createQueues(BOOKS, "trades");
  queues.join(early);
  expect(queues.passed(early, d("9"), d("7"))).toBe(0n);
  queues.show(1, [early]);
  queues.join(bid);
  queues.join(ask);
  // Three wait before each of the two at 105.
  expect([queues.passed(early, d("4"), 0n), queues.passed(bid, d("3.5"), 0n)]).toEqual([d("1"), d("0.5")]);
  expect([queues.passed(ask, d("4"), 0n), queues.passed(bid, undefined, d("7"))]).toEqual([0n, d("7")]);
});
