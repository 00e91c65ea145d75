import { wire } from "../kernel/decimal.ts";
import { type Jumps, jump, type LadderState } from "./jump.ts";
import { closeAt, RULES, type Ticks } from "./ticks.ts";

/** Number of blocks of time; all 12,870 combinations of half of them are evaluated. */
const BLOCKS = 16;
const HALF = BLOCKS / 2;

interface Overfitting {
  /** Share of the splits in which the best candidate of one half is at most the median in the other. */
  readonly probability: number;
  /** Share of the splits in which it loses money in the other half. */
  readonly probabilityOfLoss: number;
  readonly splits: number;
}

/**
 * Returns the probability of backtest overfitting by combinatorially symmetric cross-validation: Bailey, Borwein,
 * López de Prado and Zhu, "The Probability of Backtest Overfitting" (2015), section 3, with the Sharpe ratio. Each
 * column contains a candidate's returns over the same times, in order; the remainder after 16 equal blocks is
 * dropped. Without skill the probability is about one half, not one.
 */
export function overfittingOf(columns: readonly ArrayLike<number>[]): Overfitting {
  const size = Math.floor((columns[0]?.length ?? 0) / BLOCKS);
  if (size < 1 || columns.length < 2)
    throw new RangeError("there are too few returns or candidates to compare");
  const low = sumsOf(columns, size, 0);
  const high = sumsOf(columns, size, HALF);
  const whole = size * HALF;
  const inside = new Float64Array(columns.length);
  const outside = new Float64Array(columns.length);
  let [splits, worse, lost] = [0, 0, 0];
  for (let mask = 0; mask < 1 << BLOCKS; mask++) {
    if (bitsOf(mask) !== HALF) continue;
    scores(low, high, mask, whole, inside);
    scores(low, high, ~mask & 0xffff, whole, outside);
    const best = indexOfLargest(inside);
    splits++;
    // The logit of the relative rank is at most 0 if the rank is at most the median.
    if (relativeRank(outside, best) <= 0.5) worse++;
    if ((outside[best] as number) < 0) lost++;
  }
  return { probability: worse / splits, probabilityOfLoss: lost / splits, splits };
}

interface Sums {
  /** By subset of eight blocks, then by candidate. */
  readonly returns: Float64Array;
  readonly squares: Float64Array;
  readonly candidates: number;
}

/** Returns sums over every subset of eight blocks, so a split needs two additions. */
function sumsOf(columns: readonly ArrayLike<number>[], size: number, firstBlock: number): Sums {
  const candidates = columns.length;
  const returns = new Float64Array(candidates << HALF);
  const squares = new Float64Array(candidates << HALF);
  for (let subset = 1; subset < 1 << HALF; subset++) {
    const block = 31 - Math.clz32(subset);
    const rest = subset ^ (1 << block);
    for (let one = 0; one < candidates; one++) {
      const at = subset * candidates + one;
      if (rest !== 0) {
        returns[at] =
          (returns[rest * candidates + one] as number) + (returns[(1 << block) * candidates + one] as number);
        squares[at] =
          (squares[rest * candidates + one] as number) + (squares[(1 << block) * candidates + one] as number);
        continue;
      }
      const column = columns[one] as ArrayLike<number>;
      const from = (firstBlock + block) * size;
      for (let row = from; row < from + size; row++) {
        const value = column[row] as number;
        returns[at] = (returns[at] as number) + value;
        squares[at] = (squares[at] as number) + value * value;
      }
    }
  }
  return { returns, squares, candidates };
}

/** Returns the square of each candidate's Sharpe ratio with its sign: it ranks the same, without a root. */
function scores(low: Sums, high: Sums, mask: number, count: number, into: Float64Array): void {
  const [first, second] = [(mask & 0xff) * low.candidates, (mask >>> HALF) * low.candidates];
  for (let one = 0; one < low.candidates; one++) {
    const sum = (low.returns[first + one] as number) + (high.returns[second + one] as number);
    const squares = (low.squares[first + one] as number) + (high.squares[second + one] as number);
    const variance = squares - (sum * sum) / count;
    // A constant series has no deviation except the rounding of its sums.
    into[one] = (sum * Math.abs(sum)) / Math.max(variance, 1e-12 * squares, Number.MIN_VALUE);
  }
}

function bitsOf(mask: number): number {
  let bits = 0;
  for (let rest = mask; rest !== 0; rest &= rest - 1) bits++;
  return bits;
}

function indexOfLargest(values: Float64Array): number {
  let best = 0;
  for (let one = 1; one < values.length; one++)
    if ((values[one] as number) > (values[best] as number)) best = one;
  return best;
}

/** Returns the rank from the worst, 1 to N, divided by N + 1; equal scores share a rank. */
function relativeRank(values: Float64Array, which: number): number {
  const own = values[which] as number;
  let [below, same] = [0, 0];
  for (const value of values) {
    if (value < own) below++;
    else if (value === own) same++;
  }
  return (below + (same + 1) / 2) / (values.length + 1);
}

/** A grid for comparison with others: the prices of its orders, and the changes from a fill of each slot, as floats. */
export interface ComparedGrid {
  readonly rungs: LadderState;
  /** Base that a buy of each slot gets, after a fee in base. */
  readonly base: Float64Array;
  /** Quote that its buy costs and its sell returns, including fees. */
  readonly cost: Float64Array;
  readonly proceeds: Float64Array;
}

export interface Window {
  readonly from: number;
  readonly until: number;
}

export interface Gains {
  /** In quote, at closes that divide the time into equal parts. */
  readonly parts: Float64Array;
  readonly cycles: number;
  readonly total: number;
}

/**
 * Returns the profit of a grid that begins with quote only over some bars. Fills are those of a backtest; money is
 * counted in floats, to compare thousands of grids.
 */
export function gainsOf(grid: ComparedGrid, bars: Ticks, { from, until }: Window, parts: number): Gains {
  const jumps = jump(grid.rungs, bars, { extremes: RULES.extremes, from, until });
  const unit = wire(bars.step);
  const gains = new Float64Array(parts);
  let [fill, cash, position, before] = [0, 0, 0, 0];
  for (let part = 0; part < parts; part++) {
    const last = from + Math.ceil(((part + 1) * (until - from)) / parts) - 1;
    for (; fill < jumps.count && (jumps.bars[fill] as number) <= last; fill++) {
      const code = jumps.codes[fill] as number;
      const slot = code >> 3;
      const isSell = (code & 1) === 1;
      cash += isSell ? (grid.proceeds[slot] as number) : -(grid.cost[slot] as number);
      position += isSell ? -(grid.base[slot] as number) : (grid.base[slot] as number);
    }
    const equity = cash + position * closeAt(bars, last) * unit;
    gains[part] = equity - before;
    before = equity;
  }
  return { parts: gains, cycles: cyclesOf(jumps), total: before };
}

/** Counts cycles: each slot begins with a buy, so every second fill completes one. */
const cyclesOf = ({ counts }: Jumps): number => counts.reduce((sum, count) => sum + (count >> 1), 0);
