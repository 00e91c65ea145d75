import { type Decimal, div, max, mul, ONE, ZERO } from "../../kernel/decimal.ts";
import type { Market } from "../../model/market.ts";

export interface CycleFees {
  /** Rates as shares of the notional. */
  readonly buy: Decimal;
  readonly sell: Decimal;
  /** Asset of the buy's fee; base is more expensive. */
  readonly buyFeeIn: Market["buyFeeIn"];
}

/**
 * Returns the smallest s/b at which buying at b and selling at s covers the fees, rounded up. Fee in quote: b(1 + f)
 * = s(1 − g). Fee in base: (1 − f)(1 − g)·s/b = 1.
 */
export const breakEvenRatio = ({ buy, sell, buyFeeIn }: CycleFees): Decimal =>
  buyFeeIn === "quote"
    ? div(ONE + buy, ONE - sell, "up")
    : div(ONE, mul(ONE - buy, ONE - sell, "down"), "up");

/** Returns the net profit of one cycle as a share of the notional bought, rounded down; s and b in quote. */
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

/** Returns the fees of a cycle with maker orders only, and the worst fees if one of them is a taker order. */
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

/** Returns the fee rate of a buy in quote, as maker or taker. */
export const quoteFee = ({ maker, taker, buyFeeIn }: Market): Decimal =>
  buyFeeIn !== "base" ? max(maker, taker) : ZERO;
