/** What was sold, what it had cost, and what remains: by first in, first out, and by average cost. All in quote. */
import { type Decimal, min, mulDiv, ZERO } from "../kernel/decimal.ts";
import { splitPair } from "../kernel/pair.ts";
import type { Millis } from "../kernel/time.ts";
import type { Fill } from "../model/fill.ts";

/** One sale. Where more is sold than was ever seen bought, what it had cost is not known: it came from elsewhere. */
export interface Disposal {
  readonly fill: Fill;
  /** Base that has gone, a fee in it included. */
  readonly amount: Decimal;
  /** Quote that has come, less the fee. */
  readonly proceeds: Decimal;
  /** The fee's worth in quote; null where nobody told it. */
  readonly fee: Decimal | null;
  readonly costFifo: Decimal | null;
  readonly costAverage: Decimal | null;
  /** When the oldest part of it was bought; null where that is not known. */
  readonly acquiredAt: Millis | null;
}

interface DisposalLot {
  readonly at: Millis;
  readonly base: Decimal;
  readonly cost: Decimal;
}

/** What an account holds of a pair's base, as its fills have told. A fill that is booked changes it. */
export interface DisposalHolding {
  /** Oldest first, from `first` on: a copy for each fill would take longer the more there are. */
  readonly lots: DisposalLot[];
  first: number;
  base: Decimal;
  cost: Decimal;
}

export const noHolding = (): DisposalHolding => ({ lots: [], first: 0, base: ZERO, cost: ZERO });

/** Books one fill, in the order of time. Returns the sale that it is. */
export function dispose(holding: DisposalHolding, fill: Fill): Disposal | undefined {
  const { base, quote } = splitPair(fill.symbol);
  const feeIn = (asset: string) =>
    fill.fees.reduce((sum, one) => (one.asset === asset ? sum + one.amount : sum), ZERO);
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
  const taken = min(amount, holding.base);
  const average = averageCost(holding, amount);
  const acquiredAt = isKnown ? (holding.lots[holding.first]?.at ?? null) : null;
  const fifo = takeFirst(holding, taken);
  holding.base -= taken;
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

/** What so much of a holding has cost, each of its parts alike. */
const averageCost = ({ base, cost }: DisposalHolding, amount: Decimal): Decimal =>
  base === ZERO ? ZERO : mulDiv(cost, { times: min(amount, base), over: base }, "half");

/** Takes so much of the oldest lots. Returns what it had cost. */
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
