import { type Decimal, div, mul, ZERO } from "../../kernel/decimal.ts";
import type { GridState } from "../state/state.ts";
import { costInAll, heldInAll } from "./booking.ts";

/** What a strategy has made, in quote, marked at a price. Total = realised + unrealised, exactly. */
export interface Profit {
  readonly realized: Decimal;
  readonly unrealized: Decimal;
  readonly total: Decimal;
  /** Base held, and what it cost. */
  readonly position: Decimal;
  readonly cost: Decimal;
  /** Cost per base held; null without a position. */
  readonly averageCost: Decimal | null;
  /** Price at which the total is zero: (initial equity + fees in third assets − quote)/base; null without a position. */
  readonly breakEvenPrice: Decimal | null;
}

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

/** What a strategy's fills and first base have moved per asset: the account's change that is not a person's. */
export const movedBase = (state: GridState): Decimal => heldInAll(state) - state.ledger.firstBase;
