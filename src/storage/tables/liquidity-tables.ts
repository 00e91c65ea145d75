import { customType, index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { decode, encode, withDecimals } from "../../kernel/codec.ts";
import { type Decimal, decimal, text as plain } from "../../kernel/decimal.ts";
import type { Pair } from "../../kernel/pair.ts";
import type { Millis } from "../../kernel/time.ts";
import type { AccountKey } from "../../model/account.ts";
import type { Side } from "../../model/market.ts";
import type { DayTotals } from "../../model/news.ts";
import {
  type Absence,
  type Depths,
  formatOffer,
  type MinuteOffer,
  parseOffer,
  type Sides,
} from "../../model/samples/sample.ts";
import type { DaySums, HourFigures, MinuteRun } from "../../model/samples/sums.ts";
import { amountColumn, doc, flagColumn } from "./columns.ts";

/**
 * Bids and asks within each band: six numbers with spaces, because a year has half a million rows. Old rows are
 * documents.
 */
export const depths = customType<{ data: Sides<Depths>; driverData: string }>({
  dataType: () => "text",
  toDriver: ({ bids, asks }) => [...bids, ...asks].map(plain).join(" "),
  fromDriver: depthsFrom,
});

function depthsFrom(kept: string): Sides<Depths> {
  if (kept.startsWith("{")) return decode(kept);
  const [a, b, c, x, y, z] = kept.split(" ").map(decimal) as [
    Decimal,
    Decimal,
    Decimal,
    Decimal,
    Decimal,
    Decimal,
  ];
  return { bids: [a, b, c], asks: [x, y, z] };
}

/** How long own orders were on both sides, as text: docs/proof.md. */
export const offerColumn = customType<{ data: MinuteOffer; driverData: string }>({
  dataType: () => "text",
  toDriver: formatOffer,
  fromDriver: parseOffer,
});

/** Order book figures of a sampled pair in a UTC minute. A minute without a sample has no row. */
export const liquidityMinutes = sqliteTable(
  "liquidity_minutes",
  {
    exchange: text("exchange").notNull(),
    symbol: text("symbol").notNull(),
    minute: integer("minute").notNull(),
    samples: integer("samples").notNull(),
    spread: amountColumn("spread"),
    ownSpread: amountColumn("own_spread"),
    ownBids: integer("own_bids").notNull(),
    ownAsks: integer("own_asks").notNull(),
    ownDepth: depths("own_depth"),
    depth: depths("depth"),
    isCutShort: flagColumn("is_cut_short").notNull(),
    deviation: amountColumn("deviation"),
    sources: integer("sources").notNull().default(0),
    absence: text("absence").$type<Absence>(),
    offer: offerColumn("offer"),
  },
  (table) => [primaryKey({ columns: [table.exchange, table.symbol, table.minute] })],
);

/** Minutes in which a book was requested but not received. */
export const liquidityMisses = sqliteTable(
  "liquidity_misses",
  {
    exchange: text("exchange").notNull(),
    symbol: text("symbol").notNull(),
    minute: integer("minute").notNull(),
    cause: text("cause").$type<Absence>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.exchange, table.symbol, table.minute] })],
);

type StoredSums = Omit<DaySums, "day" | "hash">;

type RunRow = readonly [from: number, minutes: number, what: MinuteRun["what"], cause: MinuteRun["cause"]];

type HourRow = readonly [
  hour: number,
  known: number,
  twoSided: Millis,
  spread: Decimal | null,
  bids: Decimal | null,
  asks: Decimal | null,
];

const rowOfHour = ({ hour, known, twoSided, spread, bids, asks }: HourFigures): HourRow => [
  hour,
  known,
  twoSided,
  spread,
  bids,
  asks,
];

const rowOfRun = ({ from, to, what, cause }: MinuteRun): RunRow => [from, to - from, what, cause];

/** Read once for a report, so nothing is cached. Runs and hours are stored compactly, because a day has many. */
const daySums = customType<{ data: StoredSums; driverData: string }>({
  dataType: () => "text",
  toDriver: (stored) =>
    encode({ ...stored, runs: stored.runs.map(rowOfRun), hours: stored.hours.map(rowOfHour) }),
  fromDriver(json) {
    const { runs, hours, ...stored } = JSON.parse(json) as Record<string, unknown> & {
      readonly runs: readonly RunRow[];
      readonly hours: readonly HourRow[];
    };
    return {
      ...(withDecimals(stored) as Omit<StoredSums, "runs" | "hours">),
      runs: runs.map(([from, minutes, what, cause]) => ({ from, to: from + minutes, what, cause })),
      // Half of the time, and few reports use them.
      get hours() {
        return hours.map((row) => {
          const [hour, known, twoSided, spread, bids, asks] = withDecimals([...row]) as HourRow;
          return { hour, known, twoSided, spread, bids, asks };
        });
      },
    };
  },
});

