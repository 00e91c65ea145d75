import { sql } from "drizzle-orm";
import {
  check,
  foreignKey,
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from "drizzle-orm/sqlite-core";
import type { Decimal } from "../../kernel/decimal.ts";
import { ofEachStopFlag } from "../../kernel/fields.ts";
import { STRATEGY_TAGS } from "../../kernel/ids.ts";
import type { Pair } from "../../kernel/pair.ts";
import type { ChainMark, EventKind } from "../../model/events.ts";
import type { CostDay } from "../../model/limits.ts";
import type { Side } from "../../model/market.ts";
import type { AccountMemory } from "../../model/memory.ts";
import type { Fee, OrderState, OrderType, TimeInForce } from "../../model/order.ts";
import type { Phase, StrategyConfig, StrategyState, StrategyStatus, Wants } from "../../model/strategy.ts";
import { amountColumn, doc, flagColumn, orderKind } from "./columns.ts";

/** One row per account: its lease, and the memory between passes. */
export const accounts = sqliteTable("accounts", {
  account: text("account").primaryKey(),
  token: integer("token").notNull().default(0),
  owner: text("owner"),
  until: integer("until").notNull().default(0),
  /** Until when somebody counts as waiting for the lease without a new signal. */
  waitedUntil: integer("waited_until").notNull().default(0),
  failures: integer("failures").notNull().default(0),
  retryAt: integer("retry_at").notNull().default(0),
  error: text("error"),
  steppedAt: integer("stepped_at"),
  passMillis: integer("pass_millis"),
  /** The newest scheduled time whose pass has taken the lease. */
  scheduled: integer("scheduled").notNull().default(0),
  costs: doc<readonly CostDay[]>("costs"),
  memory: doc<AccountMemory>("memory").notNull(),
});

/** Columns named after the flags in snake case: sell_base. */
const stopColumns = () =>
  ofEachStopFlag((flag) =>
    flagColumn(flag.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))
      .notNull()
      .default(false),
  );

export const strategies = sqliteTable(
  "strategies",
  {
    id: text("id").primaryKey(),
    /** Its kind, and the version of the kind's state. */
    kind: text("kind").notNull().default("grid"),
    version: integer("version").notNull().default(1),
    number: integer("number").notNull(),
    account: text("account")
      .notNull()
      .references(() => accounts.account),
    symbol: text("symbol").$type<Pair>().notNull(),
    config: doc<StrategyConfig>("config").notNull(),
    state: doc<StrategyState>("state").notNull(),
    wants: text("wants").$type<Wants>().notNull(),
    keepOrders: flagColumn("keep_orders").notNull(),
    ...stopColumns(),
    status: text("status").$type<StrategyStatus>().notNull(),
    phase: text("phase").$type<Phase>().notNull(),
    lastError: text("last_error"),
    startedAt: integer("started_at").notNull(),
    stoppedAt: integer("stopped_at"),
    epoch: integer("epoch").notNull(),
    request: text("request"),
    resumes: integer("resumes").notNull().default(0),
    edit: doc<StrategyConfig>("edit"),
    edits: integer("edits").notNull().default(0),
    name: text("name"),
    /** Every update changes it: what was read under it is still valid. */
    revision: integer("revision").notNull().default(0),
  },
  (table) => [
    uniqueIndex("strategies_number").on(table.number),
    // Two strategies of an account never have the same tag in their orders' ids.
    uniqueIndex("strategies_tag").on(table.account, sql.raw(`number % ${STRATEGY_TAGS}`)),
    uniqueIndex("strategies_request").on(table.request),
    index("strategies_name").on(table.name).where(sql`${table.name} is not null`),
    index("strategies_running").on(table.account, table.number).where(sql`${table.status} <> 'stopped'`),
  ],
);

export const orders = sqliteTable(
  "orders",
  {
    clientId: text("client_id").notNull(),
    account: text("account")
      .notNull()
      .references(() => accounts.account),
    strategy: text("strategy").references(() => strategies.id),
    kind: orderKind("kind").notNull(),
    generation: integer("generation").notNull(),
    slot: integer("slot").notNull(),
    symbol: text("symbol").$type<Pair>().notNull(),
    side: text("side").$type<Side>().notNull(),
    type: text("type").$type<OrderType>().notNull(),
    price: amountColumn("price").notNull(),
    amount: amountColumn("amount").notNull(),
    state: text("state").$type<OrderState>().notNull(),
    exchangeId: text("exchange_id"),
    filled: amountColumn("filled").notNull(),
    booked: amountColumn("booked").notNull(),
    bookedNotional: amountColumn("booked_notional").notNull(),
    bookedFees: doc<Readonly<Record<string, Decimal>>>("booked_fees").notNull(),
    gap: amountColumn("gap").notNull(),
    notional: amountColumn("notional"),
    fees: doc<readonly Fee[]>("fees"),
    reason: text("reason"),
    sendBy: integer("send_by").notNull(),
    notAfter: integer("not_after").notNull(),
    misses: integer("misses").notNull(),
    missedAt: integer("missed_at"),
    endedAt: integer("ended_at"),
    behindSince: integer("behind_since"),
    createdAt: integer("created_at").notNull(),
    settled: flagColumn("settled").notNull(),
    /** Actor of a manual order. */
    actor: text("actor"),
    timeInForce: text("time_in_force").$type<TimeInForce>().notNull().default("gtc"),
    /** The id that a strategy's own function gave it. */
    label: text("label"),
  },
  (table) => [
    primaryKey({ columns: [table.account, table.clientId] }),
    uniqueIndex("orders_one_live_per_slot")
      .on(table.strategy, table.generation, table.slot)
      .where(sql`${table.settled} = 0 and ${table.kind} = 'grid'`),
    index("orders_unsettled_by_hand")
      .on(table.account, table.symbol)
      .where(sql`${table.settled} = 0 and ${table.kind} = 'hand'`),
    // By side, because an order is checked against those of the other side; with the actor, because each actor's are
    // counted.
    index("orders_unsettled")
      .on(table.account, table.symbol, table.side, table.actor)
      .where(sql`${table.settled} = 0`),
    // Few orders lack trades; without it, each pass would read all unsettled orders to find them.
    index("orders_lacking")
      .on(table.account, table.symbol, table.createdAt)
      .where(sql`${table.settled} = 0 and ${table.filled} <> ${table.booked}`),
    // In the order of a strategy's history, so a page of it reads no other rows.
    index("orders_of_strategy").on(table.strategy, table.settled, table.createdAt, table.clientId),
    index("orders_by_exchange_id").on(table.account, table.exchangeId),
  ],
);

