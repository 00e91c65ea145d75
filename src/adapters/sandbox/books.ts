import type { Decimal } from "../../kernel/decimal.ts";
import type { Pair } from "../../kernel/pair.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Fee, OrderStatus, Side, VenueOrder } from "../../ports/deps.ts";
import type { Shock } from "./path.ts";

/** An order in a simulated venue's books. */
export interface BookedOrder extends Omit<VenueOrder, "fees"> {
  readonly clientId: string;
  readonly notional: Decimal;
  /** Still set aside for it: quote of a buy, base of a sell. */
  readonly reserved: Decimal;
  readonly fee: Fee;
  /** How many fills it had. */
  readonly fills: number;
  /** Market time from which it meets the price: its arrival, or a pause after a part fill. */
  readonly meetsFrom: Millis;
}

export interface BookedFill {
  readonly id: string;
  readonly orderId: string;
  readonly symbol: Pair;
  readonly side: Side;
  readonly price: Decimal;
  readonly amount: Decimal;
  readonly fee: Fee;
  readonly at: Millis;
}

export interface Holding {
  readonly total: Decimal;
  readonly used: Decimal;
}

/** One venue at one version. */
export interface VenueBooks {
  readonly version: number;
  /** Market time up to which resting orders have met the price. */
  readonly settledAt: Millis;
  readonly open: readonly BookedOrder[];
  readonly holdings: Readonly<Record<string, Holding>>;
}

/** What changes with the next version; orders and holdings replace those of the same id or asset. */
export interface BookChange {
  readonly settledAt: Millis;
  readonly orders: readonly BookedOrder[];
  readonly fills: readonly BookedFill[];
  readonly holdings: Readonly<Record<string, Holding>>;
}

/** When a venue was read: protocol time, and the sudden price changes known by then. */
export interface Reading {
  readonly now: Millis;
  readonly shocks: Readonly<Record<string, readonly Shock[]>>;
}

/** Where simulated venues keep their books. Reads and writes throw StoreError when they cannot be reached. */
export interface Books {
  load(exchange: string): Promise<Reading & { readonly books: VenueBooks }>;
  /** As much of it as a price needs. */
  time(exchange: string): Promise<Reading & Pick<VenueBooks, "settledAt">>;
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

export const applied = (books: VenueBooks, change: BookChange): VenueBooks => {
  const changed = new Map(change.orders.map((order) => [order.id, order]));
  const known = books.open.map((order) => changed.get(order.id) ?? order);
  const ids = new Set(books.open.map(({ id }) => id));
  return {
    version: books.version + 1,
    settledAt: change.settledAt,
    open: [...known, ...change.orders.filter(({ id }) => !ids.has(id))].filter(isOpen),
    holdings: { ...books.holdings, ...change.holdings },
  };
};

export const isOpen = ({ status }: { status: OrderStatus }): boolean =>
  status === "open" || status === "partially_filled";
