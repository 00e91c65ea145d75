import { heldInAll } from "../grid/ledger/booking.ts";
import type { GridStrategy } from "../grid/state/state.ts";
import type { Decimal } from "../kernel/decimal.ts";

/** What a strategy holds from a bar on, as floats: for what is drawn and measured, never for what is booked. */
export interface Held {
  readonly bar: number;
  /** Quote moved since the start, less what its first base was worth. */
  readonly cash: number;
  readonly base: number;
  /** Its outermost levels. */
  readonly low: number;
  readonly high: number;
}

export const float = (value: Decimal): number => Number(value) / 1e18;

export function heldOf(bar: number, { state }: GridStrategy): Held {
  const { ledger, slots } = state;
  return {
    bar,
    cash: float(ledger.quote - ledger.firstCost - ledger.feesValue),
    base: float(heldInAll(state)),
    low: slots.reduce((least, { lower }) => Math.min(least, float(lower)), Infinity),
    high: slots.reduce((most, { upper }) => Math.max(most, float(upper)), 0),
  };
}
