import { runPass } from "../../engine/pass/pass.ts";
import { type Decimal, text } from "../../kernel/decimal.ts";
import { AppError, VenueError } from "../../kernel/errors.ts";
import type { Pair } from "../../kernel/pair.ts";
import { accountKey, exchangeName } from "../../model/account.ts";
import { takeFrom } from "../../model/market.ts";
import { firstMet, isInBook, type Order, type Reach } from "../../model/order.ts";
import type { Deps } from "../../ports/deps.ts";
import type { Keys, Venue, VenueOrder } from "../../ports/venue.ts";
import type { PreparedOrder } from "../manual-order.ts";

/** Number of book levels for a market order's estimate. */
const DEPTH = 100;

/** The reach of an order, and the price at which limits count it. */
export interface OrderReach extends Reach {
  /** Its limit price; for a market order, the worst visible price that it can reach, 0 in an empty book. */
  readonly worst: Decimal;
}

/** Returns the worst price at which an order can trade; for a market order, from the depth of the book. */
export async function orderReach(
  venue: Venue,
  symbol: Pair,
  { side, type, price, amount }: PreparedOrder,
): Promise<OrderReach> {
  if (type === "limit") return { side, limit: price, worst: price };
  const fill = takeFrom(await venue.book(symbol, DEPTH), { side, amount });
  // Beyond the visible levels, any price is possible.
  return { side, limit: fill.amount < amount ? null : fill.worst, worst: fill.worst };
}

/**
 * Returns an open order of the account, wherever it was placed, that the new order would fill. A listed order may
 * have ended, so it is looked up. Returns undefined also if the list cannot be read; stored orders are checked in any
 * case.
 */
export async function openMet(venue: Venue, symbol: Pair, reach: Reach): Promise<VenueOrder | undefined> {
  let open = (await ifAnswered(() => venue.openOrders(symbol)))?.filter(isInBook);
  for (;;) {
    const met = firstMet(reach, open ?? []);
    if (!met || !(await hasEnded(venue, { symbol, id: met.id }))) return met;
    open = open?.filter(({ id }) => id !== met.id);
  }
}

/** Returns whether the exchange confirms that the order ended; an unknown order can still be open. */
export async function hasEnded(
  venue: Venue,
  key: { readonly symbol: Pair; readonly id: string },
): Promise<boolean> {
  const found = await ifAnswered(() => venue.order(key));
  return found !== undefined && ["filled", "canceled", "expired", "rejected"].includes(found.status);
}

export async function ifAnswered<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof VenueError) return undefined;
    throw error;
  }
}

type CrossedOrder = Pick<Order, "side" | "amount" | "price" | "type">;

const crossedOrderText = (id: string, { side, amount, price, type }: CrossedOrder): string =>
  `order ${id} (${side} ${text(amount)} ${type === "market" ? "at the market" : `at ${text(price)}`})`;

export const selfCross = (
  id: string,
  crossedOrder: CrossedOrder,
  clientOrderId: string | undefined,
): AppError =>
  new AppError(
    "Would self-cross",
    `it could fill against this account's own ${crossedOrderText(id, crossedOrder)}: choose another price, or cancel that order first`,
    { fields: { orderId: id, ...(clientOrderId === undefined ? {} : { clientOrderId }) } },
  );

/** Throws `Invalid request` for text that is not an order id of this exchange, before any request. */
export function refuseForeignId({ account, orderIds }: Venue, id: string): void {
  if (orderIds.form.test(id)) return;
  const exchange = exchangeName(accountKey(account));
  const message = `an order id of ${exchange} is ${orderIds.like}`;
  throw new AppError("Invalid request", message, { issues: [{ path: "id", message }] });
}

/**
 * Returns the venue. With keys of a request, it first looks up unconfirmed orders of earlier requests, because no
 * round has those keys.
 */
export async function venueFor(deps: Deps, exchange: string, keys: Keys | undefined): Promise<Venue> {
  const venue = deps.venue(exchange, keys);
  if (keys && (await deps.store.hasUnclear(accountKey(venue.account))))
    await runPass({ ...deps, liquidity: undefined }, venue);
  return venue;
}
