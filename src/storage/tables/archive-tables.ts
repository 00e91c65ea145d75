import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** The file that contains a year's old rows, and the time in milliseconds before which rows can be in it. */
export const archives = sqliteTable("archives", {
  year: integer("year").primaryKey(),
  file: text("file").notNull(),
  before: integer("before").notNull(),
});
