/** The simulated venues' books. They never share a batch with a pass. */
import { sql } from "drizzle-orm";
import {
  check,
  customType,
  index,
  integer,
  primaryKey,
  real,
  sqliteTable,
  text,
  uniqueIndex,
} from "drizzle-orm/sqlite-core";
import { type Decimal, divideWhole, ONE, type Rounding } from "../../kernel/decimal.ts";
import type { Pair } from "../../kernel/pair.ts";
import type { AlertLevel, ChannelKind, Digest, Message, QuietHours } from "../../model/channel.ts";
import type { LimitSettings } from "../../model/limits.ts";
import type { Side } from "../../model/market.ts";
import type { Fee, OrderStatus, OrderType } from "../../model/order.ts";
import type { Plan, Preview } from "../../model/proposal.ts";
import type { Token } from "../../model/token.ts";
import type { VenueFault } from "../../model/venue-fault.ts";
import { amountColumn, doc } from "./columns.ts";

/** One row, written when the database is created: market time = origin + passed + speed × (protocol time − created). */
export const sandbox = sqliteTable(
  "sandbox",
  {
    id: integer("id").primaryKey(),
    origin: integer("origin").notNull(),
    created: integer("created").notNull(),
    seed: integer("seed").notNull(),
    speed: real("speed").notNull(),
    /** Time by which passes have advanced, if market time only advances with them. */
    passed: integer("passed").notNull().default(0),
    /** Replayed candle files by symbol, and a hash of their candles. */
    replays: doc<readonly { symbol: Pair; file: string; digest: string }[]>("replays").notNull(),
  },
  (table) => [check("sandbox_one_row", sql`${table.id} = 1`)],
);

/** A sudden change of a symbol's price by a factor, from a market time on. */
export const shocks = sqliteTable(
  "shocks",
  {
    symbol: text("symbol").$type<Pair>().notNull(),
    at: integer("at").notNull(),
    factor: real("factor").notNull(),
  },
  (table) => [primaryKey({ columns: [table.symbol, table.at] })],
);

/** Every batch that changes the venue compares and swaps the version. */
export const venues = sqliteTable("venues", {
  exchange: text("exchange").primaryKey(),
  version: integer("version").notNull(),
  /** Market time up to which open orders were matched with the price. */
  settledAt: integer("settled_at").notNull(),
  fault: doc<VenueFault>("fault"),
});

export const venueBalances = sqliteTable(
  "venue_balances",
  {
    exchange: text("exchange").notNull(),
    asset: text("asset").notNull(),
    total: amountColumn("total").notNull(),
    used: amountColumn("used").notNull(),
  },
  (table) => [primaryKey({ columns: [table.exchange, table.asset] })],
);

export const venueOrders = sqliteTable(
  "venue_orders",
  {
    exchange: text("exchange").notNull(),
    id: text("id").notNull(),
    clientId: text("client_id").notNull(),
    symbol: text("symbol").$type<Pair>().notNull(),
    side: text("side").$type<Side>().notNull(),
    type: text("type").$type<OrderType>().notNull(),
    price: amountColumn("price").notNull(),
    amount: amountColumn("amount").notNull(),
    filled: amountColumn("filled").notNull(),
    /** Quote exchanged so far, before fees. */
    notional: amountColumn("notional").notNull(),
    /** Balance that it still locks: quote for a buy, base for a sell. */
    reserved: amountColumn("reserved").notNull(),
    fee: doc<Fee>("fee").notNull(),
    fills: integer("fills").notNull(),
    status: text("status").$type<OrderStatus>().notNull(),
    at: integer("at").notNull(),
    meetsFrom: integer("meets_from").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.exchange, table.id] }),
    index("venue_orders_open").on(table.exchange).where(sql`${table.status} in ('open', 'partially_filled')`),
    index("venue_orders_by_client_id").on(table.exchange, table.clientId),
  ],
);

