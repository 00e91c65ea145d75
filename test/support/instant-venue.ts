import { decimal } from "../../src/kernel/decimal.ts";
import type { AccountRef } from "../../src/model/account.ts";
import type { Market } from "../../src/model/market.ts";
import type { NewOrder } from "../../src/model/order.ts";
import type { Venue, VenueOrder } from "../../src/ports/venue.ts";

const MARKET: Market = {
  symbol: "BTC/USDT",
  base: "BTC",
  quote: "USDT",
  active: true,
  buyFeeIn: "quote",
  tick: decimal("0.01"),
  lot: decimal("0.000001"),
  minAmount: 0n,
  minNotional: decimal("5"),
  maker: decimal("0.001"),
  taker: decimal("0.001"),
};

/** An exchange that answers at once and takes every order, so that what is measured is ours alone. */
export function instantVenue(account: AccountRef, other: Venue): Venue {
  const orders = new Map<string, VenueOrder>();
  const found = ({ id = "" }: { readonly id?: string | undefined }) => orders.get(id);
  const placed = ({ symbol, side, type, price, amount, clientId }: NewOrder) => {
    const id = `C${orders.size}`;
    const at = Date.now();
    orders.set(id, { id, clientId, symbol, side, type, price, amount, at, filled: 0n, status: "open" });
    return id;
  };
  return {
    ...other,
    account,
    market: async () => MARKET,
    ticker: async () => ({
      bid: decimal("60000"),
      ask: decimal("60001"),
      last: decimal("60000"),
      baseVolume: decimal("1"),
      quoteVolume: decimal("60000"),
      at: Date.now(),
    }),
    openOrders: async () => [],
    order: async (key) => found(key),
    async create(order, permit) {
      await permit.look?.();
      return permit.mayLeave() ? { result: "accepted", id: placed(order) } : { result: "not_sent" };
    },
  };
}
