import { and, asc, type Column, eq, gte, lt, type SQL, sql } from "drizzle-orm";
import { getTableConfig, integer, type SQLiteTable, sqliteTable } from "drizzle-orm/sqlite-core";
import { MINUTE } from "../../kernel/time.ts";
import type { AccountKey } from "../../model/account.ts";
import { type ActorAndRequest, EVERY_ACCOUNT } from "../../model/events.ts";
import type { Span } from "../../model/order.ts";
import type {
  AgreementTerms,
  AgreementVersion,
  PromisedPair,
  WatchedPair,
} from "../../model/samples/promise.ts";
import { type LiquidityMinute, MINUTES_PER_DAY, type MissedMinute } from "../../model/samples/sample.ts";
import type { DaySums } from "../../model/samples/sums.ts";
import type { Deps } from "../../ports/deps.ts";
import {
  bundle,
  type Context,
  hasRows,
  rowsOf,
  type Statement,
  statement,
} from "../../storage/client/context.ts";
import { writeText } from "../../storage/client/event-chain.ts";
import { amountColumn } from "../../storage/tables/columns.ts";
import {
  agreements,
  depths,
  fillMids,
  liquidityDays,
  liquidityMinutes,
  liquidityMisses,
  type liquidityProofs,
  offerColumn,
} from "../../storage/tables/liquidity-tables.ts";
import { fills } from "../../storage/tables/trading-tables.ts";
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
const STORED_MINUTES = 396 * MINUTES_PER_DAY;

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
  and(ofPair(pair, table), lt(table.minute, minute - STORED_MINUTES));

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

/** Bytes of a record besides its values: its header, its key and its place on the page. */
const BYTES_PER_RECORD = 8;

/** Integers count by their digits, about twice their size, which makes up for the free space of pages. */
const bytesOfRecord = (columns: readonly Column[]): SQL => {
  const values = columns.map((column) => sql`coalesce(length(cast(${column} as blob)), 0) + 1`);
  return sql`${BYTES_PER_RECORD} + ${sql.join(values, sql` + `)}`;
};

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

/** Stores sums only if as many minutes, and as many of them with the times of own orders, are there as were added up. */
function daySet(pair: WatchedPair, { day, hash, ...sums }: DaySums): Statement {
  const { exchange, symbol } = pair;
  const span = { from: day * MINUTES_PER_DAY, to: (day + 1) * MINUTES_PER_DAY };
  const count = (table: MinuteTable, rows = sql`*`) =>
    sql`(select count(${rows}) from ${table} where ${ofSpan(pair, table, span)})`;
  const timed = count(liquidityMinutes, sql`${liquidityMinutes.offer}`);
  const isSame = sql`${count(liquidityMinutes)} = ${sums.sums.known} and ${timed} = ${sums.sums.timed} and ${count(liquidityMisses)} = ${sums.missed}`;
  const stored = sql.param(sums, liquidityDays.sums);
  return statement(
    sql`insert into ${liquidityDays} (exchange, symbol, day, version, sums, hash) select ${exchange}, ${symbol}, ${day}, ${SUMS_VERSION}, ${stored}, ${hash} where ${isSame} on conflict (exchange, symbol, day) do update set version = excluded.version, sums = excluded.sums, hash = excluded.hash`,
  );
}

/** Agreements. A version is never changed or deleted. */
export type AgreementStore = ReturnType<typeof createAgreementStore>;

export function createAgreementStore(context: Context) {
  const { db } = context;
  const { name, version } = agreements;
  return {
    /** Returns the newest version of each agreement, by name. */
    async agreements(): Promise<readonly AgreementVersion[]> {
      const newest = sql`agreements.version = (select max(version) from agreements as newer where newer.name = agreements.name)`;
      return db.select().from(agreements).where(newest).orderBy(asc(name));
    },

    /** Returns all versions of an agreement, oldest first. */
    async versions(of: string): Promise<readonly AgreementVersion[]> {
      return db.select().from(agreements).where(eq(name, of)).orderBy(asc(version));
    },

    /** Returns false if the agreement has this version already. The event gets the message. */
    async add(
      terms: AgreementTerms & Pick<AgreementVersion, "name" | "version">,
      message: string,
      by: ActorAndRequest,
    ): Promise<boolean> {
      const isNew = sql`not exists(select 1 from ${agreements} where ${name} = ${terms.name} and ${version} = ${terms.version})`;
      const [, added] = await writeText(context, by, async ({ now: at, tell }) => {
        const row = { ...terms, at, actor: by.actor };
        const insert = db.insert(agreements).values(row).onConflictDoNothing().returning({ name });
        return [
          await tell({ account: EVERY_ACCOUNT, strategy: null, kind: "agreement", message }, isNew),
          statement(insert),
        ];
      });
      return hasRows(added);
    },
  };
}

/** Returns the bytes of the rows that match, with their entries in every index. */
function bytesOfRows(table: SQLiteTable, isOf: SQL | undefined): SQL {
  const { columns, indexes, primaryKeys } = getTableConfig(table);
  const keys = [...primaryKeys, ...indexes.map(({ config }) => config)];
  const records = [columns, ...keys.map((key) => key.columns as Column[])].map(bytesOfRecord);
  return sql`(select coalesce(sum(${sql.join(records, sql` + `)}), 0) from ${table} where ${isOf})`;
}

/** Returns about how many bytes the samples and fills of a span take, with their indexes. `to` is exclusive. */
async function storedBytes(
  { client }: Context,
  { exchange, symbol }: WatchedPair,
  account: AccountKey,
  { from, to }: Span,
): Promise<{ readonly samples: number; readonly fills: number }> {
  const { exchange: ofExchange, symbol: ofSymbol, minute } = liquidityMinutes;
  const isSample = and(
    eq(ofExchange, exchange),
    eq(ofSymbol, symbol),
    gte(minute, Math.floor(from / MINUTE)),
    lt(minute, Math.floor(to / MINUTE)),
  );
  const isFill = (table: typeof fills | typeof fillMids) =>
    and(eq(table.account, account), eq(table.symbol, symbol), gte(table.at, from), lt(table.at, to));
  const ofFills = sql`${bytesOfRows(fills, isFill(fills))} + ${bytesOfRows(fillMids, isFill(fillMids))}`;
  const [row] = (
    await client.execute(statement(sql`select ${bytesOfRows(liquidityMinutes, isSample)}, ${ofFills}`))
  ).rows;
  return { samples: Number(row?.[0]), fills: Number(row?.[1]) };
}
