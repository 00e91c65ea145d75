import type { Decimal } from "../kernel/decimal.ts";
import type { Side } from "./market.ts";
import type { Order, OrderState, OrderType } from "./order.ts";

/*
 * Finds orders of one account that would trade with each other. Self-trades are forbidden on exchanges and cost two
 * fees, so no order is sent that could fill against another one of ours.
 */

/** The worst price at which an order can trade: a buy up to `limit`, a sell down to it. */
export interface Reach {
  readonly side: Side;
  /** In quote; null for any price. */
  readonly limit: Decimal | null;
}

interface RestingTerms {
  readonly side: Side;
  readonly type: OrderType;
  readonly price: Decimal;
}

/** Returns whether two orders could trade with each other. A market order can trade at any price. */
export function meets({ side, limit }: Reach, other: RestingTerms): boolean {
  if (side === other.side) return false;
  if (limit === null || other.type === "market") return true;
  return side === "buy" ? other.price <= limit : other.price >= limit;
}

/** Returns whether an order would be a taker order at these prices. It is not if its opposite side has no price. */
export const takes = (
  { side, price }: Pick<RestingTerms, "side" | "price">,
  { bid, ask }: { readonly bid: Decimal; readonly ask: Decimal },
): boolean => (side === "buy" ? ask > 0n && price >= ask : bid > 0n && price <= bid);

const UNCLEAR: readonly OrderState[] = ["pending", "unknown"];
const RESTING: readonly OrderState[] = ["submitted", "open", "partially_filled"];

/** Returns whether an open order can still trade. An IOC order has finished as soon as it is accepted. */
export const mayBeMet = ({ state, timeInForce, settled }: Order): boolean =>
  !settled && (UNCLEAR.includes(state) || (timeInForce !== "ioc" && RESTING.includes(state)));

export const reachOf = ({ side, type, price }: RestingTerms): Reach => ({
  side,
  limit: type === "market" ? null : price,
});

/** Returns the first of these orders that the other order would trade with. */
export function firstMet<T extends RestingTerms>(reach: Reach, orders: readonly T[]): T | undefined {
  const met = orders.filter((order) => meets(reach, order));
  return met.reduce<T | undefined>(
    (best, order) => (best && !isBefore(order, best) ? best : order),
    undefined,
  );
}

const isBefore = (a: RestingTerms, b: RestingTerms): boolean =>
  a.side === "sell" ? a.price < b.price : a.price > b.price;
