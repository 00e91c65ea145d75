import { decimal } from "../../src/kernel/decimal.ts";
import type { AccountRef } from "../../src/model/account.ts";
import type { NewOrder } from "../../src/model/order.ts";
import type { Venue, VenueOrder } from "../../src/ports/venue.ts";

/** An exchange that answers at once and takes every order, so that what is measured is ours alone. */
export function instantVenue(account: AccountRef, other: Venue): Venue {
  const orders = new Map<string, VenueOrder>();
  const found = ({ id = "" }: { readonly id?: string | undefined }) => orders.get(id);
  const placed = ({ symbol, side, type, price, amount, clientId }: NewOrder) => {
    const id = `C${orders.size}`;
    const at = Date.now();
    orders.set(id, {
      ...{ id, clientId, symbol, side, type, price, amount, at },
      ...{ filled: 0n, status: "open" },
    });
    return id;
  };
  return {
    ...other,
    account,
    ticker: async () => ({
      ...{ bid: decimal("60000"), ask: decimal("60001"), last: decimal("60000") },
      ...{ baseVolume: decimal("1"), quoteVolume: decimal("60000"), at: Date.now() },
    }),
    openOrders: async () => [],
    order: async (key) => found(key),
    async create(order, permit) {
      await permit.look?.();
      return permit.mayLeave() ? { result: "accepted", id: placed(order) } : { result: "not_sent" };
    },
  };
}
