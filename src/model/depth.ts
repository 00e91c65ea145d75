import { type Decimal, div, min, mul, ONE, snap, text, ZERO } from "../kernel/decimal.ts";
import type { Book, BookLevel, Market, Side } from "./market.ts";

/** Expected execution of an order against an order book. */
export interface Taken {
  readonly amount: Decimal;
  /** In quote. */
  readonly notional: Decimal;
  /** Worst price of the execution; zero if nothing executes. */
  readonly worst: Decimal;
}

/** Returns the expected execution, best levels first, up to the price `limit`; a market order has none. */
export function takeFrom(
  { bids, asks }: Book,
  {
    side,
    amount,
    limit,
  }: { readonly side: Side; readonly amount: Decimal; readonly limit?: Decimal | undefined },
): Taken {
  const levels = (side === "buy" ? asks : bids).filter(({ price }) => isWithin(side, price, limit));
  return levels.reduce((taken, level) => takeLevel(taken, level, { side, amount }), NOTHING_TAKEN);
}

const NOTHING_TAKEN: Taken = { amount: ZERO, notional: ZERO, worst: ZERO };

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

/** Describes what an order would fill immediately; undefined if it would fill nothing. */
export function expectedText(taken: Taken, whole: Decimal, { base, quote }: Pick<Market, "base" | "quote">) {
  if (taken.amount === ZERO) return undefined;
  const average = text(snap(div(taken.notional, taken.amount, "half"), ONE / 10n ** 8n, "half"));
  const rest = whole - taken.amount;
  const more = rest > ZERO ? `, and not the other ${text(rest)} ${base}` : "";
  return `at once ${text(taken.amount)} ${base} for ${text(taken.notional)} ${quote}, at ${average} on average and ${text(taken.worst)} at worst, in the current order book${more}`;
}
