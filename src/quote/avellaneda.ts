/**
 * Avellaneda and Stoikov, "High-frequency trading in a limit order book", Quantitative Finance 8 (2008) 217–224.
 * Statistics, in floats: an order's price is made from shares of the reference, which are bounded decimals.
 */
import { type Decimal, decimal, max, min, ZERO } from "../kernel/decimal.ts";

export interface AvellanedaModel {
  /** Risk aversion γ, per unit of quote; 0 is its limit. */
  readonly gamma: number;
  /** σ: the price's standard deviation per root of the unit of time, in quote. */
  readonly sigma: number;
  /** k: how fast the rate of fills falls with the distance, per unit of quote: λ(δ) = A·exp(−k·δ). */
  readonly k: number;
}

/** Equation 29: r = s − q·γ·σ²·(T − t), for an inventory of q. */
export const indifferencePrice = (
  { gamma, sigma }: AvellanedaModel,
  { mid, inventory, left }: { readonly mid: number; readonly inventory: number; readonly left: number },
): number => mid - inventory * gamma * sigma ** 2 * left;

/** Equation 30, both distances together: γ·σ²·(T − t) + (2/γ)·ln(1 + γ/k); at γ = 0 its limit 2/k. */
export const optimalSpread = ({ gamma, sigma, k }: AvellanedaModel, left: number): number =>
  gamma * sigma ** 2 * left + (gamma === 0 ? 2 / k : (2 / gamma) * Math.log1p(gamma / k));

/** Shares of the reference. */
export interface AvellanedaShares {
  /** By how much the reservation price lies above the reference; below it where it is negative. */
  readonly skew: Decimal;
  readonly halfSpread: Decimal;
}

/**
 * The model's quotes, never outside the bounds: the half-spread between `least` and `widest`, the skew at most `most`.
 * A model that gives no number quotes at the widest, without skew: it never stops.
 */
export function avellanedaShares(
  model: AvellanedaModel,
  at: { readonly mid: number; readonly inventory: number; readonly left: number },
  { least, widest, most }: { readonly least: Decimal; readonly widest: Decimal; readonly most: Decimal },
): AvellanedaShares {
  const half = optimalSpread(model, at.left) / 2 / at.mid;
  const skew = indifferencePrice(model, at) / at.mid - 1;
  if (!Number.isFinite(half) || !Number.isFinite(skew)) return { skew: ZERO, halfSpread: widest };
  return { skew: boundedShare(skew, -most, most), halfSpread: boundedShare(half, least, widest) };
}

/** No share of a price is larger before it is bounded: a Decimal is made of it. */
const LARGEST = 1e6;

const boundedShare = (value: number, least: Decimal, most: Decimal): Decimal =>
  max(least, min(most, decimal(Math.min(Math.max(value, -LARGEST), LARGEST).toFixed(18))));
