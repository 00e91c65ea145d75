import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Depths, Sides } from "../../../model/liquidity-sample.ts";
import { amount, doc, flag } from "./columns.ts";

/** What a watched pair's book offered in a minute of UTC. A minute that nobody saw has no row. */
export const liquidityMinutes = sqliteTable(
  "liquidity_minutes",
  {
    exchange: text("exchange").notNull(),
    symbol: text("symbol").notNull(),
    minute: integer("minute").notNull(),
    samples: integer("samples").notNull(),
    spread: amount("spread"),
    ownSpread: amount("own_spread"),
    ownBids: integer("own_bids").notNull(),
    ownAsks: integer("own_asks").notNull(),
    ownDepth: doc<Sides<Depths>>("own_depth"),
    depth: doc<Sides<Depths>>("depth"),
    isCutShort: flag("is_cut_short").notNull(),
    deviation: amount("deviation"),
  },
  (table) => [primaryKey({ columns: [table.exchange, table.symbol, table.minute] })],
);
