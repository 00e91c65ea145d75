import { amount, money, pairOf } from "../format.ts";
import { type Editing, StrategyActions } from "../strategy/parts.tsx";
import type { Quoted, Session } from "../types.ts";

interface QuoteActionsProps {
  readonly quotes: Quoted;
  readonly session: Session;
  readonly editing: Editing;
}

/** Actions for quotes. */
export function QuoteActions({ quotes, ...props }: QuoteActionsProps) {
  const { budget, symbol, orders } = quotes;
  const { base, quote } = pairOf(symbol);
  return (
    <StrategyActions
      {...props}
      kind="quote"
      of={quotes}
      whom="these quotes"
      pause={`Their ${orders.length} orders are canceled until you resume. The base stays.`}
      resume={`The next pass places both sides again, with their budgets: ${money(Number(budget.quote))} ${quote} and ${amount(budget.base)} ${base}.`}
      openOrders={orders.length}
      base={(sellBase) => whatBecomesOfBase(quotes, sellBase)}
    />
  );
}

function whatBecomesOfBase({ symbol, position, reference }: Quoted, sellBase: boolean): string {
  const { base, quote } = pairOf(symbol);
  const positionText = `${amount(position)} ${base}`;
  const worth =
    reference === null
      ? ""
      : `, worth ${money(Number(position) * reference)} ${quote} at the last reference price`;
  if (Number(position) === 0) return `They hold no ${base}.`;
  return sellBase
    ? `${positionText}${worth}, are sold at up to 10 % below the mid price, even into a thin order book.`
    : `${positionText}${worth}, stay yours and keep their market risk.`;
}
