import { type Decimal, div, min, roundToStep } from "../kernel/decimal.ts";
import type { Bounds } from "../model/limits.ts";
import { type Market, meetsMinimum } from "../model/market.ts";
import { mostNotional } from "./standing.ts";

/** Returns the part of an amount that one order can have; later passes place the rest. */
export function inOneOrder(
  amount: Decimal,
  { price, market, bounds }: { price: Decimal; market: Market; bounds: Bounds | undefined },
): Decimal {
  const most = bounds && mostNotional(bounds, market.quote);
  const part =
    most === undefined ? amount : min(amount, roundToStep(div(most, price, "down"), market.lot, "down"));
  return meetsMinimum(market, price, part) ? part : amount;
}
