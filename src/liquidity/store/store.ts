import { and, asc, eq, gte, lt, type SQL, sql } from "drizzle-orm";
import { integer, sqliteTable } from "drizzle-orm/sqlite-core";
import type { AccountKey } from "../../model/account.ts";
import type { Span } from "../../model/fill.ts";
import { type LiquidityMinute, MINUTES_A_DAY, type MissedMinute } from "../../model/samples/minute.ts";
import type { PromisedPair, WatchedPair } from "../../model/samples/promise.ts";
import type { DaySums } from "../../model/samples/sums.ts";
import type { Deps } from "../../ports/deps.ts";
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
import type { AgreementStore } from "./agreements.ts";
import { storedBytes } from "./bytes.ts";
import type { ProofKeys, ProofStore } from "./proofs.ts";

/** Dependencies of the operations on samples. */
export interface LiquidityDeps extends Deps {
  /** Sampled pairs and their samples; absent if nothing is sampled. */
  readonly liquidity?: {
    readonly store: LiquidityStore;
    /** The pairs of the settings; those of agreements are sampled too. */
    readonly pairs: readonly PromisedPair[];
    readonly agreements?: AgreementStore;
    /** Signed days, and the key that signs them after it is created; absent if nothing is signed. */
    readonly proofs?: ProofStore & ProofKeys;
  };
}

/** One minute's sample of own orders. */
export type OwnOffer = Pick<LiquidityMinute, "ownSpread" | "ownOrders" | "ownDepth" | "offer">;

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

export type LiquidityStore = ReturnType<typeof createLiquidityStore>;

export const createLiquidityStore = (context: Context) => ({
  ...minuteReads(context),
  ...dayReads(context),
  ...sampleWrites(context),
});

function minuteReads(context: Context) {
  const { client } = context;
  return {
    /** Returns the pairs without a sample of this minute. */
    async lacking(pairs: readonly WatchedPair[], minute: number): Promise<readonly WatchedPair[]> {
      if (pairs.length === 0) return [];
      const isKnown = (pair: WatchedPair) =>
        sql`select 1 from ${liquidityMinutes} where ${ofPair(pair, liquidityMinutes)} and ${liquidityMinutes.minute} = ${minute}`;
      const known = await client.batch(
        pairs.map((pair) => statement(isKnown(pair))),
        "read",
      );
      return pairs.filter((_, index) => known[index]?.rows.length === 0);
    },

    misses: async (pair: WatchedPair, from: number, to: number): Promise<readonly MissedMinute[]> =>
      missesQuery(context, pair, { from, to }),

    /** Returns the first minute with a sample. */
    since: async (pair: WatchedPair): Promise<number | undefined> =>
      (await firstMinuteQuery(context, pair))[0]?.minute,

    /** Returns minutes in ascending order; `to` is exclusive. */
    async minutes(
      { exchange, symbol }: WatchedPair,
      from: number,
      to: number,
    ): Promise<readonly LiquidityMinute[]> {
      const result = await client.execute(READ_MINUTES.with({ exchange, symbol, from, to }));
      return READ_MINUTES.rows(liquidityMinutes, result).map(minuteOfRow);
    },

    /**
     * Reads own orders only, which takes a sixth of the time. `to` is exclusive. The depth is null unless the rule uses
     * it, and the spread is null if the times of orders are known.
     */
    async ownOffers(
      { exchange, symbol }: WatchedPair,
      span: MinuteSpan & { readonly usesDepth: boolean },
    ): Promise<readonly OwnOffer[]> {
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
  };
}

function dayReads(context: Context) {
  const { client } = context;
  return {
    /** Returns stored sums of days, both bounds inclusive. A change of a minute deletes the sums of its day. */
    async days(pair: WatchedPair, from: number, to: number): Promise<readonly DaySums[]> {
      const result = await client.execute(statement(sumsQuery(context, pair, { from, to })));
      // A copy would parse the hours.
      return rowsOf(liquidityDays, result).map(({ day, hash, sums }) => Object.assign(sums, { day, hash }));
    },

    bytes: (pair: WatchedPair, account: AccountKey, span: Span) => storedBytes(context, pair, account, span),
  };
}

function sampleWrites({ client, db }: Context) {
  return {
    /** Stores samples. The first sample of a minute wins. Deletes samples older than 13 months. */
    async keep(pair: WatchedPair, { ownOrders, sources: value, ...row }: LiquidityMinute): Promise<void> {
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

    /** Records that an order book could not be read in a minute. The first record wins. */
    async keepMiss(pair: WatchedPair, miss: MissedMinute): Promise<void> {
      const insert = db.insert(liquidityMisses).values({ ...pair, ...miss });
      const old = isOld(pair, miss.minute, liquidityMisses);
      await client.batch(
        [statement(insert.onConflictDoNothing()), statement(db.delete(liquidityMisses).where(old))],
        "write",
      );
    },

    /** Stores the sums of days whose minutes have not changed since they were read. */
    async keepDays(pair: WatchedPair, days: readonly DaySums[]): Promise<void> {
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
