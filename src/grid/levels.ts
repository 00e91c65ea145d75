import { type Decimal, divideWhole, ONE } from "../kernel/decimal.ts";

export interface Bounds {
  readonly lower: Decimal;
  readonly upper: Decimal;
}

/**
 * The slots + 1 levels of a linear grid, p_i = lower + i·(upper − lower)/slots, each rounded
 * half-up once to whole ticks from its exact value.
 */
export const linearLevels = ({ lower, upper }: Bounds, slots: number, tick: Decimal): Decimal[] =>
  numbers(slots).map((i) => {
    const exact = lower * BigInt(slots) + (upper - lower) * BigInt(i);
    return divideWhole(exact, tick * BigInt(slots), "half") * tick;
  });

/** The slots + 1 levels at multiples of `spacing` above `lower`, rounded the same way. */
export const spacedLevels = (
  { lower, spacing }: { lower: Decimal; spacing: Decimal },
  slots: number,
  tick: Decimal,
): Decimal[] => numbers(slots).map((i) => divideWhole(lower + spacing * BigInt(i), tick, "half") * tick);

/** Whether every level is above the one before: false when the tick is too coarse for the spacing. */
export const ascends = (levels: readonly Decimal[]): boolean =>
  levels.every((level, i) => i === 0 || level > (levels[i - 1] as Decimal));

/** The least ratio of two neighbouring levels, rounded down. */
export const leastRatio = (levels: readonly Decimal[]): Decimal =>
  levels.slice(1).reduce((least, level, i) => {
    const ratio = divideWhole(level * ONE, levels[i] as Decimal, "down");
    return ratio < least ? ratio : least;
  }, 1_000_000n * ONE);

const numbers = (slots: number): number[] => Array.from({ length: slots + 1 }, (_, i) => i);
