import { and, asc, eq, gte, lt } from "drizzle-orm";
import { MINUTES_A_DAY } from "../../../model/liquidity-minute.ts";
import type { LiquidityStore, WatchedPair } from "../../../ports/stores/liquidity-store.ts";
import { type Context, statement } from "../client/context.ts";
import { liquidityMinutes } from "../tables/liquidity-tables.ts";

/** Thirteen months. */
const KEPT = 396 * MINUTES_A_DAY;

const isOf = ({ exchange, symbol }: WatchedPair) =>
  and(eq(liquidityMinutes.exchange, exchange), eq(liquidityMinutes.symbol, symbol));

export const minutesQuery = ({ db }: Pick<Context, "db">, pair: WatchedPair, from: number, to: number) =>
  db
    .select()
    .from(liquidityMinutes)
    .where(and(isOf(pair), gte(liquidityMinutes.minute, from), lt(liquidityMinutes.minute, to)))
    .orderBy(asc(liquidityMinutes.minute));

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

    async keep(pair, { ownOrders, ...row }) {
      const { bids: ownBids, asks: ownAsks } = ownOrders;
      const { exchange, symbol } = pair;
      const insert = db.insert(liquidityMinutes).values({ exchange, symbol, ownBids, ownAsks, ...row });
      const old = and(isOf(pair), lt(liquidityMinutes.minute, row.minute - KEPT));
      await client.batch(
        [statement(insert.onConflictDoNothing()), statement(db.delete(liquidityMinutes).where(old))],
        "write",
      );
    },

    async minutes(pair, from, to) {
      const rows = await minutesQuery(context, pair, from, to);
      return rows.map(({ exchange: _exchange, symbol: _symbol, ownBids, ownAsks, ...row }) => ({
        ...row,
        ownOrders: { bids: ownBids, asks: ownAsks },
      }));
    },
  };
}
