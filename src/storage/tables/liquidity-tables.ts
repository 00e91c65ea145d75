import { customType, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { decode, encode, withDecimals } from "../../kernel/codec.ts";
import { type Decimal, decimal, text as plain } from "../../kernel/decimal.ts";
import type { Millis } from "../../kernel/time.ts";
import type { HourFigures } from "../../model/samples/hours.ts";
import { formatOffer, type MinuteOffer, parseOffer } from "../../model/samples/offer.ts";
import type { Absence, Depths, Sides } from "../../model/samples/sample.ts";
import type { DaySums, MinuteRun } from "../../model/samples/sums.ts";
import { amountColumn, flagColumn } from "./columns.ts";

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
  ...([hour, known, twoSided, spread, bids, asks] as const),
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
