import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { text } from "../../src/kernel/decimal.ts";
import { avellanedaShares, indifferencePrice, optimalSpread } from "../../src/quote/plan.ts";
import { d } from "../support/grid.ts";
import { most } from "../support/whole.ts";

const [START, SIGMA, END, STEP, RATE, K] = [100, 2, 1, 0.005, 140, 1.5];
const STEPS = END / STEP;

/**
 * Tables 1 to 3 of the published paper: s = 100, σ = 2, T = 1, dt = 0.005, A = 140, k = 1.5, 1,000 paths. A mean of
 * theirs has the standard error sd/√1000.
 */
describe("Avellaneda and Stoikov's tables", () => {
  it.each([
    { gamma: 0.1, inventory: [65.0, 6.6], symmetric: [68.4, 12.7] },
    { gamma: 0.01, inventory: [68.6, 8.7], symmetric: [68.8, 12.8] },
    { gamma: 1, inventory: [31.4, 5.0], symmetric: [44.0, 11.0] },
  ] as const)("for γ = $gamma", ({ gamma, ...published }) => {
    const found = simulate(gamma, most(20_000, 2000));
    for (const strategy of ["inventory", "symmetric"] as const) {
      const [profit, deviation] = published[strategy];
      expect(Math.abs(found[strategy].mean - profit)).toBeLessThan((4 * deviation) / Math.sqrt(1000));
      expect(Math.abs(found[strategy].deviation / deviation - 1)).toBeLessThan(0.1);
    }
  });
});

describe("the model's formulas", () => {
  const model = { gamma: 0.1, sigma: 2, k: 1.5 };

  it("shift the reservation price by q·γ·σ²·(T − t)", () => {
    expect(indifferencePrice(model, { mid: 100, inventory: 3, left: 0.5 })).toBeCloseTo(99.4, 12);
    expect(indifferencePrice(model, { mid: 100, inventory: -3, left: 1 })).toBeCloseTo(101.2, 12);
  });

  it("tend to 2/k without risk aversion", () => {
    expect(optimalSpread({ ...model, gamma: 0 }, 1)).toBeCloseTo(4 / 3, 12);
    expect(optimalSpread({ ...model, gamma: 1e-12 }, 1)).toBeCloseTo(4 / 3, 9);
    expect(optimalSpread(model, 1)).toBeCloseTo(0.4 + 20 * Math.log(1 + 1 / 15), 12);
  });
});

describe("quotes from the model", () => {
  const bounds = { least: d("0.002"), widest: d("0.05"), most: d("0.03") };

  it("stay within bounds for any model parameters", () => {
    const any = fc.oneof(
      fc.double(),
      fc.constantFrom(0, Number.NaN, Number.POSITIVE_INFINITY, -1, 1e308, 5e-324),
    );
    fc.assert(
      fc.property(any, any, any, any, any, any, (gamma, sigma, k, mid, inventory, left) => {
        const { skew, halfSpread } = avellanedaShares({ gamma, sigma, k }, { mid, inventory, left }, bounds);
        expect(halfSpread >= d("0.002") && halfSpread <= d("0.05")).toBe(true);
        expect(skew >= d("-0.03") && skew <= d("0.03")).toBe(true);
      }),
      { numRuns: 5000 },
    );
  });

  it("follow the model within the bounds", () => {
    const { skew, halfSpread } = avellanedaShares(
      { gamma: 0.1, sigma: 2, k: 1.5 },
      { mid: 100, inventory: 2, left: 0.5 },
      bounds,
    );
    expect(text(skew).slice(0, 7)).toBe("-0.0040");
    expect(text(halfSpread).slice(0, 8)).toBe("0.007453");
  });
});

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

/** The paper's section 3.3: the price moves by ±σ√dt; an order at a distance of δ is filled with A·exp(−k·δ)·dt. */
function simulate(gamma: number, paths: number): { inventory: Outcome; symmetric: Outcome } {
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
