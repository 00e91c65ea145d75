import type { Order } from "../../model/order.ts";
import type { VenueOrder } from "../../ports/venue.ts";

/** An open list by what an order is known under: looked through for each order, it would cost the square of them. */
export function listedIn(
  open: readonly VenueOrder[],
): (order: Pick<Order, "exchangeId" | "clientId">) => VenueOrder | undefined {
  const byId = new Map<string, VenueOrder>();
  const byClientId = new Map<string, VenueOrder>();
  for (const order of open) {
    byId.set(order.id, order);
    if (order.clientId !== undefined) byClientId.set(order.clientId, order);
  }
  return ({ exchangeId, clientId }) =>
    (exchangeId === null ? undefined : byId.get(exchangeId)) ?? byClientId.get(clientId);
}
