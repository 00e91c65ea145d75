/** What others trade at: a book without the account's own orders. */
import { type Decimal, ZERO } from "../../kernel/decimal.ts";
import { midOf } from "../../kernel/spread.ts";
import type { Book, BookLevel, Side } from "../../model/market.ts";

/** An own order that rests in a book. */
export interface OwnLevel {
  readonly side: Side;
  readonly price: Decimal;
  /** Of it that rests. */
  readonly amount: Decimal;
}

/** A book without one's own orders: what is left is what others would trade at. */
export function withoutOwn(book: Book, own: readonly OwnLevel[]): Book {
  const rest = (levels: readonly BookLevel[], side: Side): BookLevel[] =>
    levels
      .map(({ price, amount }) => ({ price, amount: amount - restingAt(own, side, price) }))
      .filter(({ amount }) => amount > ZERO);
  return { ...book, bids: rest(book.bids, "buy"), asks: rest(book.asks, "sell") };
}

const restingAt = (own: readonly OwnLevel[], side: Side, price: Decimal): Decimal =>
  own.reduce((sum, one) => (one.side === side && one.price === price ? sum + one.amount : sum), ZERO);

/** The middle of a book; undefined of one that is empty on a side, locked or crossed: it says nothing of a price. */
export function midOfBook({ bids, asks }: Pick<Book, "bids" | "asks">): Decimal | undefined {
  const [bid, ask] = [bids[0]?.price, asks[0]?.price];
  return bid === undefined || ask === undefined || bid >= ask ? undefined : midOf({ bid, ask });
}

/**
 * The middle of what others trade at. A book that is locked or crossed as it was read has none, even where
 * one's own orders lock it: without them, a broken answer would look like a market.
 */
export function midOfOthers(book: Book, own: readonly OwnLevel[]): Decimal | undefined {
  return midOfBook(book) === undefined ? undefined : midOfBook(withoutOwn(book, own));
}
