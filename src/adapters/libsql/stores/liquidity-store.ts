import { and, asc, eq, gte, lt } from "drizzle-orm";
import { MINUTES_A_DAY } from "../../../model/samples/minute.ts";
import type { LiquidityStore, WatchedPair } from "../../../ports/stores/liquidity-store.ts";
import { type Context, statement } from "../client/context.ts";
import { liquidityMinutes, liquidityMisses } from "../tables/liquidity-tables.ts";

/** Thirteen months. */
const MINUTES_KEPT = 396 * MINUTES_A_DAY;

/** Of places nobody knows how many: the column has no null, and a year of minutes is not copied to give it one. */
const UNKNOWN_SOURCES = -1;

type KeptTable = typeof liquidityMinutes | typeof liquidityMisses;
const ofWatchedPair = ({ exchange, symbol }: WatchedPair, table: KeptTable = liquidityMinutes) =>
  and(eq(table.exchange, exchange), eq(table.symbol, symbol));
const isOld = (pair: WatchedPair, minute: number, table: KeptTable) =>
  and(ofWatchedPair(pair, table), lt(table.minute, minute - MINUTES_KEPT));

export const minutesQuery = ({ db }: Pick<Context, "db">, pair: WatchedPair, from: number, to: number) =>
  db
    .select()
    .from(liquidityMinutes)
    .where(and(ofWatchedPair(pair), gte(liquidityMinutes.minute, from), lt(liquidityMinutes.minute, to)))
    .orderBy(asc(liquidityMinutes.minute));

export const missesQuery = ({ db }: Pick<Context, "db">, pair: WatchedPair, from: number, to: number) =>
  db
    .select({ minute: liquidityMisses.minute, cause: liquidityMisses.cause })
    .from(liquidityMisses)
    .where(
      and(
        ofWatchedPair(pair, liquidityMisses),
        gte(liquidityMisses.minute, from),
        lt(liquidityMisses.minute, to),
      ),
    )
    .orderBy(asc(liquidityMisses.minute));

export const firstMinuteQuery = ({ db }: Pick<Context, "db">, pair: WatchedPair) =>
  db
    .select({ minute: liquidityMinutes.minute })
    .from(liquidityMinutes)
    .where(ofWatchedPair(pair))
    .orderBy(asc(liquidityMinutes.minute))
    .limit(1);

export function liquidityStore(context: Context): LiquidityStore {
  const { client, db } = context;
  return {
    async lacking(pairs, minute) {
      if (pairs.length === 0) return [];
      const known = await client.batch(
        pairs.map((pair) => statement(minutesQuery(context, pair, minute, minute + 1))),
        "read",
      );
      return pairs.filter((_, place) => known[place]?.rows.length === 0);
    },

    async keep(pair, { ownOrders, sources: told, ...row }) {
      const { bids: ownBids, asks: ownAsks } = ownOrders;
      const { exchange, symbol } = pair;
      const sources = told ?? UNKNOWN_SOURCES;
      const insert = db
        .insert(liquidityMinutes)
        .values({ exchange, symbol, ownBids, ownAsks, sources, ...row });
      const old = isOld(pair, row.minute, liquidityMinutes);
      await client.batch(
        [statement(insert.onConflictDoNothing()), statement(db.delete(liquidityMinutes).where(old))],
        "write",
      );
    },

    async keepMiss(pair, miss) {
      const insert = db.insert(liquidityMisses).values({ ...pair, ...miss });
      const old = isOld(pair, miss.minute, liquidityMisses);
      await client.batch(
        [statement(insert.onConflictDoNothing()), statement(db.delete(liquidityMisses).where(old))],
        "write",
      );
    },

    misses: async (pair, from, to) => missesQuery(context, pair, from, to),

    since: async (pair) => (await firstMinuteQuery(context, pair))[0]?.minute,

    async minutes(pair, from, to) {
      const rows = await minutesQuery(context, pair, from, to);
      return rows.map(({ exchange: _exchange, symbol: _symbol, ownBids, ownAsks, sources, ...row }) => ({
        ...row,
        sources: sources === UNKNOWN_SOURCES ? null : sources,
        ownOrders: { bids: ownBids, asks: ownAsks },
      }));
    },
  };
}
