import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Pair } from "../../../kernel/pair.ts";
import { amountColumn } from "./columns.ts";

/** Prices that measure a strategy's fills. Apart from the fills, which never change; rows older than 13 months are deleted. */
export const fillMids = sqliteTable(
  "fill_mids",
  {
    account: text("account").notNull(),
    symbol: text("symbol").$type<Pair>().notNull(),
    at: integer("at").notNull(),
    tradeId: text("trade_id").notNull(),
    /** At the fill and at its horizons; null if unknown. */
    mid: amountColumn("mid"),
    mid1s: amountColumn("mid_1s"),
    mid10s: amountColumn("mid_10s"),
    mid1m: amountColumn("mid_1m"),
    mid5m: amountColumn("mid_5m"),
    mid1h: amountColumn("mid_1h"),
  },
  (table) => [primaryKey({ columns: [table.account, table.symbol, table.at, table.tradeId] })],
);
