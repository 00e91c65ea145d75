import { gridPosition } from "../grid/booking.ts";
import type { GridStrategy } from "../grid/state/state.ts";
import type { Decimal } from "../kernel/decimal.ts";

/** Position of a strategy from a bar on, as floats: for charts and statistics, never for booking. */
export interface PositionRow extends OuterLevels {
  /** Change of quote since the start, minus the value of its first base. */
  readonly cash: number;
  readonly base: number;
}

/** Its outermost levels from a bar on. */
interface OuterLevels {
  readonly bar: number;
  readonly low: number;
  readonly high: number;
}

/** Its positions in columns: one row for each bar in which the position changed. */
export interface Positions {
  readonly bars: Int32Array;
  readonly cash: Float64Array;
  readonly base: Float64Array;
  /** Price bounds of all its closes in ticks, if known. */
  readonly least: Float64Array;
  readonly most: Float64Array;
  readonly ranges: readonly OuterLevels[];
}

/** Returns quote plus the invested amount. */
export const cashAt = ({ cash }: Positions, index: number, invested: number): number =>
  invested + (cash[index] as number);

/** Returns the base, at least zero, because a sum of floats can be slightly negative. */
export const baseAt = ({ base }: Positions, index: number): number => Math.max(0, base[index] as number);

/** Above every price in ticks. */
export const UNKNOWN = Number.MAX_SAFE_INTEGER;

export const floatUnits = (value: Decimal): number => Number(value) / 1e18;

export function positionFrom(bar: number, { state }: GridStrategy): PositionRow {
  const { ledger, slots } = state;
  return {
    bar,
    cash: floatUnits(ledger.quote - ledger.firstCost - ledger.feesValue),
    base: floatUnits(gridPosition(state)),
    low: slots.reduce((least, { lower }) => Math.min(least, floatUnits(lower)), Infinity),
    high: slots.reduce((most, { upper }) => Math.max(most, floatUnits(upper)), 0),
  };
}

/**
 * Builds the columns. Of several rows of one bar the last counts, because it is the position at the close; `room` is
 * space for more rows.
 */
export function positionsOf(rows: readonly PositionRow[], room = 0): Positions {
  const last = rows.filter(({ bar }, index) => rows[index + 1]?.bar !== bar);
  const length = last.length + room;
  const positions: Positions = {
    bars: new Int32Array(length),
    cash: new Float64Array(length),
    base: new Float64Array(length),
    least: new Float64Array(length),
    most: new Float64Array(length).fill(UNKNOWN, 0, last.length),
    ranges: last.filter(({ low, high }, i) => low !== last[i - 1]?.low || high !== last[i - 1]?.high),
  };
  for (const [index, { bar, cash, base }] of last.entries()) {
    positions.bars[index] = bar;
    positions.cash[index] = cash;
    positions.base[index] = base;
  }
  return positions;
}
