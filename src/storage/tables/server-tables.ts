import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** One row per server that runs on this database, with the time of its last heartbeat. */
export const servers = sqliteTable("servers", {
  instance: text("instance").primaryKey(),
  url: text("url").notNull(),
  host: text("host").notNull(),
  pid: integer("pid").notNull(),
  /** Protocol time. */
  heartbeatAt: integer("heartbeat_at").notNull(),
});