/** Sums of finished days. A trigger deletes a row when one of its minutes arrives late or is deleted. */
export const liquidityDays = sqliteTable(
  "liquidity_days",
  {
    exchange: text("exchange").notNull(),
    symbol: text("symbol").notNull(),
    day: integer("day").notNull(),
    /** Version of the form in which days are added up. Rows of another version are computed again. */
    version: integer("version").notNull(),
    sums: daySums("sums").notNull(),
    hash: text("hash"),
  },
  (table) => [primaryKey({ columns: [table.exchange, table.symbol, table.day] })],
);

/** Signed days: each one once, in order, and permanently. Triggers refuse changes of them and their minutes. */
export const liquidityProofs = sqliteTable(
  "liquidity_proofs",
  {
    exchange: text("exchange").notNull(),
    symbol: text("symbol").notNull(),
    day: integer("day").notNull(),
    previous: text("previous").notNull(),
    hash: text("hash").notNull(),
    signature: text("signature").notNull(),
    publicKey: text("public_key").notNull(),
  },
  (table) => [primaryKey({ columns: [table.exchange, table.symbol, table.day] })],
);

/** The key that signs days, encrypted: see storage/client/envelope.ts. One row. */
export const proofKeys = sqliteTable("proof_keys", {
  id: integer("id").primaryKey(),
  publicKey: text("public_key").notNull(),
  kek: text("kek").notNull(),
  wrapped: text("wrapped").notNull(),
  privateKey: text("private_key").notNull(),
  createdAt: integer("created_at").notNull(),
});

/** At a fill and at its horizons; null if unknown. */
const midColumns = () => ({
  mid: amountColumn("mid"),
  mid1s: amountColumn("mid_1s"),
  mid10s: amountColumn("mid_10s"),
  mid1m: amountColumn("mid_1m"),
  mid5m: amountColumn("mid_5m"),
  mid1h: amountColumn("mid_1h"),
});

/** Prices that measure a strategy's fills. Apart from the fills, which never change; rows older than 13 months are deleted. */
export const fillMids = sqliteTable(
  "fill_mids",
  {
    account: text("account").notNull(),
    symbol: text("symbol").$type<Pair>().notNull(),
    at: integer("at").notNull(),
    tradeId: text("trade_id").notNull(),
    ...midColumns(),
  },
  (table) => [primaryKey({ columns: [table.account, table.symbol, table.at, table.tradeId] })],
);

const spreadColumns = () => ({
  tradeId: text("trade_id").notNull(),
  side: text("side").$type<Side>().notNull(),
  amount: amountColumn("amount").notNull(),
  notional: amountColumn("notional").notNull(),
  at: integer("at").notNull(),
  superseded: flagColumn("superseded").notNull(),
  mid: amountColumn("mid"),
});

/** The columns of a fill, and of its mids, that measure its spread; each further one takes 5 % of the time. */
export const spreadFills = sqliteTable("fills", spreadColumns());

/** The same with all mids. */
export const measuredFills = sqliteTable("fills", {
  ...spreadColumns(),
  clientId: text("client_id").notNull(),
  price: amountColumn("price").notNull(),
  ...midColumns(),
});

/** A strategy's state at the start of a UTC day and at the last check, and the day's totals. */
export const strategyDays = sqliteTable(
  "strategy_days",
  {
    strategy: text("strategy").notNull(),
    day: integer("day").notNull(),
    account: text("account").$type<AccountKey>().notNull(),
    opened: doc<DayTotals>("opened").notNull(),
    latest: doc<DayTotals>("latest").notNull(),
    /** Protocol time of the first and the last check. */
    from: integer("from").notNull(),
    to: integer("to").notNull(),
    upMillis: integer("up_millis").notNull(),
    inRangeMillis: integer("in_range_millis").notNull(),
    incidents: integer("incidents").notNull(),
    isFinal: integer("is_final", { mode: "boolean" }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.strategy, table.day] }),
    index("strategy_days_by_day").on(table.day),
  ],
);

/** One row: the last alarm check, its process, and the last counted event. */
export const lookout = sqliteTable("lookout", {
  id: integer("id").primaryKey(),
  lookedAt: integer("looked_at").notNull(),
  before: integer("before").notNull(),
  owner: text("owner").notNull(),
  ownerBefore: text("owner_before").notNull(),
  eventId: integer("event_id").notNull(),
});

/** Active alarms that were reported. */
export const alarms = sqliteTable("alarms", {
  key: text("key").primaryKey(),
  strategy: text("strategy"),
  since: integer("since").notNull(),
  message: text("message").notNull(),
});

/** Agreements: each edit adds a row, and the newest version is in force. Days are UTC days, counted from 1970. */
export const agreements = sqliteTable(
  "agreements",
  {
    name: text("name").notNull(),
    version: integer("version").notNull(),
    at: integer("at").notNull(),
    actor: text("actor").notNull(),
    counterparty: text("counterparty"),
    from: integer("from_day").notNull(),
    until: integer("until_day"),
    markets: text("markets").notNull(),
    total: text("total"),
  },
  (table) => [primaryKey({ columns: [table.name, table.version] })],
);

/** The file that contains a year's old rows, and the time in milliseconds before which rows can be in it. */
export const archives = sqliteTable("archives", {
  year: integer("year").primaryKey(),
  file: text("file").notNull(),
  before: integer("before").notNull(),
});
