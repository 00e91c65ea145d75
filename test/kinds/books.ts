/** Books of one position, as simple as a kind may keep them. */
import { addFee } from "../../src/engine/reconcile/reconcile.ts";
import { type Decimal, div, mul, mulDiv, ZERO } from "../../src/kernel/decimal.ts";
import { type Pair, splitPair } from "../../src/kernel/pair.ts";
import type { Fill, Order } from "../../src/model/order.ts";
import type { Accounts, StrategyState } from "../../src/model/strategy.ts";

export interface Books extends StrategyState {
  readonly base: Decimal;
  readonly cost: Decimal;
  /** What fills have moved of every asset but the base. */
  readonly cash: Readonly<Record<string, Decimal>>;
  /** Worth of fees in third assets. */
  readonly fees: Decimal;
  readonly filled: number;
}

export const NO_BOOKS = { base: 0n, cost: 0n, cash: {}, fees: 0n, filled: 0 } as const;

export function bookFill<B extends Books>(state: B, symbol: Pair, fill: Fill): B {
  const { base, quote } = splitPair(symbol);
  const sign = fill.side === "buy" ? 1n : -1n;
  const moved = [
    { asset: base, amount: sign * fill.amount },
    { asset: quote, amount: -sign * fill.notional },
    ...fill.fees.map(({ asset, amount }) => ({ asset, amount: -amount })),
  ];
  const of = (asset: string) =>
    moved.reduce((sum, one) => (one.asset === asset ? sum + one.amount : sum), ZERO);
  const sold = of(base) < ZERO && state.base > ZERO ? { times: of(base), over: state.base } : undefined;
  return {
    ...state,
    base: state.base + of(base),
    cost: state.cost + (sold ? mulDiv(state.cost, sold, "half") : of(base) < ZERO ? ZERO : -of(quote)),
    cash: moved.filter(({ asset }) => asset !== base).reduce(addFee, state.cash),
    fees: fill.fees.reduce((sum, { value = ZERO }) => sum + value, state.fees),
  };
}

export const bookEnd = <B extends Books>(state: B, { booked, amount }: Order): B =>
  booked < amount ? state : { ...state, filled: state.filled + 1 };

export const movedByBooks = ({ cash, base }: Books, symbol: Pair) => ({
  ...cash,
  [splitPair(symbol).base]: base,
});

export function accounts(
  { symbol, state }: { readonly symbol: Pair; readonly state: Books },
  mark: Decimal = ZERO,
): Accounts {
  const { base, cost, cash, fees, filled } = state;
  const [quote, worth] = [cash[splitPair(symbol).quote] ?? ZERO, mul(base, mark, "half")];
  return {
    realized: quote + cost - fees,
    unrealized: worth - cost,
    total: quote + worth - fees,
    position: base,
    cost,
    averageCost: base > ZERO ? div(cost, base, "half") : null,
    breakEvenPrice: base > ZERO ? div(fees - quote, base, "up") : null,
    fees,
    cycles: 0,
    filledOrders: filled,
  };
}
