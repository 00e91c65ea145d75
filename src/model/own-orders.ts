import type { Decimal } from "../kernel/decimal.ts";
import type { Side } from "./market.ts";
import type { Order, OrderState, OrderType } from "./order.ts";

/*
 * Orders of one account that would trade with each other. A trade with oneself is forbidden on exchanges, costs two
 * fees, and moves nothing: no order is sent that could meet another one of ours.
 */

/** How far an order may trade: a buy up to `limit`, a sell down to it. */
export interface Reach {
  readonly side: Side;
  /** In quote; null where it takes whatever it finds. */
  readonly limit: Decimal | null;
}

interface RestingTerms {
  readonly side: Side;
  readonly type: OrderType;
  readonly price: Decimal;
}

/** Whether the two could trade with each other. A market order that is under way could trade at any price. */
export function meets({ side, limit }: Reach, other: RestingTerms): boolean {
  if (side === other.side) return false;
  if (limit === null || other.type === "market") return true;
  return side === "buy" ? other.price <= limit : other.price >= limit;
}

/** Whether an order would take at these prices. A side without a price has nobody to meet. */
export const takes = (
  { side, price }: Pick<RestingTerms, "side" | "price">,
  { bid, ask }: { readonly bid: Decimal; readonly ask: Decimal },
): boolean => (side === "buy" ? ask > 0n && price >= ask : bid > 0n && price <= bid);

const UNCLEAR: readonly OrderState[] = ["pending", "unknown"];
const RESTING: readonly OrderState[] = ["submitted", "open", "partially_filled"];

/** Whether an order may be met from now on. One that takes at once has done so as soon as it was accepted. */
export const mayBeMet = ({ state, timeInForce, settled }: Order): boolean =>
  !settled && (UNCLEAR.includes(state) || (timeInForce !== "ioc" && RESTING.includes(state)));

export const reachOf = ({ side, type, price }: RestingTerms): Reach => ({
  side,
  limit: type === "market" ? null : price,
});

/** Of these orders one that the other would meet: the one that it would meet first. */
export function firstMet<T extends RestingTerms>(reach: Reach, orders: readonly T[]): T | undefined {
  const met = orders.filter((order) => meets(reach, order));
  return met.reduce<T | undefined>(
    (best, order) => (best && !isBefore(order, best) ? best : order),
    undefined,
  );
}

const isBefore = (a: RestingTerms, b: RestingTerms): boolean =>
  a.side === "sell" ? a.price < b.price : a.price > b.price;
