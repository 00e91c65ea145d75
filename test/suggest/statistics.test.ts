import { describe, expect, it } from "vitest";
import { overfittingOf } from "../../src/backtest/overfitting.ts";
import {
  expectedBest,
  momentsOf,
  normalCdf,
  normalInverse,
  probabilisticSharpe,
} from "../../src/backtest/suggest.ts";
import { hashText, pseudorandomShare } from "../../src/kernel/hash.ts";

describe("the normal distribution", () => {
  // Tables of the distribution, to fifteen digits.
  it.each([
    [0, 0.5],
    [1, 0.841344746068543],
    [1.96, 0.97500210485178],
    [-3, 0.00134989803163009],
    [6, 0.999999999013412],
    [-5, 2.86651571879194e-7],
  ])("of %d is %d", (x, share) => {
    expect(normalCdf(x)).toBeCloseTo(share, 14);
  });

  it.each([
    [0.5, 0],
    [0.975, 1.95996398454005],
    [0.99, 2.32634787404084],
    [0.001, -3.09023230616781],
  ])("has a share of %d up to %d", (share, x) => {
    expect(normalInverse(share)).toBeCloseTo(x, 12);
  });
});

/** Bailey and López de Prado, "The Deflated Sharpe Ratio" (2014), "A numerical example". */
describe("the deflated Sharpe ratio of the paper's example", () => {
  const YEAR = 250;
  const variance = 1 / 2 / YEAR;
  const best = { observations: 1250, sharpe: 2.5 / Math.sqrt(YEAR), skewness: -3, kurtosis: 10 };

  it("expects a best Sharpe ratio of 0.1132 from 100 trials", () => {
    expect(expectedBest(100, variance)).toBeCloseTo(0.1132, 4);
  });

  it.each([
    ["after 100 trials", 100, best, 0.9004],
    ["after 46 trials", 46, best, 0.9505],
    ["of normal returns, after 88 trials", 88, { ...best, skewness: 0, kurtosis: 3 }, 0.9505],
  ])("matches the paper: %s", (_name, trials, moments, expected) => {
    expect(probabilisticSharpe(moments, expectedBest(trials, variance))).toBeCloseTo(expected, 3);
  });

  it("uses moments computed from a series", () => {
    const found = momentsOf([1, 2, 3, 4, 10]);
    expect(found.sharpe).toBeCloseTo(4 / Math.sqrt(12.5), 12);
    expect(found.skewness).toBeCloseTo(1.1384199576606167, 12);
    expect(found.kurtosis).toBeCloseTo(2.7880000000000003, 12);
    expect(momentsOf([1, 1, 1])).toEqual({ observations: 3, sharpe: 0, skewness: 0, kurtosis: 3 });
  });
});

/** What a study of 60 matrices of 1000 returns of 200 strategies has found: pbo.marketmaker.cc. */
const STUDY = { candidates: 200, rows: 1000, noise: 0.476, deviation: 0.137, planted: 0.001 } as const;

/** A real edge of 0.15 a return in each of the first twenty. */
const planted = (columns: readonly Float64Array[]): Float64Array[] =>
  columns.map((column, place) => (place < 20 ? column.map((one) => one + 0.15) : column));

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, one) => sum + one, 0) / values.length;

describe("the probability of backtest overfitting", () => {
  const MATRICES = 10;
  const mean = (change: (columns: Float64Array[]) => Float64Array[]) =>
    meanOf(
      Array.from(
        { length: MATRICES },
        (_, seed) => overfittingOf(change(noise(seed + 1, STUDY))).probability,
      ),
    );

  it("is about one half for noise, as published", () => {
    const found = mean((columns) => columns);
    expect(Math.abs(found - STUDY.noise)).toBeLessThan((3 * STUDY.deviation) / Math.sqrt(MATRICES));
  });

  it("is close to zero if there is an edge, as published", () => {
    expect(mean(planted)).toBeLessThan(0.01);
  });

  it("is 1 where the best of one half is always the worst of the other", () => {
    // Each candidate gains in its own block and loses it all in the one before.
    const columns = Array.from({ length: 16 }, (_, one) =>
      Array.from({ length: 16 }, (_row, row) => (row === one ? 1 : -1 / 15)),
    );
    expect(overfittingOf(columns)).toEqual({ probability: 1, probabilityOfLoss: 1, splits: 12_870 });
  });

  it("is 0 where one candidate is the best throughout", () => {
    const columns = [1, 2, 3].map((gain) => Array.from({ length: 32 }, (_, row) => gain + (row % 2)));
    expect(overfittingOf(columns)).toEqual({ probability: 0, probabilityOfLoss: 0, splits: 12_870 });
  });

  it("requires at least two candidates and sixteen returns", () => {
    expect(() => overfittingOf([[1, 2, 3]])).toThrow("too few");
    expect(() =>
      overfittingOf([Array.from({ length: 15 }, () => 1), Array.from({ length: 15 }, () => 2)]),
    ).toThrow("too few");
  });
});

/** Independent normal returns of mean 0 and deviation 1, the same for the same seed: Box and Muller's. */
function noise(seed: number, { candidates, rows }: { candidates: number; rows: number }): Float64Array[] {
  const hash = hashText(`noise ${seed}`);
  return Array.from({ length: candidates }, (_, candidate) => {
    const column = new Float64Array(rows);
    for (let row = 0; row < rows; row++) {
      const place = (candidate * rows + row) * 2;
      const radius = Math.sqrt(-2 * Math.log(1 - pseudorandomShare(hash, place)));
      column[row] = radius * Math.cos(2 * Math.PI * pseudorandomShare(hash, place + 1));
    }
    return column;
  });
}
