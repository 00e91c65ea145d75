import { type Decimal, wire } from "../kernel/decimal.ts";
import { shuffled } from "../kernel/random.ts";
import type { Market } from "../model/market.ts";
import { type LadderState, rungsOf } from "./jump.ts";
import type { ComparedGrid } from "./overfitting.ts";
import { RULES } from "./ticks.ts";

/** A grid relative to its start price; neighbors differ by one step in one dimension. */
export interface Candidate {
  readonly width: number;
  readonly slots: number;
  readonly shift: number;
  readonly spacing: "linear" | "geometric";
}

/** Half of the range as a share of its middle. */
const WIDTHS = [
  0.005, 0.0065, 0.008, 0.01, 0.0125, 0.015, 0.02, 0.025, 0.03, 0.035, 0.04, 0.05, 0.06, 0.07, 0.085, 0.1,
  0.125, 0.15, 0.2, 0.25, 0.3,
] as const;
const SLOT_COUNTS = [4, 6, 8, 10, 12, 15, 18, 22, 26, 32, 38, 46, 55, 66, 80, 100] as const;
/** Distance of the middle from the first price, in halves of the range. */
const SHIFTS = [-0.5, 0, 0.5] as const;
const SPACINGS = ["linear", "geometric"] as const;

/** Number of all candidates. */
export const MAX_CANDIDATES = WIDTHS.length * SLOT_COUNTS.length * SHIFTS.length * SPACINGS.length;

/** Positions of a candidate in the lists above. */
export type Places = readonly [width: number, slots: number, shift: number, spacing: number];

export const keyOf = (places: Places): string => places.join(" ");

export const candidateAt = ([width, slots, shift, spacing]: Places): Candidate => ({
  width: WIDTHS[width] as number,
  slots: SLOT_COUNTS[slots] as number,
  shift: SHIFTS[shift] as number,
  spacing: SPACINGS[spacing] as "linear" | "geometric",
});

/** Returns all candidates in an order from the seed, so that any first part is a fair sample. */
export function candidatesOf(seed: number): Places[] {
  const all = WIDTHS.flatMap((_w, width) =>
    SLOT_COUNTS.flatMap((_s, slots) =>
      SHIFTS.flatMap((_h, shift) => SPACINGS.map((_p, spacing): Places => [width, slots, shift, spacing])),
    ),
  );
  return shuffled(all, seed);
}

/** Returns candidates that differ by one step of width, number of slots or shift. */
export const neighboursOf = ([width, slots, shift, spacing]: Places): Places[] => [
  [width - 1, slots, shift, spacing],
  [width + 1, slots, shift, spacing],
  [width, slots - 1, shift, spacing],
  [width, slots + 1, shift, spacing],
  [width, slots, shift - 1, spacing],
  [width, slots, shift + 1, spacing],
];

/** Market rules for building a grid, as floats. */
export interface Terms {
  readonly market: Market;
  readonly budget: number;
  /** Of the bars' prices; the market's tick by default. */
  readonly step?: Decimal;
}

const floatOf = (value: Decimal): number => wire(value);

/** Returns a candidate's bounds at a price, in quote. */
export const candidateBounds = (
  { width, shift }: Candidate,
  price: number,
): { lower: number; upper: number } => {
  const middle = price * (1 + shift * width);
  return { lower: middle * (1 - width), upper: middle * (1 + width) };
};

/** Returns the grid at a price in steps. Undefined if a start would refuse it: below break-even or a minimum. */
export function gridAt(
  candidate: Candidate,
  steps: number,
  { market, budget, step = market.tick }: Terms,
): ComparedGrid | undefined {
  const { slots } = candidate;
  const unit = floatOf(market.tick);
  const levels = ticksOfLevels(candidate, steps * floatOf(step), unit);
  const [lot, fee] = [floatOf(market.lot), floatOf(market.maker)];
  const size = budget / slots / (1 + fee);
  const isInBase = market.buyFeeIn !== "quote";
  const column = () => new Float64Array(slots);
  const [base, cost, proceeds] = [column(), column(), column()];
  const least = 1 / (1 - fee) ** 2;
  for (let slot = 0; slot < slots; slot++) {
    const [buy, sell] = [(levels[slot] as number) * unit, (levels[slot + 1] as number) * unit];
    if (!(buy > 0) || sell / buy <= least) return undefined;
    const bought = Math.floor(size / buy / lot + 1e-9) * lot;
    const net = isInBase ? Math.floor((bought * (1 - fee)) / lot + 1e-9) * lot : bought;
    if (!(net > 0) || net < floatOf(market.minAmount) || net * buy < floatOf(market.minNotional))
      return undefined;
    base[slot] = net;
    cost[slot] = bought * buy * (isInBase ? 1 : 1 + fee);
    proceeds[slot] = net * sell * (1 - fee);
  }
  const prices = levels.map((level) => BigInt(level) * market.tick);
  return { rungs: rungsAt(prices, BigInt(steps) * step, step), base, cost, proceeds };
}

/** Returns initial states: slots below the price wait to buy, those above it wait for the price. */
function rungsAt(levels: readonly Decimal[], price: Decimal, step: Decimal): LadderState {
  const slots = levels.slice(1).map((upper, index) => ({ lower: levels[index] as Decimal, upper }));
  const armed = slots.filter(({ lower }) => lower < price).length;
  return { ...rungsOf(slots, step, RULES), buying: armed, armed };
}

/** Returns the levels in whole ticks. */
function ticksOfLevels(candidate: Candidate, price: number, tick: number): number[] {
  const { lower, upper } = candidateBounds(candidate, price);
  const { slots, spacing } = candidate;
  return Array.from({ length: slots + 1 }, (_, index) => {
    const share = index / slots;
    const exact = spacing === "linear" ? lower + (upper - lower) * share : lower * (upper / lower) ** share;
    return Math.round(exact / tick);
  });
}
