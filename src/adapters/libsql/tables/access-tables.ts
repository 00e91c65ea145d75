import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type { Scope } from "../../../model/token.ts";

export const tokens = sqliteTable(
  "tokens",
  {
    id: text("id").primaryKey(),
    name: text("name").notNull(),
    scope: text("scope").$type<Scope>().notNull(),
    hash: text("hash").notNull(),
    createdAt: integer("created_at").notNull(),
    expiresAt: integer("expires_at"),
    revokedAt: integer("revoked_at"),
    server: text("server"),
  },
  (table) => [uniqueIndex("tokens_hash").on(table.hash)],
);

/** Idempotency keys: claimed before the operation runs, answered after. */
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
