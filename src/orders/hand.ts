import { div } from "../kernel/decimal.ts";
import { AppError, type Label, VenueError } from "../kernel/errors.ts";
import type { Pair } from "../kernel/pair.ts";
import { type Millis, SECOND } from "../kernel/time.ts";
import type { AccountKey } from "../model/account.ts";
import { NEW_ORDER, needed, type Order } from "../model/order.ts";
import { reasonOf } from "../model/rejection.ts";
import type { CreateOutcome, Timing, VenueOrder } from "../ports/venue.ts";
import type { PreparedOrder } from "./prepare.ts";

/** How long after its intent a manual order's request can be sent. */
export const SEND_WITHIN: Millis = 10 * SECOND;

interface Placing extends PreparedOrder {
  readonly account: AccountKey;
  readonly symbol: Pair;
  readonly clientId: string;
  /** Protocol and market time. */
  readonly now: Millis;
  readonly at: Millis;
  /** Actor of the request. */
  readonly actor: string;
}

/** Returns the intent of a manual order. It needs no lease, so it has a deadline. */
export function handOrder(
  { now, at, postOnly, ...terms }: Placing,
  { requestTimeout, expiry, skew }: Timing,
): Order {
  const sendBy = now + SEND_WITHIN;
  return {
    ...NEW_ORDER,
    ...terms,
    strategy: null,
    kind: "hand",
    timeInForce: terms.type === "market" ? "ioc" : postOnly ? "post_only" : "gtc",
    generation: 0,
    slot: 0,
    createdAt: at,
    sendBy,
    notAfter: sendBy + requestTimeout + expiry + skew,
  };
}

/** Updates the intent from the exchange's response. */
export function handOutcome({ account, clientId }: Order, outcome: CreateOutcome) {
  const same = { account, clientId, exchangeId: null, reason: null };
  switch (outcome.result) {
    case "accepted":
      return { ...same, state: "submitted" as const, exchangeId: outcome.id };
    case "not_sent":
      return { ...same, state: "rejected" as const, reason: reasonOf({ cause: "not_sent" }) };
    case "rejected":
      return { ...same, state: "rejected" as const, reason: outcome.reason };
    case "unknown":
      return { ...same, state: "unknown" as const, reason: outcome.reason };
  }
}

/** Returns the id of an accepted order, or throws a failure that the caller can act on. */
export function acceptedId(order: Order, outcome: CreateOutcome): string {
  switch (outcome.result) {
    case "accepted":
      return outcome.id;
    case "not_sent":
      throw notSent("Order failed", "the order was not sent; nothing was placed", outcome);
    case "rejected":
      if (outcome.failure === "invalid_credentials" || outcome.failure === "missing_credentials")
        throw new VenueError(outcome.failure, outcome.reason);
      throw new AppError("Order failed", `the exchange rejected the order: ${outcome.reason}`);
    case "unknown":
      throw unknownOutcome({ ...order, reason: outcome.reason });
  }
}

/** Error for an order that was never sent; the caller can retry it. */
export function notSent(
  label: Label,
  what: string,
  { reason = "this took too long; try again", failure }: Extract<CreateOutcome, { result: "not_sent" }>,
): AppError {
  return failure === "rate_limited"
    ? new AppError("Too many requests", `${what}: ${reason}`, { retryAfterSeconds: 5 })
    : new AppError(label, `${what}: ${reason}`);
}

export const unknownOutcome = ({ clientId, reason }: Order): AppError =>
  new AppError(
    "Order unknown",
    `the exchange did not confirm the order${reason === null ? "" : ` (${reason})`}; check your open orders before you place it again`,
    { fields: { clientOrderId: clientId } },
  );

/** Returns the order as sent, if the exchange accepted it but cannot be queried now; its state is unknown. */
export function asSent(order: Order, id: string): VenueOrder {
  const { timeInForce: _, ...sent } = needed(order);
  return { id, ...sent, filled: 0n, status: "unknown", at: order.createdAt };
}

/** Returns an accepted order that the market could not reach, as the exchange adds it to its book. */
export const asOpen = (order: Order, id: string): VenueOrder => ({ ...asSent(order, id), status: "open" });

/** Restores the type of a market order that was sent as a limit order; its price is its average. */
export function asRequested({ type }: Order, found: VenueOrder): VenueOrder {
  const { filled, notional } = found;
  if (type !== "market" || found.type === "market") return found;
  return { ...found, type, price: filled > 0n && notional ? div(notional, filled, "half") : 0n };
}
