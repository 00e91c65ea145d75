/** What is kept about real exchanges: markets, fees, rates and nonces. */
import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Pair } from "../../../kernel/pair.ts";
import type { AccountKind } from "../../ccxt/client/keeping.ts";
import { amountColumn } from "./columns.ts";

/** The pairs of an exchange, by its host, each with the exchange's own id. */
export const listings = sqliteTable("listings", {
  host: text("host").primaryKey(),
  version: integer("version").notNull(),
  loadedAt: integer("loaded_at").notNull(),
  names: text("names").notNull(),
});

/** Rules of the few markets that are used. Rows of another version are of another shape and are loaded again. */
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

/** Which of an exchange's two kinds of account it is, as the key with this hash was told. */
export const accountKinds = sqliteTable("account_kinds", {
  account: text("account").primaryKey(),
  key: text("key").notNull(),
  kind: text("kind").$type<AccountKind>().notNull(),
  loadedAt: integer("loaded_at").notNull(),
});

/** Whether the key with this hash may withdraw; null where the exchange does not tell. */
export const keyRights = sqliteTable("key_rights", {
  account: text("account").primaryKey(),
  key: text("key").notNull(),
  mayWithdraw: integer("may_withdraw", { mode: "boolean" }),
  loadedAt: integer("loaded_at").notNull(),
});

/** Private calls of an account: `fullAt` is when its rate will be whole again. */
export const rates = sqliteTable(
  "rates",
  { account: text("account").primaryKey(), fullAt: integer("full_at").notNull() },
  (table) => [index("rates_by_age").on(table.fullAt)],
);

/** The last nonce that was given out for an account. */
export const nonces = sqliteTable("nonces", {
  account: text("account").primaryKey(),
  last: integer("last").notNull(),
});
