import { type Decimal, min, mul, text, ZERO } from "../kernel/decimal.ts";
import type { Book, BookLevel, Side } from "../ports.ts";

/** What an order would take from a book as it is shown. */
export interface Taken {
  readonly amount: Decimal;
  /** In quote. */
  readonly notional: Decimal;
  /** The worst price of it; zero where nothing is taken. */
  readonly worst: Decimal;
}

/** The levels that an order meets, best first, as far as its limit goes; `limit` is left out at the market. */
export function takeFrom(
  { bids, asks }: Book,
  {
    side,
    amount,
    limit,
  }: { readonly side: Side; readonly amount: Decimal; readonly limit?: Decimal | undefined },
): Taken {
  const levels = (side === "buy" ? asks : bids).filter(({ price }) => isWithin(side, price, limit));
  return levels.reduce((taken, level) => takeLevel(taken, level, { side, amount }), NOTHING);
}

const NOTHING: Taken = { amount: ZERO, notional: ZERO, worst: ZERO };

const isWithin = (side: Side, price: Decimal, limit: Decimal | undefined): boolean =>
  limit === undefined || (side === "buy" ? price <= limit : price >= limit);

function takeLevel(
  taken: Taken,
  { price, amount: size }: BookLevel,
  { side, amount }: { side: Side; amount: Decimal },
): Taken {
  const more = min(size, amount - taken.amount);
  if (more <= ZERO) return taken;
  const notional = taken.notional + mul(price, more, side === "buy" ? "up" : "down");
  return { amount: taken.amount + more, notional, worst: price };
}

export const describeTaken = ({ amount, notional, worst }: Taken, base: string, quote: string): string =>
  `${text(amount)} ${base} for ${text(notional)} ${quote}, down to the level of ${text(worst)}`;
