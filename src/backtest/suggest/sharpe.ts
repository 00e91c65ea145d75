import { normalCdf, normalInverse } from "./normal.ts";

/** Moments of a series of returns: Sharpe ratio per observation, not per year; a normal distribution has kurtosis 3. */
export interface Moments {
  readonly observations: number;
  readonly sharpe: number;
  readonly skewness: number;
  readonly kurtosis: number;
}

export function momentsOf(returns: ArrayLike<number>): Moments {
  const observations = returns.length;
  const values = Array.from(returns);
  const mean = values.reduce((sum, one) => sum + one, 0) / observations;
  const central = (power: number) =>
    values.reduce((sum, one) => sum + (one - mean) ** power, 0) / observations;
  const variance = central(2);
  if (!(variance > 0)) return { observations, sharpe: 0, skewness: 0, kurtosis: 3 };
  const sharpe = mean / Math.sqrt((variance * observations) / (observations - 1));
  return {
    observations,
    sharpe,
    skewness: central(3) / variance ** 1.5,
    kurtosis: central(4) / variance ** 2,
  };
}

const EULER_MASCHERONI = 0.5772156649015329;

/**
 * Returns the expected Sharpe ratio of the best of several trials without skill, from the variance of their Sharpe
 * ratios. Bailey and López de Prado, "The Deflated Sharpe Ratio" (2014), equation 1.
 */
export function expectedBest(trials: number, variance: number): number {
  if (trials < 2) return 0;
  const first = normalInverse(1 - 1 / trials);
  const second = normalInverse(1 - 1 / (trials * Math.E));
  return Math.sqrt(variance) * ((1 - EULER_MASCHERONI) * first + EULER_MASCHERONI * second);
}

/**
 * Returns the probability that the true Sharpe ratio exceeds a benchmark's, with fat tails and a short series:
 * equation 2 of the same paper. With `expectedBest` as the benchmark it is the deflated Sharpe ratio.
 */
export function probabilisticSharpe(
  { observations, sharpe, skewness, kurtosis }: Moments,
  benchmark: number,
): number {
  const spread = 1 - skewness * sharpe + ((kurtosis - 1) / 4) * sharpe ** 2;
  if (!(spread > 0)) return 0;
  return normalCdf(((sharpe - benchmark) * Math.sqrt(observations - 1)) / Math.sqrt(spread));
}
