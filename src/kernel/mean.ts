import { type Decimal, sum } from "./decimal.ts";

/** Returns the mean of the known values, rounded toward zero; null without any. */
export function meanOfKnown(values: readonly (Decimal | null)[]): Decimal | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : sum(known) / BigInt(known.length);
}
