import type { Pair } from "../../kernel/pair.ts";
import type { Millis } from "../../kernel/time.ts";
import type { BookChange, BookedFill, BookedOrder, VenueBooks } from "../../market/matching/books.ts";
import type { Shock } from "./path.ts";

/** When a venue was read: protocol time, what passes have let go by, and the sudden price changes known by then. */
export interface BooksReading {
  readonly now: Millis;
  readonly passed: Millis;
  readonly shocks: Readonly<Record<string, readonly Shock[]>>;
}

/** Where simulated venues keep their books. Reads and writes throw StoreError when they cannot be reached. */
export interface Books {
  load(exchange: string): Promise<BooksReading & { readonly books: VenueBooks }>;
  /** As much of it as a price needs. */
  time(exchange: string): Promise<BooksReading & Pick<VenueBooks, "settledAt">>;
  /** False when another version came first, or when protocol time has passed `sendBy`: nothing is written then. */
  commit(exchange: string, version: number, change: BookChange, sendBy?: Millis): Promise<boolean>;
  /** The newest order with this id or client id, open or not. */
  order(
    exchange: string,
    key: { id?: string | undefined; clientId?: string | undefined },
  ): Promise<BookedOrder | undefined>;
  /** Oldest first. */
  fills(exchange: string, symbol: Pair, since: Millis): Promise<readonly BookedFill[]>;
}
