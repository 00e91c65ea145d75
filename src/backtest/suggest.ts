import type { Candles } from "../candles/candles.ts";
import { AppError } from "../kernel/errors.ts";
import { countWithVerb, pluralize } from "../kernel/plain-text.ts";
import { DAY } from "../kernel/time.ts";
import {
  type Candidate,
  candidateAt,
  candidateBounds,
  candidatesOf,
  gridAt,
  keyOf,
  neighboursOf,
  type Places,
  type Terms,
} from "./candidates.ts";
import { type Gains, gainsOf, overfittingOf, type Window } from "./overfitting.ts";
import { finish } from "./run/begin.ts";
import { openAt, type Ticks, ticksOf } from "./ticks.ts";

export interface SuggestOptions extends Terms {
  readonly windows: number;
  /** Maximum number of candidates. */
  readonly candidates: number;
  readonly seed: number;
  /** Called before each candidate; true ends the search with a partial result. */
  readonly isOver?: (() => boolean) | undefined;
}

/** One candidate over the windows before the last, and over the last one, which is not used for the choice. */
export interface TestedCandidate {
  readonly candidate: Candidate;
  /** Bounds at the newest price. */
  readonly bounds: { readonly lower: number; readonly upper: number };
  /** Returns as shares of the budget, by window; their mean and the worst. */
  readonly returns: readonly number[];
  readonly meanReturn: number;
  readonly worstReturn: number;
  /** Annualized. */
  readonly sharpe: number;
  /** Mean Sharpe ratio of its neighbors ÷ its own; 1 is a plateau, below one half it is a peak. */
  readonly plateau: number;
  /** Probability that its true Sharpe ratio exceeds the best of as many random trials. */
  readonly deflatedSharpe: number;
  readonly last: { readonly return: number; readonly cycles: number };
}

export interface Suggestion {
  readonly winner: TestedCandidate | null;
  /** Why there is no winner; empty if there is one. */
  readonly reasons: readonly string[];
  /** The best candidates before the last window, best first. */
  readonly best: readonly TestedCandidate[];
  readonly overfitting: number;
  readonly looked: number;
  readonly refused: number;
  /** Whether all candidates were evaluated; the same seed then gives the same result. */
  readonly isComplete: boolean;
  readonly windows: readonly { readonly from: number; readonly until: number }[];
}

/** Number of parts in which a window's gains are measured. */
const PARTS = 48;
const MIN_BARS = 20 * PARTS;
const [MAX_OVERFITTING, MIN_DEFLATED_SHARPE, MIN_CYCLES, MIN_PLATEAU, SHOWN] = [
  0.5, 0.95, 30, 0.5, 5,
] as const;

interface Trial {
  readonly places: Places;
  readonly windows: readonly Gains[];
  /** Returns of all windows except the last, in order, as shares of the budget. */
  readonly returns: Float64Array;
  readonly sharpe: number;
}

/** Returns the minimum number of bars for the windows. */
export const leastBars = (windows: number): number => windows * MIN_BARS;

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, one) => sum + one, 0) / values.length;

const EULER_MASCHERONI = 0.5772156649015329;

const horner = (coefficients: readonly number[], x: number): number =>
  coefficients.reduce((sum, one) => sum * x + one, 0);

const HART_ABOVE = [
  0.0352624965998911, 0.700383064443688, 6.37396220353165, 33.912866078383, 112.079291497871,
  221.213596169931, 220.206867912376,
];
const HART_BELOW = [
  0.0883883476483184, 1.75566716318264, 16.064177579207, 86.7807322029461, 296.564248779674, 637.333633378831,
  793.826512519948, 440.413735824752,
];

const ratio = (x: number): number => horner(HART_ABOVE, x) / horner(HART_BELOW, x);
const fraction = (x: number): number =>
  1 / (x + 1 / (x + 2 / (x + 3 / (x + 4 / (x + 0.65))))) / 2.506628274631;

const TAIL = 0.02425;
const [A, B, C, D] = [
  [
    -39.69683028665376, 220.9460984245205, -275.9285104469687, 138.357751867269, -30.66479806614716,
    2.506628277459239,
  ],
  [-54.47609879822406, 161.5858368580409, -155.6989798598866, 66.80131188771972, -13.28068155288572, 1],
  [
    -0.007784894002430293, -0.3223964580411365, -2.400758277161838, -2.549732539343734, 4.374664141464968,
    2.938163982698783,
  ],
  [0.007784695709041462, 0.3224671290700398, 2.445134137142996, 3.754408661907416, 1],
] as const;

