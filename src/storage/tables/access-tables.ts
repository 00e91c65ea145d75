import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { Token } from "../../model/token.ts";

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
