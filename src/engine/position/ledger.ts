/** The ledger of one position at average cost. */

import { type Decimal, div, min, mul, mulDiv, sum, ZERO } from "../../kernel/decimal.ts";
import { type Pair, splitPair } from "../../kernel/pair.ts";
import type { Fill } from "../../model/fill.ts";
import type { Order } from "../../model/order.ts";
import type { Accounts } from "../../model/strategy.ts";
import { addFee } from "../reconcile/fills.ts";
import type { PositionState, PositionStrategy } from "./state.ts";

/** Assigns base of the account at the start price. */
export const withFirstBase = <S extends PositionState>(state: S, amount: Decimal): S => {
  const cost = mul(amount, state.startPrice, "half");
  const first = { base: state.first.base + amount, cost: state.first.cost + cost };
  return { ...state, first, base: state.base + amount, cost: state.cost + cost };
};

export function bookTrade<S extends PositionState>(
  state: S,
  symbol: Pair,
  fill: Pick<Fill, "side" | "amount" | "notional" | "fees">,
): S {
  const { base, quote } = splitPair(symbol);
  const feeIn = (asset: string) =>
    sum(fill.fees.filter((fee) => fee.asset === asset).map(({ amount }) => amount));
  const sign = fill.side === "buy" ? 1n : -1n;
  const moved = {
    base: sign * fill.amount - feeIn(base),
    quote: -sign * fill.notional - feeIn(quote),
  };
  const thirds = fill.fees.filter(({ asset }) => asset !== base && asset !== quote);
  const worth = sum(thirds.map(({ value = ZERO }) => value));
  const cost = costAfter(state, moved);
  const realized = moved.quote + cost - state.cost - worth;
  const { ledger } = state;
  return {
    ...state,
    base: state.base + moved.base,
    cost,
    ledger: {
      ...ledger,
      quote: ledger.quote + moved.quote,
      realized: ledger.realized + realized,
      fees: fill.fees.reduce(addFee, ledger.fees),
      cash: thirds.map(({ asset, amount }) => ({ asset, amount: -amount })).reduce(addFee, ledger.cash),
      feesValue: ledger.feesValue + worth,
      feesEstimated: ledger.feesEstimated || thirds.some(({ isEstimated }) => isEstimated),
    },
  };
}

/**
 * Returns the cost after a fill: a buy adds its cost; a sell removes cost × sold ÷ position, and all of it if it
 * sells more than the position.
 */
function costAfter(
  { base, cost }: PositionState,
  moved: { readonly base: Decimal; readonly quote: Decimal },
): Decimal {
  if (moved.base >= ZERO) return cost - moved.quote;
  if (base <= ZERO) return cost;
  return cost - mulDiv(cost, { times: min(-moved.base, base), over: base }, "half");
}

/** Counts an order after its last fill. */
export function countOrder<S extends PositionState>(state: S, { side, booked, amount }: Order): S {
  if (booked < amount) return state;
  const { ledger } = state;
  const counted = side === "buy" ? { bids: ledger.bids + 1 } : { asks: ledger.asks + 1 };
  return { ...state, ledger: { ...ledger, ...counted } };
}

export const movedByPosition = ({ base, first, ledger }: PositionState, symbol: Pair) => ({
  ...ledger.cash,
  [splitPair(symbol).base]: base - first.base,
  [splitPair(symbol).quote]: ledger.quote,
});

/** Returns P&L. Without an observed price it uses the start price. A cycle is a completely filled bid and ask. */
export function positionAccounts(
  { symbol, state }: Pick<PositionStrategy, "symbol" | "state">,
  mark: Decimal = state.startPrice,
): Accounts {
  const { base, cost, first, ledger } = state;
  const { realized, feesValue, fees, bids, asks } = ledger;
  const { base: baseAsset, quote: quoteAsset } = splitPair(symbol);
  const total = ledger.quote + mul(base, mark, "half") - first.cost - feesValue;
  return {
    realized,
    unrealized: total - realized,
    total,
    position: base,
    cost,
    averageCost: base > ZERO ? div(cost, base, "half") : null,
    breakEvenPrice: base > ZERO ? div(first.cost + feesValue - ledger.quote, base, "up") : null,
    fees: (fees[quoteAsset] ?? ZERO) + mul(fees[baseAsset] ?? ZERO, mark, "up") + feesValue,
    cycles: Math.min(bids, asks),
    filledOrders: bids + asks,
  };
}