/**
 * Searches grid settings for a pair and a budget. Each candidate starts again in each window; the last window is not
 * used for the choice. It names a winner only if luck is unlikely to explain it: see docs/suggest.md. Throws AppError
 * for too few bars.
 */
export const suggest = (candles: Candles, options: SuggestOptions): Suggestion =>
  finish(searching(candles, options));

/** Does the same candidate by candidate, and yields the completed share, so the caller can do other work in between. */
export function* searching(candles: Candles, options: SuggestOptions): Generator<number, Suggestion> {
  const windows = testWindows(candles, options.windows);
  const bars = ticksOf(candles, options.market.tick);
  const chosen = candidatesOf(options.seed).slice(0, options.candidates);
  const trials: Trial[] = [];
  let done = 0;
  for (const places of chosen) {
    if (options.isOver?.()) break;
    const trial = tried(places, { bars, windows }, options);
    if (trial) trials.push(trial);
    done++;
    yield done / chosen.length;
  }
  if (trials.length < 2)
    throw new AppError(
      "Invalid request",
      `${done - trials.length} of ${pluralize(done, "grid")} ${done - trials.length === 1 ? "is" : "are"} below break-even or below the market's minimums; use a larger budget, or a market with lower fees`,
    );
  return judged(trials, { candles, windows, options, done, isComplete: done === chosen.length });
}

function testWindows(candles: Candles, count: number): Window[] {
  const { times } = candles;
  if (times.length < leastBars(count))
    throw new AppError(
      "Invalid request",
      `${countWithVerb(times.length, "candle")} too few for ${pluralize(count, "window")}: at least ${leastBars(count)} are needed; start earlier, use fewer windows, or download candles first (edgemaker candles download)`,
    );
  const at = (index: number): number => Math.floor((index * times.length) / count);
  return Array.from({ length: count }, (_, index) => ({ from: at(index), until: at(index + 1) }));
}

interface Past {
  readonly bars: Ticks;
  readonly windows: readonly Window[];
}

function tried(places: Places, { bars, windows }: Past, terms: Terms): Trial | undefined {
  const candidate = candidateAt(places);
  const found: Gains[] = [];
  for (const window of windows) {
    const grid = gridAt(candidate, openAt(bars, window.from), { ...terms, step: bars.step });
    if (!grid) return undefined;
    found.push(gainsOf(grid, bars, window, PARTS));
  }
  const chosenBy = found.slice(0, -1);
  const returns = new Float64Array(chosenBy.length * PARTS);
  for (const [index, { parts }] of chosenBy.entries())
    returns.set(
      parts.map((gain) => gain / terms.budget),
      index * PARTS,
    );
  return { places, windows: found, returns, sharpe: momentsOf(returns).sharpe };
}

interface Search {
  readonly candles: Candles;
  readonly windows: readonly Window[];
  readonly options: SuggestOptions;
  readonly done: number;
  readonly isComplete: boolean;
}

function judged(trials: readonly Trial[], search: Search): Suggestion {
  const { candles, windows, done, isComplete } = search;
  const overfitting = overfittingOf(trials.map(({ returns }) => returns)).probability;
  const luck = expectedBest(trials.length, varianceOf(trials.map(({ sharpe }) => sharpe)));
  const bySharpe = new Map(trials.map(({ places, sharpe }) => [keyOf(places), sharpe]));
  const ranked = [...trials].sort(
    (a, b) => b.sharpe - a.sharpe || (keyOf(a.places) < keyOf(b.places) ? -1 : 1),
  );
  const best = ranked.slice(0, SHOWN).map((trial) => lookedAt(trial, { search, luck, bySharpe }));
  const [first] = best as [TestedCandidate, ...TestedCandidate[]];
  const reasons = suggestionDoubts(first, overfitting);
  return {
    winner: reasons.length === 0 ? first : null,
    reasons,
    best,
    overfitting,
    looked: trials.length,
    refused: done - trials.length,
    isComplete,
    windows: windows.map(({ from, until }) => ({
      from: candles.times[from] as number,
      until: (candles.times[until - 1] as number) + candles.spanMillis,
    })),
  };
}

