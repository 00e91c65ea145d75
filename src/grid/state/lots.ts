import { type Decimal, mulDiv, ZERO } from "../../kernel/decimal.ts";

/** Base that belongs to a strategy and to none of its slots, with what it cost in quote. */
export interface Lot {
  readonly base: Decimal;
  readonly cost: Decimal;
  /** Base that was there before the grid: its sell is no cycle. */
  readonly first: boolean;
}

const NO_LOT: Lot = { base: ZERO, cost: ZERO, first: false };

export const totalBase = (lots: readonly Lot[]): Decimal =>
  lots.reduce((total, { base }) => total + base, ZERO);
export const totalCost = (lots: readonly Lot[]): Decimal =>
  lots.reduce((total, { cost }) => total + cost, ZERO);

/** The lots with one more, cheapest by unit first. */
export function withLot(lots: readonly Lot[], lot: Lot): readonly Lot[] {
  if (lot.base === ZERO && lot.cost === ZERO) return lots;
  return [...lots, lot].sort((a, b) => {
    const [left, right] = [a.cost * b.base, b.cost * a.base];
    return left < right ? -1 : left > right ? 1 : 0;
  });
}

/**
 * Takes an amount, cheapest lots first; a part of a lot takes its share of the cost, rounded half. What is
 * not there is owed: a lot of negative base without a cost, so that nothing is lost from the sums.
 */
export function takeLots(lots: readonly Lot[], amount: Decimal): { taken: Lot; rest: readonly Lot[] } {
  let [left, taken]: [Decimal, Lot] = [amount, { ...NO_LOT, base: amount }];
  const rest: Lot[] = [];
  for (const lot of lots) {
    if (left >= lot.base) {
      taken = atCostOf(taken, lot);
      left -= lot.base;
    } else {
      const part = left <= ZERO ? NO_LOT : partOf(lot, left);
      taken = atCostOf(taken, part);
      rest.push({ ...lot, base: lot.base - part.base, cost: lot.cost - part.cost });
      left = ZERO;
    }
  }
  return { taken, rest: withLot(rest, { base: -left, cost: ZERO, first: false }) };
}

const partOf = ({ base, cost, first }: Lot, amount: Decimal): Lot => ({
  base: amount,
  cost: mulDiv(cost, { times: amount, over: base }, "half"),
  first,
});

/** What is taken, with what one more lot of it has cost. */
const atCostOf = (taken: Lot, { cost, first }: Lot): Lot => ({
  ...taken,
  cost: taken.cost + cost,
  first: taken.first || first,
});
