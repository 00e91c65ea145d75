import type { Pair } from "../../kernel/pair.ts";
import type { Millis } from "../../kernel/time.ts";
import type { BookChange, BookedFill, BookedOrder, VenueBooks } from "../../market/matching/books.ts";
import type { Shock } from "./path.ts";

/** Times of a venue's read: protocol time, the time by which passes have advanced, and the known price changes. */
export interface BooksReading {
  readonly now: Millis;
  readonly passed: Millis;
  readonly shocks: Readonly<Record<string, readonly Shock[]>>;
}

/** Storage of simulated venues' books. Reads and writes throw StoreError if it is unavailable. */
export interface Books {
  load(exchange: string): Promise<BooksReading & { readonly books: VenueBooks }>;
  /** Returns the part that a price needs. */
  time(exchange: string): Promise<BooksReading & Pick<VenueBooks, "settledAt">>;
  /** Returns false, and writes nothing, if another version was committed first or protocol time has passed `sendBy`. */
  commit(exchange: string, version: number, change: BookChange, sendBy?: Millis): Promise<boolean>;
  /** Returns the newest order with this id or client id, open or not. */
  order(
    exchange: string,
    key: { id?: string | undefined; clientId?: string | undefined },
  ): Promise<BookedOrder | undefined>;
  /** Oldest first. */
  fills(exchange: string, symbol: Pair, since: Millis): Promise<readonly BookedFill[]>;
}
