import type { TapeBooks } from "../candles/tape/tape.ts";
import { type Decimal, divideWhole, fromNumber, min, wire, ZERO } from "../kernel/decimal.ts";
import type { BookedOrder } from "../market/matching/books.ts";
import type { BookLevel, Side } from "../model/market.ts";

/**
 * How what stands before an order at its price gets less. `trades`: prints at its price alone (the risk-averse model:
 * who cancels stood behind). `proportional`: who cancels stood anywhere, before it as likely as behind
 * (Rigtorp, Estimating Order Queue Position, 2013, with f(x) = x).
 */
export type QueueModel = "trades" | "proportional";

/** An order's place at its price. */
export interface Queue {
  /** Base that stands before it; null where no book has shown its price yet. */
  readonly ahead: Decimal | null;
  /** Base that others rest at its price, as far as it is known: the newest book less the prints since. */
  readonly level: Decimal;
}

/** Behind all that stands there; behind nobody knows how much where the book does not reach so far. */
export const lastInQueue = (size: Decimal | null): Queue => ({ ahead: size, level: size ?? ZERO });

/** What a print at the order's price leaves before it, and of the print for the order itself. */
export function eaten({ ahead, level }: Queue, print: Decimal): { queue: Queue; left: Decimal } {
  const rest = level > print ? level - print : ZERO;
  if (ahead === null) return { queue: { ahead, level: rest }, left: ZERO };
  const taken = min(ahead, print);
  return { queue: { ahead: ahead - taken, level: rest }, left: print - taken };
}

/** After a book that shows so much at the price; null where it does not reach so far. */
export function shownIn({ ahead, level }: Queue, size: Decimal | null, model: QueueModel): Queue {
  if (size === null) return { ahead, level };
  // Nobody can say where it stands among those that it sees for the first time: behind all.
  if (ahead === null) return { ahead: size, level: size };
  const isShared = model === "proportional" && size < level;
  const shared = isShared ? divideWhole(ahead * size, level, "up") : ahead;
  // More than stands there can not stand before it.
  return { ahead: min(shared, size), level: size };
}

/** What a snapshot shows at a price of one side; null beyond its last level, zero between two and before the first. */
export function sizeShown(
  books: TapeBooks,
  place: number,
  { side, price }: { readonly side: Side; readonly price: number },
): Decimal | null {
  const [start, middle, end] = [books.starts[place], books.asks[place], books.starts[place + 1]] as [
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

/** The queues in which orders stand, over recorded books; without any there are none, and no levels. */
export function createQueues(books: TapeBooks | null, model: QueueModel) {
  let queues = new Map<string, Queue>();
  let shown: number | undefined;

  const sizeNow = ({ side, price }: BookedOrder): Decimal | null =>
    books && shown !== undefined ? sizeShown(books, shown, { side, price: wire(price) }) : null;

  const queueOf = (order: BookedOrder): Queue => queues.get(order.id) ?? lastInQueue(sizeNow(order));

  return {
    join: (order: BookedOrder): void => void queues.set(order.id, lastInQueue(sizeNow(order))),
    /** Of a print at the order's price, what is left for the order. Nobody knows how far one of no amount goes: past nobody. */
    passed(order: BookedOrder, amount: Decimal | undefined, plenty: Decimal): Decimal {
      const before = queueOf(order);
      if (amount === undefined) return before.ahead === ZERO ? plenty : ZERO;
      const after = eaten(before, amount);
      queues.set(order.id, after.queue);
      return after.left;
    },
    /** The book that was recorded at this place; whoever rests no more has left its queue. */
    show(place: number, resting: readonly BookedOrder[]): void {
      shown = place;
      queues = new Map(resting.map((one) => [one.id, shownIn(queueOf(one), sizeNow(one), model)]));
    },
    /** Of the last book, best first. */
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
