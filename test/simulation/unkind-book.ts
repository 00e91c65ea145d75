import { mixHash } from "../../src/kernel/hash.ts";
import type { Book } from "../../src/model/market.ts";

/** For so long a book stays as unkind as it is. */
const LASTS = 20_000;

/** What thin markets show: nothing on a side, or on both, a locked or a crossed book, one of other times and their price, one that jumps. */
export function unkind(book: Book, seed: number, now: number): Book {
  const { bids, asks } = book;
  const moved = (levels: Book["bids"], hundredths: bigint) =>
    levels.map(({ price, amount }) => ({ price: (price * hundredths) / 100n, amount }));
  // The seed is mixed by itself first: near seeds mixed with near times would all draw the same few books.
  switch (mixHash(mixHash(seed, 1), Math.floor(now / LASTS)) % 20) {
    case 0:
      return { ...book, bids: [], asks: [] };
    case 1:
      return { ...book, bids: [] };
    case 2:
      return { ...book, asks: [] };
    case 3:
      return { ...book, asks: bids };
    case 4:
      return { ...book, bids: asks, asks: bids };
    case 5:
      return { bids: moved(bids, 95n), asks: moved(asks, 95n), at: book.at - 600_000 };
    case 6:
      return { ...book, bids: moved(bids, 130n), asks: moved(asks, 130n) };
    case 7:
      return { ...book, bids: moved(bids, 80n), asks: moved(asks, 80n) };
    default:
      return book;
  }
}
