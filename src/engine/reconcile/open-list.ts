import type { Order } from "../../model/order.ts";
import type { VenueOrder } from "../../ports/venue.ts";

/** Indexes the open list by order ids; searching it for each order would take quadratic time. */
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
