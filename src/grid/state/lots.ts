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
  let [left, taken] = [amount, NO_LOT];
  let rest: readonly Lot[] = [];
  for (const lot of lots) {
    if (left >= lot.base) {
      taken = joinedLots(taken, lot);
      left -= lot.base;
    } else {
      const part = left <= ZERO ? NO_LOT : partOf(lot, left);
      taken = joinedLots(taken, part);
      rest = [...rest, { ...lot, base: lot.base - part.base, cost: lot.cost - part.cost }];
      left = ZERO;
    }
  }
  if (left > ZERO) rest = withLot(rest, { base: -left, cost: ZERO, first: false });
  return { taken: { ...taken, base: amount }, rest };
}

const partOf = ({ base, cost, first }: Lot, amount: Decimal): Lot => ({
  base: amount,
  cost: mulDiv(cost, { times: amount, over: base }, "half"),
  first,
});

const joinedLots = (a: Lot, b: Lot): Lot => ({
  base: a.base + b.base,
  cost: a.cost + b.cost,
  first: a.first || b.first,
});
