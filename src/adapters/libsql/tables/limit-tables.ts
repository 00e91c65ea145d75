import { customType, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { type Decimal, divideWhole, ONE, type Rounding } from "../../../kernel/decimal.ts";
import type { LimitSettings } from "../../../model/limits.ts";
import { doc } from "./columns.ts";

/** Sums are made in SQL, so in whole units of 1e-8: as many as a column holds. */
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

/** Limits as they were set, by whose they are. */
export const limits = sqliteTable("limits", {
  scope: text("scope").primaryKey(),
  settings: doc<LimitSettings>("settings").notNull(),
});

/** What a day's orders have used: one row a scope, day of UTC and quote asset, so what it costs never grows. */
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