/** Conditions of partial indexes, with their values in the text: SQLite would not use the index with a bound value. */
export const isUnsettled = () => sql`${orders.settled} = 0`;
export const isRunning = () => sql`${strategies.status} <> 'stopped'`;

/** One row: the kind of this database, and the kill switch. */
export const control = sqliteTable(
  "control",
  {
    id: integer("id").primaryKey(),
    kind: text("kind").$type<"live" | "sandbox">().notNull(),
    kill: flagColumn("kill").notNull().default(false),
    /** While it is on: orders are canceled, and exits still sell. */
    cancels: flagColumn("cancels").notNull().default(false),
    sells: flagColumn("sells").notNull().default(false),
    /** Protocol time of its last change. */
    turnedAt: integer("turned_at").notNull().default(0),
    epoch: integer("epoch").notNull().default(0),
    /** Number of changes of limits. */
    limits: integer("limits").notNull().default(0),
  },
  (table) => [check("control_one_row", sql`${table.id} = 1`)],
);

/** Stores no row: inserting anything but 1 fails and so ends its batch. */
export const fenceGuard = sqliteTable("fence_guard", { ok: integer("ok").notNull() }, (table) => [
  check("fence_holds", sql`${table.ok} = 1`),
]);

export const fills = sqliteTable(
  "fills",
  {
    account: text("account").notNull(),
    symbol: text("symbol").$type<Pair>().notNull(),
    tradeId: text("trade_id").notNull(),
    clientId: text("client_id").notNull(),
    strategy: text("strategy"),
    side: text("side").$type<Side>().notNull(),
    price: amountColumn("price").notNull(),
    amount: amountColumn("amount").notNull(),
    notional: amountColumn("notional").notNull(),
    fees: doc<readonly Fee[]>("fees").notNull(),
    at: integer("at").notNull(),
    superseded: flagColumn("superseded").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.account, table.symbol, table.tradeId] }),
    foreignKey({
      columns: [table.account, table.clientId],
      foreignColumns: [orders.account, orders.clientId],
    }),
    index("fills_recent").on(table.account, table.symbol, table.at),
    index("fills_of_strategy").on(table.strategy, table.at),
    // Without it, deleting an order would read every fill.
    index("fills_of_order").on(table.account, table.clientId),
  ],
);

export const cursors = sqliteTable(
  "cursors",
  {
    account: text("account").notNull(),
    symbol: text("symbol").$type<Pair>().notNull(),
    at: integer("at").notNull(),
    /** A further span that was read; the part before it was not. */
    aheadFrom: integer("ahead_from"),
    aheadTo: integer("ahead_to"),
  },
  (table) => [primaryKey({ columns: [table.account, table.symbol] })],
);

export const events = sqliteTable(
  "events",
  {
    id: integer("id").primaryKey({ autoIncrement: true }),
    account: text("account").notNull(),
    strategy: text("strategy"),
    at: integer("at").notNull(),
    kind: text("kind").$type<EventKind>().notNull(),
    message: text("message").notNull(),
    actor: text("actor"),
    request: text("request"),
    /** Its chain, and its position from 1 on; null before chains existed. */
    chain: text("chain"),
    seq: integer("seq"),
    /** Hash of its content and the previous hash. */
    hash: text("hash"),
  },
  (table) => [
    // In the order of a strategy's history, so a page of it reads no other rows.
    index("events_of_strategy").on(table.strategy, table.at, table.id),
    // Rejects the second of two events that follow the same event.
    uniqueIndex("events_chain").on(table.chain, table.seq),
  ],
);

export const newestEvent = sql`coalesce((select max(${events.id}) from ${events}), 0)`;

/** Fills are never deleted, so their row numbers follow the order of booking without gaps. */
export const newestFill = sql`coalesce((select max(rowid) from ${fills}), 0)`;

/** One row per server that runs on this database, with the time of its last heartbeat. */
export const servers = sqliteTable("servers", {
  instance: text("instance").primaryKey(),
  url: text("url").notNull(),
  host: text("host").notNull(),
  pid: integer("pid").notNull(),
  /** Protocol time. */
  heartbeatAt: integer("heartbeat_at").notNull(),
});

/** Signed positions of the event chains. */
export const checkpoints = sqliteTable("checkpoints", {
  number: integer("number").primaryKey(),
  at: integer("at").notNull(),
  marks: text("marks", { mode: "json" }).$type<readonly ChainMark[]>().notNull(),
  key: text("key").notNull(),
  signature: text("signature").notNull(),
});
