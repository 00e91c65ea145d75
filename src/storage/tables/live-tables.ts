/** Stored data of real exchanges: markets, fees, rate limits and nonces. */
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Pair } from "../../kernel/pair.ts";
import { amountColumn } from "./columns.ts";

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
