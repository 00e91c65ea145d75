import { type Decimal, divideWhole, ONE } from "../kernel/decimal.ts";
import type { DayTotals } from "../model/day.ts";
import type { ExactSum } from "../model/execution.ts";

/** P&L of a span by its cause, in quote: spread + inventory − fees = total, exactly. */
export interface Attribution {
  readonly total: Decimal;
  /** What the fills earned against the mid at their time. */
  readonly spread: Decimal;
  /** What price changes made of the inventory. */
  readonly inventory: Decimal;
  /** Negative if rebates exceed fees. */
  readonly fees: Decimal;
}

/**
 * Splits the change of a strategy's totals. Fills and prices alone change the total: a fill adds its spread minus its
 * fee, and the change of the price between two fills adds inventory × change. So the inventory's part is the rest. It
 * includes the spread of fills without a known mid. A fee in base is valued at the newest mid, as in every P&L.
 */
export function attributionOf(
  { from, to }: Readonly<Record<"from" | "to", Pick<DayTotals, "total" | "fees">>>,
  earned: ExactSum,
): Attribution {
  const [total, fees] = [to.total - from.total, to.fees - from.fees];
  const spread = divideWhole(earned, ONE, "half");
  return { total, spread, inventory: total - spread + fees, fees };
}
