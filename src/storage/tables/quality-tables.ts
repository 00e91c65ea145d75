import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Pair } from "../../kernel/pair.ts";
import type { Side } from "../../model/market.ts";
import { amountColumn, flagColumn } from "./columns.ts";

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
