import { and, asc, desc, eq, gte, inArray, sql } from "drizzle-orm";
import { StoreError } from "../../errors.ts";
import type { BookedOrder, Books, Holding } from "../sandbox/books.ts";
import type { Shock } from "../sandbox/path.ts";
import { type Context, rowsOf, statement } from "./context.ts";
import { fenceGuard } from "./tables.ts";
import { shocks, venueBalances, venueFills, venueOrders, venues } from "./venue-tables.ts";

/** The simulated venues' books in the database: what one process commits, every other sees. */
export function sandboxBooks({ client, db, now }: Context): Books {
  const open = inArray(venueOrders.status, ["open", "partially_filled"]);
  return {
    async load(exchange) {
      const results = await client.batch(
        [
          db.select().from(venues).where(eq(venues.exchange, exchange)),
          db.select().from(venueOrders).where(and(eq(venueOrders.exchange, exchange), open)),
          db.select().from(venueBalances).where(eq(venueBalances.exchange, exchange)),
          db.select().from(shocks).orderBy(asc(shocks.at)),
          sql`select ${now()}`,
        ].map(statement),
        "read",
      );
      const [venue] = rowsOf(venues, results[0]);
      if (!venue) throw new StoreError("unavailable", `the sandbox has no venue ${exchange}`);
      const holdings = rowsOf(venueBalances, results[2]).map(({ asset, total, used }) => [asset, { total, used }] as const);
      return {
        books: {
          version: venue.version,
          settledAt: venue.settledAt,
          open: rowsOf(venueOrders, results[1]),
          holdings: Object.fromEntries(holdings) satisfies Record<string, Holding>,
        },
        shocks: bySymbol(rowsOf(shocks, results[3])),
        now: Number(results[4]?.rows[0]?.[0]),
      };
    },

    async commit(exchange, version, { settledAt, orders, fills, holdings }, sendBy) {
      const inTime = sendBy === undefined ? sql`1` : sql`${now()} <= ${sendBy}`;
      const still = sql`insert into ${fenceGuard} select exists(select 1 from ${venues} where ${venues.exchange} = ${exchange} and ${venues.version} = ${version}) and ${inTime}`;
      const statements = [
        still,
        db.delete(fenceGuard),
        db.update(venues).set({ version: version + 1, settledAt }).where(eq(venues.exchange, exchange)),
        ...orders.map((order) =>
          db
            .insert(venueOrders)
            .values({ exchange, ...order })
            .onConflictDoUpdate({ target: [venueOrders.exchange, venueOrders.id], set: changing(order) }),
        ),
        ...fills.map((fill) => db.insert(venueFills).values({ exchange, ...fill })),
        ...Object.entries(holdings).map(([asset, held]) =>
          db
            .insert(venueBalances)
            .values({ exchange, asset, ...held })
            .onConflictDoUpdate({ target: [venueBalances.exchange, venueBalances.asset], set: held }),
        ),
      ];
      try {
        await client.batch(statements.map(statement), "write");
        return true;
      } catch (error) {
        if (error instanceof StoreError && error.failure === "fenced") return false;
        throw error;
      }
    },

    async order(exchange, { id, clientId }) {
      const key = id === undefined ? eq(venueOrders.clientId, clientId ?? "") : eq(venueOrders.id, id);
      const [row] = await db
        .select()
        .from(venueOrders)
        .where(and(eq(venueOrders.exchange, exchange), key))
        .orderBy(desc(venueOrders.id))
        .limit(1);
      return row;
    },

    async fills(exchange, symbol, since) {
      return db
        .select()
        .from(venueFills)
        .where(and(eq(venueFills.exchange, exchange), eq(venueFills.symbol, symbol), gte(venueFills.at, since)))
        .orderBy(asc(venueFills.at), asc(venueFills.id));
    },
  };
}

const changing = ({ filled, notional, reserved, fee, fills, status, meetsFrom }: BookedOrder) => ({ filled, notional, reserved, fee, fills, status, meetsFrom });

function bySymbol(rows: readonly { symbol: string; at: number; factor: number }[]): Record<string, Shock[]> {
  const found: Record<string, Shock[]> = {};
  for (const { symbol, at, factor } of rows) {
    found[symbol] ??= [];
    found[symbol].push({ at, factor });
  }
  return found;
}

