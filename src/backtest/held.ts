import { heldInAll } from "../grid/ledger/booking.ts";
import type { GridStrategy } from "../grid/state/state.ts";
import type { Decimal } from "../kernel/decimal.ts";

/** What a strategy holds from a bar on, as floats: for what is drawn and measured, never for what is booked. */
export interface HeldRow extends OuterLevels {
  /** Quote moved since the start, less what its first base was worth. */
  readonly cash: number;
  readonly base: number;
}

/** Its outermost levels from a bar on. */
interface OuterLevels {
  readonly bar: number;
  readonly low: number;
  readonly high: number;
}

/** What it has held, in columns: a row for each bar in which that changed. */
export interface Held {
  readonly bars: Int32Array;
  readonly cash: Float64Array;
  readonly base: Float64Array;
  /** In ticks, between which all its bars closed, as far as that is known. */
  readonly least: Float64Array;
  readonly most: Float64Array;
  readonly ranges: readonly OuterLevels[];
}

/** Quote, with what was invested. */
export const cashAt = ({ cash }: Held, place: number, invested: number): number =>
  invested + (cash[place] as number);

/** A sum of floats may end a hair below nothing. */
export const baseAt = ({ base }: Held, place: number): number => Math.max(0, base[place] as number);

/** Above every price in ticks. */
export const UNKNOWN = Number.MAX_SAFE_INTEGER;

export const floatUnits = (value: Decimal): number => Number(value) / 1e18;

export function heldFrom(bar: number, { state }: GridStrategy): HeldRow {
  const { ledger, slots } = state;
  return {
    bar,
    cash: floatUnits(ledger.quote - ledger.firstCost - ledger.feesValue),
    base: floatUnits(heldInAll(state)),
    low: slots.reduce((least, { lower }) => Math.min(least, floatUnits(lower)), Infinity),
    high: slots.reduce((most, { upper }) => Math.max(most, floatUnits(upper)), 0),
  };
}

/** Of several rows of one bar the last counts, which is what is held at its close; room is left for so many more. */
export function heldOf(rows: readonly HeldRow[], room = 0): Held {
  const last = rows.filter(({ bar }, place) => rows[place + 1]?.bar !== bar);
  const length = last.length + room;
  const held: Held = {
    bars: new Int32Array(length),
    cash: new Float64Array(length),
    base: new Float64Array(length),
    least: new Float64Array(length),
    most: new Float64Array(length).fill(UNKNOWN, 0, last.length),
    ranges: last.filter(({ low, high }, i) => low !== last[i - 1]?.low || high !== last[i - 1]?.high),
  };
  for (const [place, { bar, cash, base }] of last.entries()) {
    held.bars[place] = bar;
    held.cash[place] = cash;
    held.base[place] = base;
  }
  return held;
}