function lookedAt(
  { places, windows, returns, sharpe }: Trial,
  { search, luck, bySharpe }: { search: Search; luck: number; bySharpe: ReadonlyMap<string, number> },
): TestedCandidate {
  const { candles, options } = search;
  const candidate = candidateAt(places);
  const near = neighboursOf(places).flatMap((places) => bySharpe.get(keyOf(places)) ?? []);
  const byWindow = windows.slice(0, -1).map(({ total }) => total / options.budget);
  const [last, newest] = [windows.at(-1) as Gains, candles.close.at(-1) as number];
  const { from, until } = search.windows[0] as Window;
  const partMillis = ((until - from) * candles.spanMillis) / PARTS;
  return {
    candidate,
    bounds: candidateBounds(candidate, newest * 10 ** -candles.scale),
    returns: byWindow,
    meanReturn: meanOf(byWindow),
    worstReturn: Math.min(...byWindow),
    sharpe: sharpe * Math.sqrt((365 * DAY) / partMillis),
    plateau: near.length > 0 && sharpe > 0 ? meanOf(near) / sharpe : 0,
    deflatedSharpe: probabilisticSharpe(momentsOf(returns), luck),
    last: { return: last.total / options.budget, cycles: last.cycles },
  };
}

function suggestionDoubts({ deflatedSharpe, plateau, last }: TestedCandidate, overfitting: number): string[] {
  const percent = (share: number) => `${Math.round(share * 1000) / 10} %`;
  return [
    overfitting > MAX_OVERFITTING
      ? `the probability of overfitting is ${percent(overfitting)}: the best grid in one half of the time was no better than the median in the other half`
      : "",
    deflatedSharpe < MIN_DEFLATED_SHARPE
      ? `luck among so many trials can explain the best one: its deflated Sharpe ratio is ${percent(deflatedSharpe)}, below ${percent(MIN_DEFLATED_SHARPE)}`
      : "",
    plateau < MIN_PLATEAU ? "its neighbors do much worse; it is a peak, not a plateau" : "",
    last.cycles < MIN_CYCLES
      ? `${pluralize(last.cycles, "cycle")} in the last window, which was not used to choose, ${last.cycles === 1 ? "is" : "are"} too few; at least ${MIN_CYCLES} are needed`
      : "",
    last.return <= 0
      ? `it ${last.return < 0 ? `loses ${percent(-last.return)}` : "earns nothing"} in the last window, which was not used to choose`
      : "",
  ].filter((reason) => reason !== "");
}

function varianceOf(values: readonly number[]): number {
  const mean = meanOf(values);
  return values.reduce((sum, one) => sum + (one - mean) ** 2, 0) / Math.max(1, values.length - 1);
}

/** Moments of a series of returns: Sharpe ratio per observation, not per year; a normal distribution has kurtosis 3. */
interface Moments {
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

/**
 * Returns the standard normal distribution. Hart (1968) as in West, "Better approximations to cumulative normal
 * functions" (2005): 15 digits.
 */
export function normalCdf(x: number): number {
  const size = Math.abs(x);
  const tail =
    size > 37 ? 0 : Math.exp((-size * size) / 2) * (size < 7.07106781186547 ? ratio(size) : fraction(size));
  return x > 0 ? 1 - tail : tail;
}

/**
 * Returns the inverse of the normal distribution for shares between 0 and 1: Acklam's rational approximation with one
 * step of Halley's method, 15 digits.
 */
export function normalInverse(share: number): number {
  if (!(share > 0 && share < 1)) throw new RangeError("a share lies between 0 and 1");
  const guess = acklam(share);
  const error = (normalCdf(guess) - share) * Math.sqrt(2 * Math.PI) * Math.exp((guess * guess) / 2);
  return guess - error / (1 + (guess * error) / 2);
}

function acklam(share: number): number {
  if (share > 1 - TAIL) return -acklam(1 - share);
  if (share < TAIL) {
    const q = Math.sqrt(-2 * Math.log(share));
    return horner(C, q) / horner(D, q);
  }
  const q = share - 0.5;
  return (horner(A, q * q) * q) / horner(B, q * q);
}
