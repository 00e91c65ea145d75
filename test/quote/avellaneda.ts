import { indifferencePrice, optimalSpread } from "../../src/quote/plan.ts";

/** Marsaglia's xorshift128, in [0, 1): cheap enough for seventy million draws. */
function chance(seed: number): () => number {
  let [a, b, c, d] = [seed | 1, 0x9e3779b9, 0x243f6a88, 0xb7e15162];
  return () => {
    const t = a ^ (a << 11);
    [a, b, c] = [b, c, d];
    d = d ^ (d >>> 19) ^ t ^ (t >>> 8);
    return (d >>> 0) / 0x100000000;
  };
}

interface Outcome {
  readonly mean: number;
  readonly deviation: number;
}

const [START, SIGMA, END, STEP, RATE, K] = [100, 2, 1, 0.005, 140, 1.5];
const STEPS = END / STEP;

/** The paper's section 3.3: the price moves by ±σ√dt; an order at a distance of δ is filled with A·exp(−k·δ)·dt. */
export function simulate(gamma: number, paths: number): { inventory: Outcome; symmetric: Outcome } {
  const model = { gamma, sigma: SIGMA, k: K };
  const random = chance(20080401);
  const spreads = Array.from({ length: STEPS }, (_, step) => optimalSpread(model, END - step * STEP));
  const average = spreads.reduce((sum, one) => sum + one, 0) / STEPS;
  const run = (isSymmetric: boolean): Outcome => {
    let [sum, squares] = [0, 0];
    for (let path = 0; path < paths; path++) {
      const profit = walk(isSymmetric);
      sum += profit;
      squares += profit * profit;
    }
    const mean = sum / paths;
    return { mean, deviation: Math.sqrt(squares / paths - mean * mean) };
  };
  const walk = (isSymmetric: boolean): number => {
    let [mid, inventory, cash] = [START, 0, 0];
    for (let step = 0; step < STEPS; step++) {
      const center = isSymmetric
        ? mid
        : indifferencePrice(model, { mid, inventory, left: END - step * STEP });
      const half = (isSymmetric ? average : (spreads[step] as number)) / 2;
      const [bid, ask] = [center - half, center + half];
      const bought = random() < RATE * Math.exp(-K * (mid - bid)) * STEP;
      const sold = random() < RATE * Math.exp(-K * (ask - mid)) * STEP;
      if (bought) [inventory, cash] = [inventory + 1, cash - bid];
      if (sold) [inventory, cash] = [inventory - 1, cash + ask];
      mid += random() < 0.5 ? SIGMA * Math.sqrt(STEP) : -SIGMA * Math.sqrt(STEP);
    }
    return cash + inventory * mid;
  };
  return { inventory: run(false), symmetric: run(true) };
}
