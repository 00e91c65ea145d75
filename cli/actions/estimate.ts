import type * as z from "zod";
import type { GridStatusShape } from "../../src/grid/schema/shapes.ts";
import type { PricePlan, Unit } from "./plans.ts";

/** A grid as `grid status` shows it. */
export type GridUsage = Pick<
  z.output<ReturnType<typeof GridStatusShape>>,
  "id" | "exchange" | "status" | "cost"
>;
type Counted = NonNullable<NonNullable<GridUsage["cost"]>["before"]>;

const DAY_MILLIS = 86_400_000;
const DAYS = 30;
/** Minimum duration in milliseconds for an estimate. */
const LEAST = 60_000;

/** Extrapolates a month from the last counted day, or the complete day before it. */
export function monthOf({ cost }: Pick<GridUsage, "cost">): Omit<Counted, "day" | "from" | "to"> | null {
  if (!cost) return null;
  const whole = [cost.before, cost].find((one) => one && one.to - one.from > DAY_MILLIS / 2) ?? cost;
  const span = whole.to - whole.from;
  if (span < LEAST) return null;
  const month = (count: number) => Math.round((count / span) * DAY_MILLIS * DAYS);
  return {
    exchangeCalls: month(whole.exchangeCalls),
    databaseRequests: month(whole.databaseRequests),
    rowsRead: whole.rowsRead === null ? null : month(whole.rowsRead),
    rowsWritten: whole.rowsWritten === null ? null : month(whole.rowsWritten),
  };
}

/** Returns the usage of passes over several accounts; each one is a message that is written, read and deleted. */
export const unitsOf = (
  accounts: number,
  passesPerMinute: number,
  rows: { readonly rowsRead: number; readonly rowsWritten: number },
): Record<Unit, number> => {
  const passes = accounts * passesPerMinute * 60 * 24 * DAYS;
  return { invocations: passes + 60 * 24 * DAYS, queueOperations: 3 * passes, ...rows };
};

/** Returns dollars per month; null if the plan does not allow this usage. */
export function priceOf(
  { price, included, beyond }: PricePlan,
  units: Readonly<Record<Unit, number>>,
): number | null {
  let sum = price;
  for (const unit of Object.keys(units) as Unit[]) {
    const over = Math.max(0, units[unit] - included[unit]);
    const each = beyond[unit];
    if (over > 0 && each === null) return null;
    sum += (over / 1_000_000) * (each ?? 0);
  }
  return Math.round(sum * 100) / 100;
}
