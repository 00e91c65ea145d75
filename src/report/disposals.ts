/**
 * Computes sales with their costs and the remaining inventory, by first in, first out and by average cost. All in
 * quote.
 */
import { type Decimal, min, mulDiv, ZERO } from "../kernel/decimal.ts";
import { splitPair } from "../kernel/pair.ts";
import type { Millis } from "../kernel/time.ts";
import type { Fill } from "../model/fill.ts";

/** One sale. If it exceeds all known purchases, its cost is unknown, because the base came from elsewhere. */
export interface Disposal {
  readonly fill: Fill;
  /** Base sold, including a fee in base. */
  readonly amount: Decimal;
  /** Quote received, minus the fee. */
  readonly proceeds: Decimal;
  /** The fee's value in quote; null if unknown. */
  readonly fee: Decimal | null;
  readonly costFifo: Decimal | null;
  readonly costAverage: Decimal | null;
  /** Purchase time of its oldest part; null if unknown. */
  readonly acquiredAt: Millis | null;
}

interface DisposalLot {
  readonly at: Millis;
  readonly base: Decimal;
  readonly cost: Decimal;
}

/** An account's inventory of a pair's base, from its fills. Booking a fill changes it. */
export interface DisposalHolding {
  /** Oldest first, from position `first`; copying the list for each fill would take quadratic time. */
  readonly lots: DisposalLot[];
  first: number;
  base: Decimal;
  cost: Decimal;
}

export const noHolding = (): DisposalHolding => ({ lots: [], first: 0, base: ZERO, cost: ZERO });

/** Books one fill in time order. Returns the sale, if it is one. */
export function dispose(holding: DisposalHolding, fill: Fill): Disposal | undefined {
  const { base, quote } = splitPair(fill.symbol);
  const feeIn = (asset: string) =>
    fill.fees.reduce((sum, bookedFee) => (bookedFee.asset === asset ? sum + bookedFee.amount : sum), ZERO);
  const others = fill.fees.filter(({ asset }) => asset !== base && asset !== quote);
  const worth = others.reduce((sum, { value = ZERO }) => sum + value, ZERO);
  const paid = feeIn(quote) + worth;
  if (fill.side === "buy") {
    const lot = { at: fill.at, base: fill.amount - feeIn(base), cost: fill.notional + paid };
    holding.lots.push(lot);
    holding.base += lot.base;
    holding.cost += lot.cost;
    return undefined;
  }
  const amount = fill.amount + feeIn(base);
  const isKnown = holding.base >= amount;
  const matched = min(amount, holding.base);
  const average = averageCost(holding, amount);
  const acquiredAt = isKnown ? (holding.lots[holding.first]?.at ?? null) : null;
  const fifo = takeFirst(holding, matched);
  holding.base -= matched;
  holding.cost = holding.base === ZERO ? ZERO : holding.cost - average;
  const inBase = mulDiv(fill.notional, { times: feeIn(base), over: fill.amount }, "up");
  return {
    fill,
    amount,
    proceeds: fill.notional - paid,
    fee: others.some(({ value }) => value === undefined) ? null : paid + inBase,
    costFifo: isKnown ? fifo : null,
    costAverage: isKnown ? average : null,
    acquiredAt,
  };
}

/** Returns the cost of an amount at the average cost of the inventory. */
const averageCost = ({ base, cost }: DisposalHolding, amount: Decimal): Decimal =>
  base === ZERO ? ZERO : mulDiv(cost, { times: min(amount, base), over: base }, "half");

/** Removes an amount from the oldest lots. Returns its cost. */
function takeFirst(holding: DisposalHolding, amount: Decimal): Decimal {
  const { lots } = holding;
  let [left, cost] = [amount, ZERO];
  for (let lot = lots[holding.first]; lot && left > ZERO; lot = lots[holding.first]) {
    if (lot.base > left) {
      const part = mulDiv(lot.cost, { times: left, over: lot.base }, "half");
      lots[holding.first] = { ...lot, base: lot.base - left, cost: lot.cost - part };
      return cost + part;
    }
    left -= lot.base;
    cost += lot.cost;
    holding.first++;
  }
  if (holding.first === lots.length) holding.first = lots.length = 0;
  return cost;
}
