import * as z from "zod";
import { wire, ZERO } from "../kernel/decimal.ts";
import { exchangeField, idField, pairField } from "../kernel/fields.ts";
import { lazy } from "../kernel/lazy.ts";
import { SIDES } from "../model/market.ts";
import { ORDER_STATUSES, ORDER_TYPES } from "../model/order.ts";
import type { VenueOrder } from "../ports/venue.ts";

export const OrderShape = lazy(() =>
  z.object({
    id: z.string(),
    symbol: z.string(),
    side: z.enum(SIDES),
    type: z.enum(ORDER_TYPES),
    price: z.number(),
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
  z.object({ exchange: z.string(), orders: z.array(OrderShape()), count: z.number() }),
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
  at,
}: VenueOrder): z.input<ReturnType<typeof OrderShape>> {
  return {
    id,
    symbol,
    side,
    type,
    price: wire(type === "market" && filled === ZERO ? ZERO : price),
    amount: wire(amount),
    filled: wire(filled),
    remaining: wire(amount - filled),
    status,
    timestamp: at,
    ...(clientId === undefined ? {} : { clientOrderId: clientId }),
  };
}
