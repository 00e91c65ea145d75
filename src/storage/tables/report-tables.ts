import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { AccountKey } from "../../model/account.ts";
import type { DayTotals } from "../../model/day.ts";
import { doc } from "./columns.ts";

/** A strategy's state at the start of a UTC day and at the last check, and the day's totals. */
export const strategyDays = sqliteTable(
  "strategy_days",
  {
    strategy: text("strategy").notNull(),
    day: integer("day").notNull(),
    account: text("account").$type<AccountKey>().notNull(),
    opened: doc<DayTotals>("opened").notNull(),
    latest: doc<DayTotals>("latest").notNull(),
    /** Protocol time of the first and the last check. */
    from: integer("from").notNull(),
    to: integer("to").notNull(),
    upMillis: integer("up_millis").notNull(),
    inRangeMillis: integer("in_range_millis").notNull(),
    incidents: integer("incidents").notNull(),
    isFinal: integer("is_final", { mode: "boolean" }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.strategy, table.day] }),
    index("strategy_days_by_day").on(table.day),
  ],
);

/** One row: the last alarm check, its process, and the last counted event. */
export const lookout = sqliteTable("lookout", {
  id: integer("id").primaryKey(),
  lookedAt: integer("looked_at").notNull(),
  before: integer("before").notNull(),
  owner: text("owner").notNull(),
  ownerBefore: text("owner_before").notNull(),
  eventId: integer("event_id").notNull(),
});

/** Active alarms that were reported. */
export const alarms = sqliteTable("alarms", {
  key: text("key").primaryKey(),
  strategy: text("strategy"),
  since: integer("since").notNull(),
  message: text("message").notNull(),
});
