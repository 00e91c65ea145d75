import { and, asc, desc, eq, gte, type SQLWrapper, sql, type Table } from "drizzle-orm";
import { StoreError } from "../../errors.ts";
import type { BookedOrder, Books } from "../sandbox/books.ts";
import type { Shock } from "../sandbox/path.ts";
import { bundle, type Context, statement } from "./context.ts";
import { fenceGuard } from "./tables.ts";
import { shocks, venueBalances, venueFills, venueOrders, venues } from "./venue-tables.ts";

/** The simulated venues' books in the database: what one process commits, every other sees. */
export function sandboxBooks({ client, db, now }: Context): Books {
  const exchangeIs = sql.placeholder("exchange");
  const open = sql`${venueOrders.status} in ('open', 'partially_filled')`;
  const moment: [Table, SQLWrapper][] = [
    [venues, db.select().from(venues).where(eq(venues.exchange, exchangeIs))],
    [shocks, db.select().from(shocks).orderBy(asc(shocks.at))],
  ];
  const time = bundle(moment);
  const whole = bundle([
    ...moment,
    [
      venueOrders,
      db
        .select()
        .from(venueOrders)
        .where(and(eq(venueOrders.exchange, exchangeIs), open)),
    ],
    [venueBalances, db.select().from(venueBalances).where(eq(venueBalances.exchange, exchangeIs))],
  ]);
  const clock = () => statement(sql`select ${now()}`);
  const read = async ({ with: fill, rows }: typeof whole, exchange: string) => {
    // The clock first: what is read with it is never older than it says.
    const [clocked, result] = await client.batch([clock(), fill({ exchange })], "read");
    const [venue] = rows(venues, result);
    if (!venue) throw new StoreError("unavailable", `the sandbox has no venue ${exchange}`);
    return {
      result,
      venue,
      when: { shocks: bySymbol(rows(shocks, result)), now: Number(clocked?.rows[0]?.[0]) },
    };
  };
  return {
    async load(exchange) {
      const { result, venue, when } = await read(whole, exchange);
      const holdings = whole
        .rows(venueBalances, result)
        .map(({ asset, total, used }) => [asset, { total, used }] as const);
      const { version, settledAt } = venue;
      const books = {
        version,
        settledAt,
        open: whole.rows(venueOrders, result),
        holdings: Object.fromEntries(holdings),
      };
      return { ...when, books };
    },

    async time(exchange) {
      const { venue, when } = await read(time, exchange);
      return { settledAt: venue.settledAt, ...when };
    },

    async commit(exchange, version, { settledAt, orders, fills, holdings }, sendBy) {
      const inTime = sendBy === undefined ? sql`1` : sql`${now()} <= ${sendBy}`;
      const still = sql`insert into ${fenceGuard} select exists(select 1 from ${venues} where ${venues.exchange} = ${exchange} and ${venues.version} = ${version}) and ${inTime}`;
      const statements = [
        still,
        db.delete(fenceGuard),
        db
          .update(venues)
          .set({ version: version + 1, settledAt })
          .where(eq(venues.exchange, exchange)),
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
      const wanted = and(
        eq(venueFills.exchange, exchange),
        eq(venueFills.symbol, symbol),
        gte(venueFills.at, since),
      );
      const fills = bundle([
        [
          venueFills,
          db.select().from(venueFills).where(wanted).orderBy(asc(venueFills.at), asc(venueFills.id)),
        ],
      ]);
      return fills.rows(venueFills, await client.execute(fills.with({})));
    },
  };
}

const changing = ({ filled, notional, reserved, fee, fills, status, meetsFrom }: BookedOrder) => ({
  filled,
  notional,
  reserved,
  fee,
  fills,
  status,
  meetsFrom,
});

function bySymbol(rows: readonly { symbol: string; at: number; factor: number }[]): Record<string, Shock[]> {
  const found: Record<string, Shock[]> = {};
  for (const { symbol, at, factor } of rows) {
    found[symbol] ??= [];
    found[symbol].push({ at, factor });
  }
  return found;
}
