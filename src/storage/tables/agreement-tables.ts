import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

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
