import { type Decimal, max, min } from "../../kernel/decimal.ts";
import type { GridState } from "./state.ts";

interface PriceRange {
  readonly lower: Decimal;
  readonly upper: Decimal;
}

/** Returns the current range of levels, in quote; a grid that follows the market has left its configured range. */
export function rangeNow({ slots }: Pick<GridState, "slots">): PriceRange | undefined {
  if (slots.length === 0) return undefined;
  return {
    lower: slots.map(({ lower }) => lower).reduce(min),
    upper: slots.map(({ upper }) => upper).reduce(max),
  };
}

/** Returns whether a price lies between the lowest and the highest level. */
export function isBetweenLevels(state: Pick<GridState, "slots">, price: Decimal): boolean {
  const range = rangeNow(state);
  return range !== undefined && range.lower <= price && price <= range.upper;
}
