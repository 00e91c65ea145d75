import { and, asc, eq, gte, lt, type SQL, sql } from "drizzle-orm";
import { integer, sqliteTable } from "drizzle-orm/sqlite-core";
import { type LiquidityMinute, MINUTES_A_DAY } from "../../model/samples/minute.ts";
import type { DaySums } from "../../model/samples/sums.ts";
import type { LiquidityStore, WatchedPair } from "../../ports/stores/liquidity-store.ts";
import { bundle, type Context, rowsOf, type Statement, statement } from "../../storage/client/context.ts";
import { amountColumn } from "../../storage/tables/columns.ts";
import {
  depths,
  liquidityDays,
  liquidityMinutes,
  liquidityMisses,
  type liquidityProofs,
  offerColumn,
} from "../../storage/tables/liquidity-tables.ts";
import { storedBytes } from "./bytes.ts";

/** Thirteen months. */
const MINUTES_KEPT = 396 * MINUTES_A_DAY;

/** Marks an unknown number of sources: the column does not allow null, and changing it would copy a year of minutes. */
const UNKNOWN_SOURCES = -1;

/** Increase it when the form or the rules of daily sums change. */
const SUMS_VERSION = 4;

interface MinuteSpan {
  readonly from: number;
  readonly to: number;
}

type MinuteTable = typeof liquidityMinutes | typeof liquidityMisses;
type PairTable = MinuteTable | typeof liquidityDays | typeof liquidityProofs;
const ofPair = ({ exchange, symbol }: WatchedPair, table: PairTable) =>
  and(eq(table.exchange, exchange), eq(table.symbol, symbol));
const isOld = (pair: WatchedPair, minute: number, table: typeof liquidityMinutes | typeof liquidityMisses) =>
  and(ofPair(pair, table), lt(table.minute, minute - MINUTES_KEPT));

const ofSpan = (pair: WatchedPair, table: MinuteTable, { from, to }: MinuteSpan) =>
  and(ofPair(pair, table), gte(table.minute, from), lt(table.minute, to));

const of = (name: string) => sql.placeholder(name);

/** Returns minutes in order; `to` is excluded. */
const minutesBetween = (columns: SQL) => {
  const { exchange, symbol, minute } = liquidityMinutes;
  return sql`select ${columns} from ${liquidityMinutes} where ${exchange} = ${of("exchange")} and ${symbol} = ${of("symbol")} and ${minute} >= ${of("from")} and ${minute} < ${of("to")} order by ${minute}`;
};

/** Reads a day as one value; value by value takes four times as long. */
export const READ_MINUTES = bundle(() => [[liquidityMinutes, minutesBetween(sql`*`)]]);

/** The columns of own orders only. */
const ownColumns = sqliteTable("liquidity_minutes", {
  ownSpread: amountColumn("own_spread"),
  ownBids: integer("own_bids").notNull(),
  ownAsks: integer("own_asks").notNull(),
  ownDepth: depths("own_depth"),
  offer: offerColumn("offer"),
});

/** Without texts that the rule does not use: they take half of the time. */
const READ_OWN = bundle(() => {
  const { ownSpread, ownDepth, offer } = liquidityMinutes;
  const columns = sql`case when ${offer} is null then ${ownSpread} end own_spread, own_bids, own_asks, case when ${of("usesDepth")} then ${ownDepth} end own_depth, offer`;
  return [[ownColumns, minutesBetween(columns)]];
});

export const missesQuery = ({ db }: Pick<Context, "db">, pair: WatchedPair, span: MinuteSpan) =>
  db
    .select({ minute: liquidityMisses.minute, cause: liquidityMisses.cause })
    .from(liquidityMisses)
    .where(ofSpan(pair, liquidityMisses, span))
    .orderBy(asc(liquidityMisses.minute));

export const firstMinuteQuery = ({ db }: Pick<Context, "db">, pair: WatchedPair) =>
  db
    .select({ minute: liquidityMinutes.minute })
    .from(liquidityMinutes)
    .where(ofPair(pair, liquidityMinutes))
    .orderBy(asc(liquidityMinutes.minute))
    .limit(1);

