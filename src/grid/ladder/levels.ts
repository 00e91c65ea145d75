import { type Decimal, divideWhole, mul, ONE } from "../../kernel/decimal.ts";
import type { GridConfig } from "../state/config.ts";

export type LevelRange = Pick<
  GridConfig,
  "lowerPrice" | "upperPrice" | "gridLevels" | "gridSpacing" | "spacingModel" | "isSpaced"
>;

/**
 * Returns the i-th level of a range grid, rounded half-up once to whole ticks from its exact value: lower + i·(upper
 * − lower)/m, lower + i·spacing, or lower·(upper/lower)^(i/m). Levels below 0 and above m belong to a grid that has
 * moved.
 */
export function levelAt(range: LevelRange, i: number, tick: Decimal): Decimal {
  const { lowerPrice, upperPrice, gridLevels, gridSpacing, spacingModel, isSpaced } = range;
  if (spacingModel === "geometric") return geometricLevel({ lowerPrice, upperPrice, gridLevels }, i, tick);
  if (isSpaced) return divideWhole(lowerPrice + gridSpacing * BigInt(i), tick, "half") * tick;
  const exact = lowerPrice * BigInt(gridLevels) + (upperPrice - lowerPrice) * BigInt(i);
  return divideWhole(exact, tick * BigInt(gridLevels), "half") * tick;
}

/** Maximum error of a float's power, as a share: a few of its last digits. */
const NEAR = 1e-12;

/**
 * Returns the tick count t with (2t − 1)^m ≤ 2^m·L^(m−i)·U^i < (2t + 1)^m, compared in integers; with floats, a
 * rounding error could put a level on the wrong side of the market.
 */
function geometricLevel(
  { lowerPrice, upperPrice, gridLevels: m }: Pick<LevelRange, "lowerPrice" | "upperPrice" | "gridLevels">,
  i: number,
  tick: Decimal,
): Decimal {
  const power = (base: bigint, exponent: number) => base ** BigInt(Math.max(0, exponent));
  const right = 2n ** BigInt(m) * power(lowerPrice, m - i) * power(upperPrice, i);
  const factor = power(lowerPrice, i - m) * power(upperPrice, -i);
  const isAtMost = (ticks: bigint) => power((2n * ticks - 1n) * tick, m) * factor <= right;
  // A guess saves most of the large powers; where it is wrong, the search is wider and what it finds the same.
  // biome-ignore lint/plugin: a float guesses, whole numbers decide.
  const near = (Number(lowerPrice) / Number(tick)) * (Number(upperPrice) / Number(lowerPrice)) ** (i / m);
  const [below, above] = [BigInt(Math.floor(near * (1 - NEAR))), BigInt(Math.ceil(near * (1 + NEAR))) + 1n];
  let least = isAtMost(below) ? below : 0n;
  let most = least + (above > least ? above - least : 1n);
  while (isAtMost(most)) [least, most] = [most, most * 2n];
  while (most - least > 1n) {
    const middle = (least + most) / 2n;
    if (isAtMost(middle)) least = middle;
    else most = middle;
  }
  return least * tick;
}

/** Returns all initial levels of a range grid. */
export const levelsFrom = (range: LevelRange, tick: Decimal): Decimal[] =>
  numbers(range.gridLevels).map((i) => levelAt(range, i, tick));

/** Returns whether every level is above the one before; false if the tick is too coarse for the spacing. */
export const ascends = (levels: readonly Decimal[]): boolean =>
  levels.every((level, i) => i === 0 || level > (levels[i - 1] as Decimal));

interface Apart {
  readonly lower: Decimal;
  readonly upper: Decimal;
}

/** Returns the smallest ratio of a slot's upper price to its lower price, rounded down. */
export function leastRatio(slots: readonly Apart[]): Decimal {
  // Compared by products, because a division takes ten times as long, and every pass compares.
  const nearest = slots.reduce<Apart>(
    (least, slot) => (slot.upper * least.lower < least.upper * slot.lower ? slot : least),
    { lower: ONE, upper: 1_000_000n * ONE },
  );
  return divideWhole(nearest.upper * ONE, nearest.lower, "down");
}

/** Returns the slots between neighboring levels. */
export const slotsBetween = (levels: readonly Decimal[]): Apart[] =>
  levels.slice(1).map((upper, i) => ({ lower: levels[i] as Decimal, upper }));

/** Returns levels around a center, which is one of them; offsets are shares of the center price, nearest first. */
export function levelsAround(center: Decimal, offsets: readonly Decimal[], tick: Decimal): Decimal[] {
  const round = (price: Decimal) => divideWhole(price, tick, "half") * tick;
  const middle = round(center);
  const below = offsets.map((offset) => round(mul(middle, ONE - offset, "half"))).reverse();
  return [...below, middle, ...offsets.map((offset) => round(mul(middle, ONE + offset, "half")))];
}

const numbers = (slots: number): number[] => Array.from({ length: slots + 1 }, (_, i) => i);
