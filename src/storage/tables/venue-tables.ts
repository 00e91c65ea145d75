/** The simulated venues' books. They never share a batch with a pass. */
import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, real, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Pair } from "../../kernel/pair.ts";
import type { Side } from "../../model/market.ts";
import type { Fee, OrderStatus, OrderType } from "../../model/order.ts";
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
