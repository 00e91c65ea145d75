import { and, asc, desc, eq, gte, type SQL, type SQLWrapper, sql, type Table } from "drizzle-orm";
import { StoreError } from "../../../kernel/errors.ts";
import type { Millis } from "../../../kernel/time.ts";
import type { BookedOrder } from "../../../market/matching/books.ts";
import {
  bundle,
  type Context,
  queries,
  type StoreMethod,
  statement,
} from "../../../storage/client/context.ts";
import { isWritten, refusedUnless } from "../../../storage/client/fence.ts";
import {
  sandbox,
  shocks,
  venueBalances,
  venueFills,
  venueOrders,
  venues,
} from "../../../storage/tables/venue-tables.ts";
import type { Books } from "../../sandbox/books.ts";
import type { Shock } from "../../sandbox/path.ts";

const exchangeIs = sql.placeholder("exchange");

const moment = (): [Table, SQLWrapper][] => [
  [venues, queries.select().from(venues).where(eq(venues.exchange, exchangeIs))],
  [shocks, queries.select().from(shocks).orderBy(asc(shocks.at))],
  [sandbox, queries.select().from(sandbox)],
];

const TIME = bundle(moment);

const READ_BOOKS = bundle(() => {
  const open = sql`${venueOrders.status} in ('open', 'partially_filled')`;
  const resting = and(eq(venueOrders.exchange, exchangeIs), open);
  return [
    ...moment(),
    [venueOrders, queries.select().from(venueOrders).where(resting)],
    [venueBalances, queries.select().from(venueBalances).where(eq(venueBalances.exchange, exchangeIs))],
  ];
});

const currentTime = (now: SQL<number>) => sql`select ${now}`;

/**
 * Stores the simulated venues' books in the database; every process sees committed changes. `missing` are the books of
 * a venue that does not exist yet; without it, such a venue cannot be read.
 */
export function sandboxBooks(
  context: Context,
  missing?: { readonly version: number; readonly settledAt: Millis },
): Books {
  const { client, db, prepare } = context;
  const clock = prepare(currentTime);
  const read = async ({ with: fill, rows }: typeof READ_BOOKS, exchange: string) => {
    // The clock first, so the data are never older than their time.
    const [clocked, result] = await client.batch([clock(), fill({ exchange })], "read");
    const venue = rows(venues, result)[0] ?? missing;
    if (!venue) throw new StoreError("unavailable", `the sandbox has no exchange ${exchange}`);
    return {
      result,
      venue,
      when: {
        shocks: bySymbol(rows(shocks, result)),
        now: Number(clocked?.rows[0]?.[0]),
        passed: rows(sandbox, result)[0]?.passed ?? 0,
      },
    };
  };
  return {
    async load(exchange) {
      const { result, venue, when } = await read(READ_BOOKS, exchange);
      const holdings = READ_BOOKS.rows(venueBalances, result).map(
        ({ asset, total, used }) => [asset, { total, used }] as const,
      );
      const { version, settledAt } = venue;
      const books = {
        version,
        settledAt,
        open: READ_BOOKS.rows(venueOrders, result),
        holdings: Object.fromEntries(holdings),
      };
      return { ...when, books };
    },

    async time(exchange) {
      const { venue, when } = await read(TIME, exchange);
      return { settledAt: venue.settledAt, ...when };
    },

    commit: (exchange, version, change, sendBy) => commitBooks(context, exchange, version, change, sendBy),

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
      const matching = and(
        eq(venueFills.exchange, exchange),
        eq(venueFills.symbol, symbol),
        gte(venueFills.at, since),
      );
      const inOrder = queries.select().from(venueFills).where(matching);
      const fills = bundle(() => [[venueFills, inOrder.orderBy(asc(venueFills.at), asc(venueFills.id))]]);
      return fills.rows(venueFills, await client.execute(fills.with({})));
    },
  };
}

const commitBooks: StoreMethod<Books["commit"]> = async (
  { client, db, now },
  exchange,
  version,
  { settledAt, orders, fills, holdings },
  sendBy,
) => {
  const inTime = sendBy === undefined ? sql`1` : sql`${now()} <= ${sendBy}`;
  const still = sql`exists(select 1 from ${venues} where ${venues.exchange} = ${exchange} and ${venues.version} = ${version}) and ${inTime}`;
  const statements = [
    refusedUnless(still),
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
    ...Object.entries(holdings).map(([asset, holding]) =>
      db
        .insert(venueBalances)
        .values({ exchange, asset, ...holding })
        .onConflictDoUpdate({ target: [venueBalances.exchange, venueBalances.asset], set: holding }),
    ),
  ];
  return isWritten(client.batch(statements.map(statement), "write"));
};

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
