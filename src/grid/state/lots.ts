import { type Decimal, mulDiv, ZERO } from "../../kernel/decimal.ts";

/** Base that belongs to a strategy but to none of its slots, with its cost in quote. */
export interface Lot {
  readonly base: Decimal;
  readonly cost: Decimal;
  /** Whether the base existed before the grid; its sell completes no cycle. */
  readonly first: boolean;
}

const NO_LOT: Lot = { base: ZERO, cost: ZERO, first: false };

export const totalBase = (lots: readonly Lot[]): Decimal =>
  lots.reduce((total, { base }) => total + base, ZERO);
export const totalCost = (lots: readonly Lot[]): Decimal =>
  lots.reduce((total, { cost }) => total + cost, ZERO);

/** Adds a lot, keeping the lots sorted by unit cost. */
export function withLot(lots: readonly Lot[], lot: Lot): readonly Lot[] {
  if (lot.base === ZERO && lot.cost === ZERO) return lots;
  return [...lots, lot].sort((a, b) => {
    const [left, right] = [a.cost * b.base, b.cost * a.base];
    return left < right ? -1 : left > right ? 1 : 0;
  });
}

/**
 * Takes an amount, cheapest lots first; a part of a lot takes its share of the cost, rounded half. A missing amount
 * becomes a lot of negative base without cost, so the sums stay correct.
 */
export function takeLots(lots: readonly Lot[], amount: Decimal): { drawn: Lot; rest: readonly Lot[] } {
  let [left, drawn]: [Decimal, Lot] = [amount, { ...NO_LOT, base: amount }];
  const rest: Lot[] = [];
  for (const lot of lots) {
    if (left >= lot.base) {
      drawn = atCostOf(drawn, lot);
      left -= lot.base;
    } else {
      const part = left <= ZERO ? NO_LOT : partOf(lot, left);
      drawn = atCostOf(drawn, part);
      rest.push({ ...lot, base: lot.base - part.base, cost: lot.cost - part.cost });
      left = ZERO;
    }
  }
  return { drawn, rest: withLot(rest, { base: -left, cost: ZERO, first: false }) };
}

const partOf = ({ base, cost, first }: Lot, amount: Decimal): Lot => ({
  base: amount,
  cost: mulDiv(cost, { times: amount, over: base }, "half"),
  first,
});

/** Returns the taken base plus the cost of one more lot. */
const atCostOf = (drawn: Lot, { cost, first }: Lot): Lot => ({
  ...drawn,
  cost: drawn.cost + cost,
  first: drawn.first || first,
});
