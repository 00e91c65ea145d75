import { type Decimal, div, mul, ZERO } from "../../kernel/decimal.ts";
import { type Pair, splitPair } from "../../kernel/pair.ts";
import type { Accounts, Profit } from "../../model/strategy.ts";
import type { GridState, GridStrategy } from "../state/state.ts";
import { costInAll, heldInAll } from "./booking.ts";

/** Equity is quote plus base·mark less fees in third assets, moved only by fills; the total is its change since the start. */
export function profitOf(state: GridState, mark: Decimal): Profit {
  const { ledger } = state;
  const [position, cost] = [heldInAll(state), costInAll(state)];
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

/** The mark of one that has seen no price is the price it began at. */
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

/** What slots say that fills have moved of the base: first base was no fill. */
export const movedBase = (state: GridState): Decimal => heldInAll(state) - state.ledger.firstBase;

/** Per asset, what slots and cash say that fills have moved. */
export function movedByBooks(state: GridState, symbol: Pair): Readonly<Record<string, Decimal>> {
  const { base, quote } = splitPair(symbol);
  const { ledger } = state;
  return { ...ledger.cash, [base]: movedBase(state), [quote]: ledger.quote };
}
