/**
 * Avellaneda and Stoikov, "High-frequency trading in a limit order book", Quantitative Finance 8 (2008) 217–224.
 * Statistics use floats: an order's price is computed from shares of the reference, which are bounded decimals.
 */
import { type Decimal, decimal, max, min, ZERO } from "../kernel/decimal.ts";

export interface AvellanedaModel {
  /** Risk aversion γ, per unit of quote; 0 gives its limit. */
  readonly gamma: number;
  /** σ: the price's standard deviation per square root of the time unit, in quote. */
  readonly sigma: number;
  /** k: how fast the rate of fills decreases with the distance, per unit of quote: λ(δ) = A·exp(−k·δ). */
  readonly k: number;
}

/** Equation 29: r = s − q·γ·σ²·(T − t), for an inventory of q. */
export const indifferencePrice = (
  { gamma, sigma }: AvellanedaModel,
  { mid, inventory, left }: { readonly mid: number; readonly inventory: number; readonly left: number },
): number => mid - inventory * gamma * sigma ** 2 * left;

/** Equation 30, the sum of both distances: γ·σ²·(T − t) + (2/γ)·ln(1 + γ/k); at γ = 0, its limit 2/k. */
export const optimalSpread = ({ gamma, sigma, k }: AvellanedaModel, left: number): number =>
  gamma * sigma ** 2 * left + (gamma === 0 ? 2 / k : (2 / gamma) * Math.log1p(gamma / k));

/** Spread and skew as shares of the reference price. */
export interface AvellanedaShares {
  /** Distance of the reservation price above the reference; negative below it. */
  readonly skew: Decimal;
  readonly halfSpread: Decimal;
}

/**
 * Returns the model's values within the bounds: the half-spread between `least` and `widest`, the skew at most
 * `most`. If the model gives no number, it returns the widest spread without skew.
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

/** Maximum share before bounding, so a Decimal can be made of it. */
const LARGEST = 1e6;

const boundedShare = (value: number, least: Decimal, most: Decimal): Decimal =>
  max(least, min(most, decimal(Math.min(Math.max(value, -LARGEST), LARGEST).toFixed(18))));
