import { type Decimal, max, mul, ZERO } from "../../kernel/decimal.ts";
import { type Pair, splitPair } from "../../kernel/pair.ts";
import type { Market } from "../../model/market.ts";
import type { BookedFee, Fee, Fill } from "../../model/order.ts";

/** Returns assets other than base and quote in which fees were charged. */
export function thirdAssets(symbol: Pair, fees: readonly Fee[]): string[] {
  const { base, quote } = splitPair(symbol);
  const others = fees.filter(({ asset, amount }) => asset !== base && asset !== quote && amount !== ZERO);
  return [...new Set(others.map(({ asset }) => asset))];
}

/** Returns the pair whose price gives a fee's value in quote. */
export const pricePair = (asset: string, symbol: Pair): Pair => `${asset}/${splitPair(symbol).quote}`;

/** The higher rate, so that an estimate is never below the fee. */
const estimateRate = ({ maker, taker }: Market): Decimal => max(maker, taker);

/**
 * Returns the fee of an executed amount whose fee cannot be read, marked as estimated. A buy's fee is in base unless
 * the account pays it in quote, so no more base is sold than the exchange credited. Rounded up.
 */
export function estimatedFees(
  { symbol, side, amount, notional }: Pick<Fill, "symbol" | "side" | "amount" | "notional">,
  market: Market,
): BookedFee[] {
  const { base, quote } = splitPair(symbol);
  const isInBase = side === "buy" && market.buyFeeIn !== "quote";
  const fee = mul(isInBase ? amount : notional, estimateRate(market), "up");
  return fee > ZERO ? [{ asset: isInBase ? base : quote, amount: fee, isEstimated: true }] : [];
}

/**
 * Adds the value in quote of a fill's fees in third assets: amount × mid. Without a mid, it is the fee rate × the
 * notional, marked as estimated and divided among the fill's assets. Rounded up.
 */
export function withFeeValues(
  fill: Fill,
  { mids, market }: { mids: ReadonlyMap<Pair, Decimal>; market: Market | undefined },
): Fill {
  const thirds = thirdAssets(fill.symbol, fill.fees);
  if (thirds.length === 0) return fill;
  const rate = market ? estimateRate(market) : ZERO;
  const estimate = mul(fill.notional, rate, "up") / BigInt(thirds.length);
  const valued = (fee: Fee): BookedFee => {
    if (!thirds.includes(fee.asset)) return fee;
    const mid = mids.get(pricePair(fee.asset, fill.symbol));
    return mid === undefined
      ? { ...fee, value: estimate, isEstimated: true }
      : { ...fee, value: mul(fee.amount, mid, "up") };
  };
  return { ...fill, fees: fill.fees.map(valued) };
}
