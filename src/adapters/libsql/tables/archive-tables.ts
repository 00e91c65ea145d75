import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** The file into which old rows of a year have gone, and the time in milliseconds before which they may be there. */
export const archives = sqliteTable("archives", {
  year: integer("year").primaryKey(),
  file: text("file").notNull(),
  before: integer("before").notNull(),
});
