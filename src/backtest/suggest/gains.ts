import { wire } from "../../kernel/decimal.ts";
import { type Jumps, jump, type Rungs } from "../fast/jump.ts";
import { RULES } from "../tape/rules.ts";
import { closeAt, type Ticks } from "../tape/ticks.ts";

/** A grid for comparison with others: the prices of its orders, and the changes from a fill of each slot, as floats. */
export interface ComparedGrid {
  readonly rungs: Rungs;
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
  const unit = wire(bars.tick);
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
