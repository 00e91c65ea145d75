/** Exchange keys, encrypted: see storage/client/envelope.ts. */
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

export const credentials = sqliteTable("credentials", {
  account: text("account").primaryKey(),
  /** Which of the operator's keys encrypted the data key. */
  kek: text("kek").notNull(),
  wrapped: text("wrapped").notNull(),
  key: text("key").notNull(),
  secret: text("secret").notNull(),
  passphrase: text("passphrase"),
  createdAt: integer("created_at").notNull(),
});
