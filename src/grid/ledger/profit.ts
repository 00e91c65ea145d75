import { type Decimal, div, mul, ZERO } from "../../kernel/decimal.ts";
import { type Pair, splitPair } from "../../kernel/pair.ts";
import type { Accounts, Profit } from "../../model/strategy.ts";
import type { GridState, GridStrategy } from "../state/state.ts";
import { costInAll, gridPosition } from "./booking.ts";

/**
 * Computes P&L. Equity is quote plus base·mark minus fees in third assets, and only fills change it; the total is its
 * change since the start.
 */
export function profitOf(state: GridState, mark: Decimal): Profit {
  const { ledger } = state;
  const [position, cost] = [gridPosition(state), costInAll(state)];
  const total = ledger.quote + mul(position, mark, "half") - ledger.firstCost - ledger.feesValue;
  return {
    realized: ledger.realized,
    unrealized: total - ledger.realized,
    total,
    position,
    cost,
    averageCost: position > ZERO ? div(cost, position, "half") : null,
    breakEvenPrice:
      position > ZERO ? div(ledger.firstCost + ledger.feesValue - ledger.quote, position, "up") : null,
  };
}

/** Returns P&L and totals. Without an observed price, the mark is the start price. */
export function gridAccounts(
  { symbol, state }: Pick<GridStrategy, "symbol" | "state">,
  mark: Decimal = state.startPrice,
): Accounts {
  const { fees, feesValue, cycles, filledOrders } = state.ledger;
  const { base, quote } = splitPair(symbol);
  const [inBase = ZERO, inQuote = ZERO] = [fees[base], fees[quote]];
  return {
    ...profitOf(state, mark),
    fees: inQuote + mul(inBase, mark, "up") + feesValue,
    cycles,
    filledOrders,
  };
}

/** Returns the base change from fills by the slots' books; first base was not a fill. */
export const movedBase = (state: GridState): Decimal => gridPosition(state) - state.ledger.firstBase;

/** Returns the change per asset from fills by the slots' and cash books. */
export function movedByBooks(state: GridState, symbol: Pair): Readonly<Record<string, Decimal>> {
  const { base, quote } = splitPair(symbol);
  const { ledger } = state;
  return { ...ledger.cash, [base]: movedBase(state), [quote]: ledger.quote };
}
