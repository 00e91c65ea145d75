import { type Decimal, div, mul, ZERO } from "../../kernel/decimal.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Fee, OrderStatus } from "../../model/order.ts";
import type { VenueFill, VenueOrder } from "../../ports/venue.ts";

/** An order in a simulated venue's books. */
export interface BookedOrder extends Omit<VenueOrder, "fees"> {
  readonly clientId: string;
  readonly notional: Decimal;
  /** Balance that it still locks: quote for a buy, base for a sell. */
  readonly reserved: Decimal;
  readonly fee: Fee;
  /** Number of its fills. */
  readonly fills: number;
  /** Market time from which it can fill: its arrival, or a pause after a partial fill. */
  readonly meetsFrom: Millis;
}

export interface BookedFill extends Omit<VenueFill, "notional" | "fees"> {
  readonly fee: Fee;
}

export interface BookedBalance {
  readonly total: Decimal;
  readonly used: Decimal;
}

/** One venue at one version. */
export interface VenueBooks {
  readonly version: number;
  /** Market time up to which open orders were matched with the price. */
  readonly settledAt: Millis;
  readonly open: readonly BookedOrder[];
  readonly holdings: Readonly<Record<string, BookedBalance>>;
}

/** Changes of the next version; orders and balances replace those with the same id or asset. */
export interface BookChange {
  readonly settledAt: Millis;
  readonly orders: readonly BookedOrder[];
  readonly fills: readonly BookedFill[];
  readonly holdings: Readonly<Record<string, BookedBalance>>;
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

/** Converts a booked execution to a venue's fill. */
export const toVenueFill = ({
  id,
  orderId,
  symbol,
  side,
  price,
  amount,
  fee,
  at,
}: BookedFill): VenueFill => ({
  id,
  orderId,
  symbol,
  side,
  price,
  amount,
  notional: mul(price, amount, "half"),
  fees: fee.amount === ZERO ? [] : [fee],
  at,
});

/**
 * Converts a booked order to a venue's order. Fields are copied individually, because it is read far more often than
 * it changes.
 */
export function toVenueOrder(order: BookedOrder): VenueOrder {
  const { id, clientId, symbol, side, type, price, amount, filled, notional, fee, status, at } = order;
  return {
    id,
    clientId,
    symbol,
    side,
    type,
    price: type === "market" && filled > ZERO ? div(notional, filled, "half") : price,
    amount,
    filled,
    notional,
    fees: filled > ZERO ? [fee] : [],
    status,
    at,
  };
}
