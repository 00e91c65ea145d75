import { customType, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { type Decimal, divideWhole, ONE, type Rounding } from "../../kernel/decimal.ts";
import type { LimitSettings } from "../../model/limits.ts";
import { doc } from "./columns.ts";

/** Sums are computed in SQL in whole units of 1e-8, so they fit a column. */
const UNIT = ONE / 100_000_000n;
const LARGEST_INTEGER = 2n ** 63n - 1n;

export function notionalUnits(amount: Decimal, rounding: Rounding): bigint {
  return withinColumn(divideWhole(amount, UNIT, rounding));
}

export const withinColumn = (units: bigint): bigint => (units > LARGEST_INTEGER ? LARGEST_INTEGER : units);

const unitsColumn = customType<{ data: Decimal; driverData: bigint | number | string }>({
  dataType: () => "integer",
  toDriver: (amount) => notionalUnits(amount, "up"),
  fromDriver: (output) => BigInt(output) * UNIT,
});

/** Limits by scope, as users set them. */
export const limits = sqliteTable("limits", {
  scope: text("scope").primaryKey(),
  settings: doc<LimitSettings>("settings").notNull(),
});

/** Usage of limits by a day's orders: one row per scope, UTC day and quote asset, so the cost never grows. */
export const limitUses = sqliteTable(
  "limit_uses",
  {
    scope: text("scope").notNull(),
    day: integer("day").notNull(),
    asset: text("asset").notNull(),
    notional: unitsColumn("notional").notNull(),
    orders: integer("orders").notNull(),
    /** Protocol time of the newest order. */
    at: integer("at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.scope, table.day, table.asset] })],
);
