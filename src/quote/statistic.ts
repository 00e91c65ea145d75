import { type Decimal, ONE } from "../kernel/decimal.ts";

/** A price or an amount as statistics take it: the one place where a float is made of it. What they answer is a bounded share. */
export const statistic = (value: Decimal): number => Number(value) / Number(ONE);
