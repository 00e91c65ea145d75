import type { TapeBooks } from "../candles/tape.ts";
import { type Decimal, divideWhole, fromNumber, min, wire, ZERO } from "../kernel/decimal.ts";
import type { BookedOrder } from "../market/matching.ts";
import type { BookLevel, Side } from "../model/market.ts";

/**
 * How the queue before an order shrinks. `trades`: only by trades at its price (the risk-averse model: canceled
 * orders were behind it). `proportional`: canceled orders were before or behind it with equal probability (Rigtorp,
 * Estimating Order Queue Position, 2013, with f(x) = x).
 */
export type QueueModel = "trades" | "proportional";

/** An order's queue position at its price; null until a book has shown its price. */
export type Queue = Position | null;

interface Position {
  /** Base before it in the queue. */
  readonly ahead: Decimal;
  /** Others' base at its price: the newest book minus the trades since. */
  readonly level: Decimal;
}

/** Returns the last position behind everything at the price; unknown if the book does not reach that price. */
export const lastInQueue = (size: Decimal | null): Queue =>
  size === null ? null : { ahead: size, level: size };

/** Returns the queue after a trade at the order's price, and the part of the trade that fills the order. */
export function eaten(queue: Queue, print: Decimal): { queue: Queue; left: Decimal } {
  if (queue === null) return { queue, left: ZERO };
  const { ahead, level } = queue;
  const consumed = min(ahead, print);
  return { queue: { ahead: ahead - consumed, level: level - min(level, print) }, left: print - consumed };
}

/** Returns the queue after a book that shows this amount at the price; null if the book does not reach it. */
export function shownIn(queue: Queue, size: Decimal | null, model: QueueModel): Queue {
  // Its position among orders that it observes for the first time is unknown: behind all.
  if (queue === null || size === null) return queue ?? lastInQueue(size);
  const { ahead, level } = queue;
  const isShared = model === "proportional" && size < level;
  const shared = isShared ? divideWhole(ahead * size, level, "up") : ahead;
  // The amount before it cannot exceed the amount at the price.
  return { ahead: min(shared, size), level: size };
}

/**
 * Returns a snapshot's amount at a price of one side; null beyond its last level, zero between levels and before the
 * first.
 */
export function sizeShown(
  books: TapeBooks,
  index: number,
  { side, price }: { readonly side: Side; readonly price: number },
): Decimal | null {
  const [start, middle, end] = [books.starts[index], books.asks[index], books.starts[index + 1]] as [
    number,
    number,
    number,
  ];
  const [from, until] = side === "buy" ? [start, middle] : [middle, end];
  for (let level = from; level < until; level++) {
    const value = books.prices[level] as number;
    if (value === price) return fromNumber(books.amounts[level] as number) ?? null;
    if (side === "buy" ? value < price : value > price) return ZERO;
  }
  return null;
}

/** Creates the queues of orders over recorded books; without books there are no queues and no levels. */
export function createQueues(books: TapeBooks | null, model: QueueModel) {
  let queues = new Map<string, Queue>();
  let shown: number | undefined;

  const sizeNow = ({ side, price }: BookedOrder): Decimal | null =>
    shown === undefined ? null : sizeShown(books as TapeBooks, shown, { side, price: wire(price) });

  /** Every open order has joined its queue. */
  const queueOf = ({ id }: BookedOrder): Queue => queues.get(id) as Queue;

  return {
    join: (order: BookedOrder): void => void queues.set(order.id, lastInQueue(sizeNow(order))),
    /**
     * Returns the part of a trade at the order's price that fills the order. A trade of unknown amount leaves the
     * queue unchanged.
     */
    passed(order: BookedOrder, amount: Decimal | undefined, plenty: Decimal): Decimal {
      const before = queueOf(order);
      if (amount === undefined) return before?.ahead === ZERO ? plenty : ZERO;
      const after = eaten(before, amount);
      queues.set(order.id, after.queue);
      return after.left;
    },
    /** Processes the recorded book at this position; orders that are no longer open leave their queues. */
    show(index: number, resting: readonly BookedOrder[]): void {
      shown = index;
      queues = new Map(
        resting.map((bookedOrder) => [
          bookedOrder.id,
          shownIn(queueOf(bookedOrder), sizeNow(bookedOrder), model),
        ]),
      );
    },
    /** Returns levels of the last book, best first. */
    levels(side: Side, most = Number.POSITIVE_INFINITY): readonly BookLevel[] {
      if (!books || shown === undefined) return [];
      const [start, middle] = [books.starts[shown] as number, books.asks[shown] as number];
      const [from, until] = side === "buy" ? [start, middle] : [middle, books.starts[shown + 1] as number];
      return Array.from({ length: Math.min(most, until - from) }, (_, i) => ({
        price: fromNumber(books.prices[from + i] as number) ?? ZERO,
        amount: fromNumber(books.amounts[from + i] as number) ?? ZERO,
      }));
    },
  };
}
