import * as z from "zod";
import { div, max, mul, roundToStep, text, wire, ZERO } from "../kernel/decimal.ts";
import { AppError, type Label, VenueError } from "../kernel/errors.ts";
import { exchangeField, idField, pairField } from "../kernel/fields.ts";
import { lazy } from "../kernel/lazy.ts";
import type { Pair } from "../kernel/pair.ts";
import { type Millis, SECOND } from "../kernel/time.ts";
import type { AccountKey } from "../model/account.ts";
import { type BidAsk, type Market, SIDES } from "../model/market.ts";
import {
  NEW_ORDER,
  type NewOrder,
  ORDER_STATUSES,
  ORDER_TYPES,
  type Order,
  STOP_TYPES,
  sentOrderOf,
} from "../model/order.ts";
import { reasonOf } from "../model/refusal-text.ts";
import type { CreateOutcome, Timing, VenueOrder } from "../ports/venue.ts";

/** How long after its intent a manual order's request can be sent. */
export const SEND_WITHIN_MS: Millis = 10 * SECOND;

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
export function manualOrder(
  { now, at, postOnly, ...terms }: Placing,
  { requestTimeout, expiry, skew }: Timing,
): Order {
  const sendBy = now + SEND_WITHIN_MS;
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
export function manualOrderOutcome({ account, clientId }: Order, outcome: CreateOutcome) {
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
      throw orderNotSent("Order failed", "the order was not sent; nothing was placed", outcome);
    case "rejected":
      if (outcome.failure === "invalid_credentials" || outcome.failure === "missing_credentials")
        throw new VenueError(outcome.failure, outcome.reason);
      throw new AppError("Order failed", `the exchange rejected the order: ${outcome.reason}`);
    case "unknown":
      throw unknownOutcome({ ...order, reason: outcome.reason });
  }
}

/** Error for an order that was never sent; the caller can retry it. */
export function orderNotSent(
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
  const { timeInForce: _, ...sent } = sentOrderOf(order);
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

export interface PreparedOrder extends Pick<NewOrder, "side" | "type" | "price" | "amount"> {
  /** Whether the order is refused if it would be a taker order. */
  readonly postOnly?: boolean | undefined;
}

/**
 * Rounds the order to the market's rules: the amount down to the lot, a buy's price down and a sell's up to the tick.
 * Throws `Invalid amount` or `Invalid price` below a minimum.
 */
export function prepareOrder(
  { side, type, amount, price, postOnly }: PreparedOrder,
  market: Market,
  quote: BidAsk,
): PreparedOrder {
  const rounded = {
    side,
    type,
    postOnly,
    amount: roundToStep(amount, market.lot, "down"),
    price: type === "market" ? price : roundToStep(price, market.tick, side === "buy" ? "down" : "up"),
  };
  if (type === "limit" && rounded.price <= 0n) {
    throw new AppError("Invalid price", `price must be at least ${text(market.tick)} ${market.quote}`);
  }
  const reference = type === "limit" ? rounded.price : side === "buy" ? quote.ask : quote.bid;
  const least = roundToStep(
    max(max(market.minAmount, market.lot), div(market.minNotional, reference, "up")),
    market.lot,
    "up",
  );
  if (rounded.amount < least) {
    const notional = text(mul(least, reference, "up"));
    throw new AppError(
      "Invalid amount",
      `amount must be at least ${text(least)} ${market.base} here (${notional} ${market.quote})`,
    );
  }
  return rounded;
}

const OrderShape = lazy(() =>
  z.object({
    id: z.string(),
    symbol: z.string(),
    side: z.enum(SIDES),
    type: z.enum([...ORDER_TYPES, ...STOP_TYPES]),
    price: z.number(),
    triggerPrice: z.number().optional(),
    amount: z.number(),
    filled: z.number(),
    remaining: z.number(),
    status: z.enum(ORDER_STATUSES),
    timestamp: z.number(),
    clientOrderId: z.string().optional(),
  }),
);

export const oneOrderInput = (ids: readonly string[]) =>
  z.object({
    id: idField("Invalid request").describe("Order id"),
    exchange: exchangeField(ids),
    symbol: pairField(),
  });

export const OrdersShape = lazy(() =>
  z.object({
    exchange: z.string(),
    orders: z.array(OrderShape()),
    count: z.number(),
    unreadable: z
      .array(z.object({ id: z.string().nullable(), reason: z.string() }))
      .optional()
      .describe("Orders that cannot be read, or that the exchange lists only by pairs that you must name"),
  }),
);
export const OneOrderShape = lazy(() => z.object({ exchange: z.string(), order: OrderShape() }));
export const CreatedShape = lazy(() => OneOrderShape().extend({ success: z.literal(true) }));
export const CanceledShape = lazy(() =>
  z.object({
    success: z.literal(true),
    exchange: z.string(),
    orderId: z.string(),
    message: z.string(),
  }),
);
export const AllCanceledShape = lazy(() =>
  z.object({
    success: z.boolean(),
    exchange: z.string(),
    cancelled: z.number(),
    ofStrategies: z.number(),
    message: z.string(),
  }),
);

/** Formats an order; a market order's price is its average fill price, 0 before the first fill. */
export function orderOut({
  id,
  clientId,
  symbol,
  side,
  type,
  price,
  amount,
  filled,
  status,
  stop,
  at,
}: VenueOrder): z.input<ReturnType<typeof OrderShape>> {
  return {
    id,
    symbol,
    side,
    type: stop?.type ?? type,
    price: wire(type === "market" && filled === ZERO ? ZERO : price),
    ...(stop && stop.triggerPrice !== null ? { triggerPrice: wire(stop.triggerPrice) } : {}),
    amount: wire(amount),
    filled: wire(filled),
    remaining: wire(amount - filled),
    status,
    timestamp: at,
    ...(clientId === undefined ? {} : { clientOrderId: clientId }),
  };
}