export const venueFills = sqliteTable(
  "venue_fills",
  {
    exchange: text("exchange").notNull(),
    id: text("id").notNull(),
    orderId: text("order_id").notNull(),
    symbol: text("symbol").$type<Pair>().notNull(),
    side: text("side").$type<Side>().notNull(),
    price: amountColumn("price").notNull(),
    amount: amountColumn("amount").notNull(),
    fee: doc<Fee>("fee").notNull(),
    at: integer("at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.exchange, table.id] }),
    index("venue_fills_by_time").on(table.exchange, table.symbol, table.at),
  ],
);

/** The pairs of an exchange by host, each with the exchange's market id. */
export const listings = sqliteTable("listings", {
  host: text("host").primaryKey(),
  version: integer("version").notNull(),
  loadedAt: integer("loaded_at").notNull(),
  names: text("names").notNull(),
});

/** Rules of the few markets in use. Rows of another version have another format and are reloaded. */
export const markets = sqliteTable(
  "markets",
  {
    host: text("host").notNull(),
    symbol: text("symbol").$type<Pair>().notNull(),
    version: integer("version").notNull(),
    loadedAt: integer("loaded_at").notNull(),
    market: text("market").notNull(),
  },
  (table) => [primaryKey({ columns: [table.host, table.symbol] })],
);

export const accountFees = sqliteTable(
  "account_fees",
  {
    account: text("account").notNull(),
    symbol: text("symbol").$type<Pair>().notNull(),
    maker: amountColumn("maker").notNull(),
    taker: amountColumn("taker").notNull(),
    loadedAt: integer("loaded_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.account, table.symbol] })],
);

/** An account's kind, as reported for the key with this hash. */
export const accountKinds = sqliteTable("account_kinds", {
  account: text("account").primaryKey(),
  key: text("key").notNull(),
  kind: text("kind").$type<"classic" | "unified">().notNull(),
  loadedAt: integer("loaded_at").notNull(),
});

/** Whether the key with this hash can withdraw; null if the exchange does not report it. */
export const keyRights = sqliteTable("key_rights", {
  account: text("account").primaryKey(),
  key: text("key").notNull(),
  mayWithdraw: integer("may_withdraw", { mode: "boolean" }),
  loadedAt: integer("loaded_at").notNull(),
});

/** Private calls of an account: `fullAt` is when its rate limit will be full again. */
export const rates = sqliteTable(
  "rates",
  { account: text("account").primaryKey(), fullAt: integer("full_at").notNull() },
  (table) => [index("rates_by_age").on(table.fullAt)],
);

/** The last nonce of an account. */
export const nonces = sqliteTable("nonces", {
  account: text("account").primaryKey(),
  last: integer("last").notNull(),
});

/** Alert channels and their positions; processes claim a row to send its messages. */
export const channels = sqliteTable("channels", {
  name: text("name").primaryKey(),
  kind: text("kind").$type<ChannelKind>().notNull(),
  level: text("level").$type<AlertLevel>().notNull(),
  quiet: doc<QuietHours>("quiet"),
  isDaily: integer("is_daily", { mode: "boolean" }).notNull(),
  reportedDay: integer("reported_day").notNull(),
  createdAt: integer("created_at").notNull(),
  /** Its secrets, encrypted: see storage/client/envelope.ts. */
  kek: text("kek").notNull(),
  wrapped: text("wrapped").notNull(),
  secrets: doc<Readonly<Record<string, string>>>("secrets").notNull(),
  /** The newest event, and the newest fill by row number, that `digest` includes. */
  eventId: integer("event_id").notNull(),
  fillId: integer("fill_id").notNull(),
  digest: doc<Digest>("digest").notNull(),
  owner: text("owner"),
  until: integer("until").notNull().default(0),
  sentAt: integer("sent_at").notNull().default(0),
  failures: integer("failures").notNull().default(0),
  retryAt: integer("retry_at").notNull().default(0),
  error: text("error"),
});

/** Messages of a channel; sent ones are stored for some time. */
export const messages = sqliteTable(
  "messages",
  {
    number: integer("number").primaryKey({ autoIncrement: true }),
    id: text("id").notNull(),
    channel: text("channel").notNull(),
    state: text("state").$type<"pending" | "sent" | "dead">().notNull(),
    message: doc<Message>("message").notNull(),
    tries: integer("tries").notNull().default(0),
    error: text("error"),
    endedAt: integer("ended_at"),
  },
  (table) => [
    uniqueIndex("messages_id").on(table.id),
    index("messages_of_channel").on(table.channel, table.state, table.number),
    index("messages_by_age").on(table.endedAt).where(sql`${table.state} = 'sent'`),
  ],
);

/** Sums are computed in SQL in whole units of 1e-8, so they fit a column. */
const UNIT = ONE / 100_000_000n;
const MAX_COLUMN_INTEGER = 2n ** 63n - 1n;

export function notionalUnits(amount: Decimal, rounding: Rounding): bigint {
  return withinColumn(divideWhole(amount, UNIT, rounding));
}

export const withinColumn = (units: bigint): bigint =>
  units > MAX_COLUMN_INTEGER ? MAX_COLUMN_INTEGER : units;

const unitsColumn = customType<{ data: Decimal; driverData: bigint | number | string }>({
  dataType: () => "integer",
  toDriver: (amount) => notionalUnits(amount, "up"),
  fromDriver: (output) => BigInt(output) * UNIT,
});

/** Limits by scope, as users set them. */
export const limits = sqliteTable("limits", {
  scope: text("scope").primaryKey(),
  settings: doc<LimitSettings>("settings").notNull(),
});

/** Usage of limits by a day's orders: one row per scope, UTC day and quote asset, so the cost never grows. */
export const limitUses = sqliteTable(
  "limit_uses",
  {
    scope: text("scope").notNull(),
    day: integer("day").notNull(),
    asset: text("asset").notNull(),
    notional: unitsColumn("notional").notNull(),
    orders: integer("orders").notNull(),
    /** Protocol time of the newest order. */
    at: integer("at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.scope, table.day, table.asset] })],
);

export const tokens = sqliteTable(
  "tokens",
  {
    id: text("id").primaryKey(),
    name: text("name").notNull(),
    scope: text("scope").$type<Token["scope"]>().notNull(),
    hash: text("hash").notNull(),
    createdAt: integer("created_at").notNull(),
    expiresAt: integer("expires_at"),
    revokedAt: integer("revoked_at"),
    server: text("server"),
    maker: text("maker"),
  },
  (table) => [uniqueIndex("tokens_hash").on(table.hash), index("tokens_by_maker").on(table.maker)],
);

/** Idempotency keys: claimed before the operation runs, completed after it. */
export const requests = sqliteTable(
  "requests",
  {
    key: text("key").primaryKey(),
    bodyHash: text("body_hash").notNull(),
    status: integer("status"),
    body: text("body"),
    createdAt: integer("created_at").notNull(),
  },
  (table) => [index("requests_by_age").on(table.createdAt)],
);

/** Plans that agents were shown and can commit: each one once, for a short time. */
export const plans = sqliteTable(
  "plans",
  {
    id: text("id").primaryKey(),
    binding: text("binding").notNull(),
    actor: text("actor").notNull(),
    tool: text("tool").notNull(),
    input: doc<Plan["input"]>("input").notNull(),
    preview: doc<Preview>("preview").notNull(),
    decision: text("decision").$type<"approved" | "refused">(),
    /** The request that waits for the approval. */
    waiter: text("waiter"),
    createdAt: integer("created_at").notNull(),
    expiresAt: integer("expires_at").notNull(),
    consumedAt: integer("consumed_at"),
  },
  (table) => [index("plans_by_age").on(table.expiresAt), index("plans_by_waiter").on(table.waiter)],
);

/** Exchange keys, encrypted: see storage/client/envelope.ts. */
export const credentials = sqliteTable("credentials", {
  account: text("account").primaryKey(),
  /** Which of the operator's keys encrypted the data key. */
  kek: text("kek").notNull(),
  wrapped: text("wrapped").notNull(),
  key: text("key").notNull(),
  secret: text("secret").notNull(),
  passphrase: text("passphrase"),
  createdAt: integer("created_at").notNull(),
});
