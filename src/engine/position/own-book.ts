/** Removes the account's own orders from an order book, to get the prices of others. */

import { type Decimal, ZERO } from "../../kernel/decimal.ts";
import { midOf } from "../../kernel/spread.ts";
import type { Book, BookLevel, Side } from "../../model/market.ts";
import type { OrderTerms } from "../../model/order.ts";

/** Returns a book without the account's own orders. */
export function withoutOwn(book: Book, own: readonly OrderTerms[]): Book {
  const rest = (levels: readonly BookLevel[], side: Side): BookLevel[] =>
    levels
      .map(({ price, amount }) => ({ price, amount: amount - restingAt(own, side, price) }))
      .filter(({ amount }) => amount > ZERO);
  return { ...book, bids: rest(book.bids, "buy"), asks: rest(book.asks, "sell") };
}

const restingAt = (own: readonly OrderTerms[], side: Side, price: Decimal): Decimal =>
  own.reduce(
    (sum, ownLevel) => (ownLevel.side === side && ownLevel.price === price ? sum + ownLevel.amount : sum),
    ZERO,
  );

/** Returns the mid price of a book; undefined if a side is empty, or the book is locked or crossed. */
export function midOfBook({ bids, asks }: Pick<Book, "bids" | "asks">): Decimal | undefined {
  const [bid, ask] = [bids[0]?.price, asks[0]?.price];
  return bid === undefined || ask === undefined || bid >= ask ? undefined : midOf({ bid, ask });
}

/**
 * Returns the mid price of others' orders. A book that is locked or crossed as read has none, even if own orders lock
 * it; otherwise a broken response would look like a market.
 */
export function midOfOthers(book: Book, own: readonly OrderTerms[]): Decimal | undefined {
  return midOfBook(book) === undefined ? undefined : midOfBook(withoutOwn(book, own));
}
