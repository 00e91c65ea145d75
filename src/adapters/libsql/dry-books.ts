import { and, eq, sql } from "drizzle-orm";
import type { Decimal } from "../../kernel/decimal.ts";
import { type Context, isWritten, statement, unless } from "../../storage/client/context.ts";
import { venueBalances, venueOrders, venues } from "../../storage/tables/venue-tables.ts";
import type { Books } from "../sandbox/booked-venue.ts";
import { sandboxBooks } from "./sandbox-books.ts";

export interface DryBooks extends Books {
  /** Creates the account with one balance if it has none. */
  open(key: string, first: { readonly asset: string; readonly total: Decimal }): Promise<void>;
  /** Replaces its balances; returns false while it has an open order. */
  fund(key: string, balances: Readonly<Record<string, Decimal>>): Promise<boolean>;
  /** Returns its balances; undefined before it was created. */
  holdings(key: string): Promise<readonly { asset: string; total: Decimal; used: Decimal }[]>;
}

/** Stores paper trading accounts next to the sandbox's venues. */
export function dryBooks(context: Context): DryBooks {
  const { client, db } = context;
  const made = (key: string) =>
    db.insert(venues).values({ exchange: key, version: 1, settledAt: 0 }).onConflictDoNothing();
  const ofIt = (key: string) => eq(venueBalances.exchange, key);
  return {
    // A preview reads the account before a start creates it.
    ...sandboxBooks(context, { version: 0, settledAt: 0, fault: null }),

    async open(key, { asset, total }) {
      const none = sql`not exists(select 1 from ${venueBalances} where ${ofIt(key)})`;
      const first = sql`insert into ${venueBalances} (exchange, asset, total, used) select ${key}, ${asset}, ${sql.param(total, venueBalances.total)}, '0' where ${none}`;
      await client.batch([statement(made(key)), statement(first)], "write");
    },

    async fund(key, balances) {
      const resting = and(
        eq(venueOrders.exchange, key),
        sql`${venueOrders.status} in ('open', 'partially_filled')`,
      );
      const idle = sql`not exists(select 1 from ${venueOrders} where ${resting})`;
      const changed = db.update(venues).set({ version: sql`${venues.version} + 1` });
      const statements = [
        ...unless(idle),
        statement(made(key)),
        // A new version, so data that was read before does not overwrite it.
        statement(changed.where(eq(venues.exchange, key))),
        statement(db.delete(venueBalances).where(ofIt(key))),
        ...Object.entries(balances).map(([asset, total]) =>
          statement(db.insert(venueBalances).values({ exchange: key, asset, total, used: 0n })),
        ),
      ];
      return isWritten(client.batch(statements, "write"));
    },

    holdings: (key) =>
      db
        .select({ asset: venueBalances.asset, total: venueBalances.total, used: venueBalances.used })
        .from(venueBalances)
        .where(ofIt(key)),
  };
}
