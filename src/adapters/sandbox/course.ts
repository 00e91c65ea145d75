import type { Decimal } from "../../kernel/decimal.ts";
import type { Millis } from "../../kernel/time.ts";
import type { BookedOrder } from "../../market/matching/books.ts";
import type { Corner } from "../../market/matching/corner.ts";
import type { Market } from "../../model/market.ts";
import type { PricePath } from "./path.ts";

/** The price from one time to another, both inclusive. */
export interface Course {
  readonly from: Millis;
  readonly until: Millis;
  /** The price at the start, at each turning point, and at the end. */
  readonly corners: readonly Corner[];
  readonly lowest: Decimal;
  readonly highest: Decimal;
}

export function courseOf(
  { market, path }: { readonly market: Market; readonly path: PricePath },
  { from, until }: { readonly from: Millis; readonly until: Millis },
): Course {
  const corners = [
    { at: from, ticks: path.at(from) },
    ...path.corners(from, until),
    { at: until, ticks: path.at(until) },
  ];
  let [lowest, highest] = [Number.POSITIVE_INFINITY, 0];
  for (const { ticks } of corners) {
    if (ticks < lowest) lowest = ticks;
    if (ticks > highest) highest = ticks;
  }
  return {
    from,
    until,
    corners,
    lowest: BigInt(lowest) * market.tick,
    highest: BigInt(highest) * market.tick,
  };
}

/**
 * Returns false only for an order that cannot meet the price; true for each one that was open for only part of the
 * time.
 */
export const mayTouch = (
  { from, lowest, highest }: Course,
  { side, price, meetsFrom }: Pick<BookedOrder, "side" | "price" | "meetsFrom">,
): boolean => meetsFrom > from || (side === "buy" ? price >= lowest : price <= highest);
