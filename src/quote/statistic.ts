import { type Decimal, ONE } from "../kernel/decimal.ts";

/**
 * Converts a price or an amount to a float for statistics: the only place where that happens. Statistics return
 * bounded shares.
 */
export const statistic = (value: Decimal): number => Number(value) / Number(ONE);
