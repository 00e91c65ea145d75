import { bookLeg } from "../../src/compare/operations/compare.ts";
import type { Leg } from "../../src/compare/schema.ts";
import { decimal } from "../../src/kernel/decimal.ts";
import type { BookLevel } from "../../src/model/market.ts";

export type Levels = readonly (readonly [price: string, amount: string])[];
export interface Rules {
  lot?: string;
  minAmount?: string;
  minNotional?: string;
  fee?: string;
}

export const levelsOf = (levels: Levels): BookLevel[] =>
  levels.map(([price, amount]) => ({ price: decimal(price), amount: decimal(amount) }));

/** One side of a book with these rules; a lot of 0.01 and no fee where none is given. */
export function leg(exchange: string, side: "buy" | "sell", levels: Levels, rules: Rules = {}): Leg {
  const { lot = "0.01", minAmount = lot, minNotional = "0", fee = "0" } = rules;
  return bookLeg({
    exchange,
    side,
    levels: levelsOf(levels),
    market: {
      lot: decimal(lot),
      minAmount: decimal(minAmount),
      minNotional: decimal(minNotional),
      taker: decimal(fee),
    },
  });
}
