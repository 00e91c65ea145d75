import { events, fills, orders, strategies } from "../../src/storage/tables/trading-tables.ts";
import { venueBalances, venueFills, venueOrders } from "../../src/storage/tables/venue-tables.ts";
import type { Driven } from "../support/driven.ts";

/** All that the service has stored, and all that its simulated venues have in their own books. */
export async function readRows({ context: { db } }: Driven) {
  return {
    strategies: await db.select().from(strategies),
    orders: await db.select().from(orders),
    fills: await db.select().from(fills),
    events: await db.select().from(events),
    venueOrders: await db.select().from(venueOrders),
    venueFills: await db.select().from(venueFills),
    balances: await db.select().from(venueBalances),
  };
}

export type Rows = Awaited<ReturnType<typeof readRows>>;

export const isOpen = ({ status }: { status: string }): boolean =>
  status === "open" || status === "partially_filled";
