import { type Decimal, div, max, mul, ONE, ZERO } from "../../kernel/decimal.ts";
import type { Market } from "../../model/market.ts";

export interface CycleFees {
  /** Rates as shares of the notional. */
  readonly buy: Decimal;
  readonly sell: Decimal;
  /** The asset the buy's fee is taken in; in base it is the dearer. */
  readonly buyFeeIn: Market["buyFeeIn"];
}

/**
 * The least s/b at which buying at b and selling at s pays its fees, rounded up.
 * Fee in quote: b(1 + f) = s(1 − g). Fee in base: (1 − f)(1 − g)·s/b = 1.
 */
export const breakEvenRatio = ({ buy, sell, buyFeeIn }: CycleFees): Decimal =>
  buyFeeIn === "quote"
    ? div(ONE + buy, ONE - sell, "up")
    : div(ONE, mul(ONE - buy, ONE - sell, "down"), "up");

/** What one cycle nets as a share of the notional bought, rounded down; s and b in quote. */
export function netOfCycle({
  buyAt,
  sellAt,
  fees,
}: {
  buyAt: Decimal;
  sellAt: Decimal;
  fees: CycleFees;
}): Decimal {
  const ratio = div(sellAt, buyAt, "down");
  const { buy, sell, buyFeeIn } = fees;
  if (buyFeeIn !== "quote") return mul(mul(ONE - buy, ONE - sell, "down"), ratio, "down") - ONE;
  return ratio - ONE - buy - mul(sell, ratio, "up");
}

/** Both legs as maker, and the worse way round when one of them takes. */
export const restingFees = ({ maker, buyFeeIn }: Market): CycleFees => ({
  buy: maker,
  sell: maker,
  buyFeeIn,
});

export function worstRatio({ maker, taker, buyFeeIn }: Market): Decimal {
  const takesBuy = breakEvenRatio({ buy: taker, sell: maker, buyFeeIn });
  const takesSell = breakEvenRatio({ buy: maker, sell: taker, buyFeeIn });
  return takesBuy > takesSell ? takesBuy : takesSell;
}

/** The rate of a buy's fee that is taken in quote, whichever way it trades. */
export const quoteFee = ({ maker, taker, buyFeeIn }: Market): Decimal =>
  buyFeeIn !== "base" ? max(maker, taker) : ZERO;
