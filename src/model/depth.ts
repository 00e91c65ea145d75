import { type Decimal, div, min, mul, ONE, snap, text, ZERO } from "../kernel/decimal.ts";
import type { Book, BookLevel, Market, Side } from "./market.ts";

/** Expected execution of an order against an order book. */
export interface ExpectedFill {
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
): ExpectedFill {
  const levels = (side === "buy" ? asks : bids).filter(({ price }) => isWithin(side, price, limit));
  return levels.reduce((fill, level) => takeLevel(fill, level, { side, amount }), NO_FILL);
}

const NO_FILL: ExpectedFill = { amount: ZERO, notional: ZERO, worst: ZERO };

const isWithin = (side: Side, price: Decimal, limit: Decimal | undefined): boolean =>
  limit === undefined || (side === "buy" ? price <= limit : price >= limit);

function takeLevel(
  fill: ExpectedFill,
  { price, amount: size }: BookLevel,
  { side, amount }: { side: Side; amount: Decimal },
): ExpectedFill {
  const more = min(size, amount - fill.amount);
  if (more <= ZERO) return fill;
  const notional = fill.notional + mul(price, more, side === "buy" ? "up" : "down");
  return { amount: fill.amount + more, notional, worst: price };
}

/** Describes what an order would fill immediately; undefined if it would fill nothing. */
export function expectedText(
  fill: ExpectedFill,
  whole: Decimal,
  { base, quote }: Pick<Market, "base" | "quote">,
) {
  if (fill.amount === ZERO) return undefined;
  const average = text(snap(div(fill.notional, fill.amount, "half"), ONE / 10n ** 8n, "half"));
  const rest = whole - fill.amount;
  const more = rest > ZERO ? `, and not the other ${text(rest)} ${base}` : "";
  return `at once ${text(fill.amount)} ${base} for ${text(fill.notional)} ${quote}, at ${average} on average and ${text(fill.worst)} at worst, in the current order book${more}`;
}
