import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { ChainMark } from "../../model/chain.ts";

/** Signed positions of the event chains. */
export const checkpoints = sqliteTable("checkpoints", {
  number: integer("number").primaryKey(),
  at: integer("at").notNull(),
  marks: text("marks", { mode: "json" }).$type<readonly ChainMark[]>().notNull(),
  key: text("key").notNull(),
  signature: text("signature").notNull(),
});
