import { type Decimal, mul, type Rounding, ZERO } from "../kernel/decimal.ts";
import type { BookLevel, Market } from "../model/market.ts";
import type { Leg } from "./leg.ts";

export interface BookSide {
  readonly exchange: string;
  readonly side: "buy" | "sell";
  /** Best first: the asks for a buy, the bids for a sell. */
  readonly levels: readonly BookLevel[];
  readonly market: Pick<Market, "lot" | "minAmount" | "minNotional" | "taker">;
}

interface Step extends BookLevel {
  /** Base and quote of the previous levels. */
  readonly before: Decimal;
  readonly notionalBefore: Decimal;
}

/** Executes a book level by level. A fee in base is valued at the price paid. */
export function bookLeg({ exchange, side, levels, market }: BookSide): Leg {
  const rounding: Rounding = side === "buy" ? "up" : "down";
  const { steps, depth } = stepsOf(levels, rounding);
  const { lot, minAmount, minNotional, taker } = market;
  return {
    exchange,
    depth,
    lot,
    minAmount,
    minNotional,
    fill(amount) {
      const step = steps.find(({ before, amount: size }) => amount <= before + size);
      if (!step) throw new RangeError(`${exchange} does not have this amount in its order book`);
      const notional = step.notionalBefore + mul(step.price, amount - step.before, rounding);
      return { notional, fee: mul(notional, taker, "up") };
    },
  };
}

function stepsOf(levels: readonly BookLevel[], rounding: Rounding): { steps: Step[]; depth: Decimal } {
  let [before, notionalBefore] = [ZERO, ZERO];
  const steps = levels.map((level): Step => {
    const step = { ...level, before, notionalBefore };
    before += level.amount;
    notionalBefore += mul(level.price, level.amount, rounding);
    return step;
  });
  return { steps, depth: before };
}
