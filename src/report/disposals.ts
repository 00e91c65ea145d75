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

/** What an account holds of a pair's base, as its fills have told. */
export interface DisposalHolding {
  /** Oldest first. */
  readonly lots: readonly DisposalLot[];
  readonly base: Decimal;
  readonly cost: Decimal;
}

export const NO_HOLDING: DisposalHolding = { lots: [], base: ZERO, cost: ZERO };

/** Books one fill, in the order of time. */
export function dispose(
  holding: DisposalHolding,
  fill: Fill,
): { readonly holding: DisposalHolding; readonly disposal?: Disposal } {
  const { base, quote } = splitPair(fill.symbol);
  const feeIn = (asset: string) =>
    fill.fees.reduce((sum, one) => (one.asset === asset ? sum + one.amount : sum), ZERO);
  const others = fill.fees.filter(({ asset }) => asset !== base && asset !== quote);
  const worth = others.reduce((sum, { value = ZERO }) => sum + value, ZERO);
  const paid = feeIn(quote) + worth;
  if (fill.side === "buy") {
    const lot = { at: fill.at, base: fill.amount - feeIn(base), cost: fill.notional + paid };
    return {
      holding: {
        lots: [...holding.lots, lot],
        base: holding.base + lot.base,
        cost: holding.cost + lot.cost,
      },
    };
  }
  const amount = fill.amount + feeIn(base);
  const isKnown = holding.base >= amount;
  const taken = takeFirst(holding.lots, min(amount, holding.base));
  const average = averageCost(holding, amount);
  const inBase = mulDiv(fill.notional, { times: feeIn(base), over: fill.amount }, "up");
  const disposal: Disposal = {
    fill,
    amount,
    proceeds: fill.notional - paid,
    fee: others.some(({ value }) => value === undefined) ? null : paid + inBase,
    costFifo: isKnown ? taken.cost : null,
    costAverage: isKnown ? average : null,
    acquiredAt: isKnown ? (holding.lots[0]?.at ?? null) : null,
  };
  const left = holding.base - min(amount, holding.base);
  return {
    holding: { lots: taken.rest, base: left, cost: left === ZERO ? ZERO : holding.cost - average },
    disposal,
  };
}

/** What so much of a holding has cost, each of its parts alike. */
const averageCost = ({ base, cost }: DisposalHolding, amount: Decimal): Decimal =>
  base === ZERO ? ZERO : mulDiv(cost, { times: min(amount, base), over: base }, "half");

function takeFirst(
  lots: readonly DisposalLot[],
  amount: Decimal,
): { cost: Decimal; rest: readonly DisposalLot[] } {
  let [left, cost] = [amount, ZERO];
  for (const [place, lot] of lots.entries()) {
    if (left === ZERO) return { cost, rest: lots.slice(place) };
    if (lot.base > left) {
      const part = mulDiv(lot.cost, { times: left, over: lot.base }, "half");
      const rest = { ...lot, base: lot.base - left, cost: lot.cost - part };
      return { cost: cost + part, rest: [rest, ...lots.slice(place + 1)] };
    }
    left -= lot.base;
    cost += lot.cost;
  }
  return { cost, rest: [] };
}