export const sumsQuery = ({ db }: Pick<Context, "db">, pair: WatchedPair, { from, to }: MinuteSpan) =>
  db
    .select()
    .from(liquidityDays)
    .where(
      and(
        ofPair(pair, liquidityDays),
        sql`${liquidityDays.day} between ${from} and ${to}`,
        eq(liquidityDays.version, SUMS_VERSION),
      ),
    )
    .orderBy(asc(liquidityDays.day));

export function liquidityStore(context: Context): LiquidityStore {
  const { client, db } = context;
  return {
    async lacking(pairs, minute) {
      if (pairs.length === 0) return [];
      const isKnown = (pair: WatchedPair) =>
        sql`select 1 from ${liquidityMinutes} where ${ofPair(pair, liquidityMinutes)} and ${liquidityMinutes.minute} = ${minute}`;
      const known = await client.batch(
        pairs.map((pair) => statement(isKnown(pair))),
        "read",
      );
      return pairs.filter((_, index) => known[index]?.rows.length === 0);
    },

    async keep(pair, { ownOrders, sources: value, ...row }) {
      const { bids: ownBids, asks: ownAsks } = ownOrders;
      const { exchange, symbol } = pair;
      const sources = value ?? UNKNOWN_SOURCES;
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

    misses: async (pair, from, to) => missesQuery(context, pair, { from, to }),

    since: async (pair) => (await firstMinuteQuery(context, pair))[0]?.minute,

    async minutes({ exchange, symbol }, from, to) {
      const result = await client.execute(READ_MINUTES.with({ exchange, symbol, from, to }));
      return READ_MINUTES.rows(liquidityMinutes, result).map(minuteOfRow);
    },

    async ownOffers({ exchange, symbol }, span) {
      const result = await client.execute(READ_OWN.with({ exchange, symbol, ...span }));
      return READ_OWN.rows(ownColumns, result).map(
        ({ ownSpread, ownBids: bids, ownAsks: asks, ownDepth, offer }) => ({
          ownSpread,
          ownOrders: { bids, asks },
          ownDepth,
          offer,
        }),
      );
    },

    async days(pair, from, to) {
      const result = await client.execute(statement(sumsQuery(context, pair, { from, to })));
      // A copy would parse the hours.
      return rowsOf(liquidityDays, result).map(({ day, hash, sums }) => Object.assign(sums, { day, hash }));
    },

    bytes: storedBytes.bind(null, context),
    async keepDays(pair, days) {
      if (days.length > 0) await client.unwaited(...days.map((daySums) => daySet(pair, daySums)));
    },
  };
}

/** Reads field by field; copying the rest of a row takes a tenth of a report's time. */
const minuteOfRow = (row: typeof liquidityMinutes.$inferSelect): LiquidityMinute => ({
  minute: row.minute,
  samples: row.samples,
  spread: row.spread,
  ownSpread: row.ownSpread,
  ownOrders: { bids: row.ownBids, asks: row.ownAsks },
  ownDepth: row.ownDepth,
  depth: row.depth,
  isCutShort: row.isCutShort,
  deviation: row.deviation,
  sources: row.sources === UNKNOWN_SOURCES ? null : row.sources,
  absence: row.absence,
  offer: row.offer,
});

/** Stores sums only if as many minutes, and as many of them with the times of own orders, are there as were added up. */
function daySet(pair: WatchedPair, { day, hash, ...sums }: DaySums): Statement {
  const { exchange, symbol } = pair;
  const span = { from: day * MINUTES_A_DAY, to: (day + 1) * MINUTES_A_DAY };
  const count = (table: MinuteTable, rows = sql`*`) =>
    sql`(select count(${rows}) from ${table} where ${ofSpan(pair, table, span)})`;
  const timed = count(liquidityMinutes, sql`${liquidityMinutes.offer}`);
  const isSame = sql`${count(liquidityMinutes)} = ${sums.sums.known} and ${timed} = ${sums.sums.timed} and ${count(liquidityMisses)} = ${sums.missed}`;
  const stored = sql.param(sums, liquidityDays.sums);
  return statement(
    sql`insert into ${liquidityDays} (exchange, symbol, day, version, sums, hash) select ${exchange}, ${symbol}, ${day}, ${SUMS_VERSION}, ${stored}, ${hash} where ${isSame} on conflict (exchange, symbol, day) do update set version = excluded.version, sums = excluded.sums, hash = excluded.hash`,
  );
}
