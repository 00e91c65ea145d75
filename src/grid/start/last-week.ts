import { type Decimal, div, min, ONE, snap, sum, text, wire, ZERO } from "../../kernel/decimal.ts";
import { pluralize } from "../../kernel/pluralize.ts";
import { DAY, type Millis } from "../../kernel/time.ts";
import type { Candle, Market } from "../../model/market.ts";
import type { Slot } from "../state/state.ts";
import { cycleNet } from "./cycle-net.ts";
import { type Begins, lossAt } from "./worst-case.ts";

/** The last week's candles with length `span`, or why there are none. */
export type LastWeek =
  | { readonly candles: readonly Candle[]; readonly span: Millis }
  | { readonly reason: string };

interface Crossings {
  /** Estimated number of fills at one of the levels. */
  readonly fills: number;
  /** Estimated number of complete cycles per slot. */
  readonly cycles: readonly number[];
}

/**
 * Counts how often prices crossed the levels of slots. Each slot begins with a buy, after the price was above its
 * lower price. A price must pass a level to count; within a candle, the extreme nearer to its open comes first.
 */
export function crossingsOf(
  slots: readonly Pick<Slot, "lower" | "upper">[],
  candles: readonly Candle[],
): Crossings {
  const prices = candles.flatMap(cornersIn);
  let fills = 0;
  const cycles = slots.map(({ lower, upper }) => {
    let [isArmed, holds, count] = [false, false, 0];
    for (const price of prices) {
      if (holds ? price > upper : isArmed && price < lower) {
        fills++;
        if (holds) count++;
        holds = !holds;
      }
      if (price > lower) isArmed = true;
    }
    return count;
  });
  return { fills, cycles };
}

const cornersIn = ({ open, high, low, close }: Candle): Decimal[] =>
  high - open < open - low ? [open, high, low, close] : [open, low, high, close];

/** Estimates the profit if the next weeks repeat the last one, and after which time it covers a price fall. */
export function lastWeekOut(begins: Begins, week: LastWeek) {
  if ("reason" in week) return unknownWeek(week.reason);
  const { candles, span } = week;
  const { state, market } = begins;
  const { fills, cycles } = crossingsOf(state.slots, candles);
  const earned = sum(state.slots.map((slot, at) => BigInt(cycles[at] ?? 0) * cycleNet(slot, market)));
  const days = div(BigInt(candles.length * span) * ONE, BigInt(DAY) * ONE, "half");
  const perDay = div(earned, days, "down");
  const fall = fallOf(begins);
  const breakEven = perDay > ZERO ? snap(div(fall.loss, perDay, "up"), ONE / 10n, "up") : undefined;
  const figures = { fills, cycles: cycles.reduce((total, one) => total + one, 0), perDay, days };
  return {
    days: wire(snap(days, ONE / 10n, "half")),
    crossings: figures.fills,
    cycles: figures.cycles,
    profitPerDay: wire(perDay),
    breakEvenDays: breakEven === undefined ? null : wire(breakEven),
    message: describeWeek({ ...figures, breakEven, fall }, market),
  };
}

const unknownWeek = (reason: string) => ({
  days: null,
  crossings: null,
  cycles: null,
  profitPerDay: null,
  breakEvenDays: null,
  message: `unknown, because the last week's prices are unavailable: ${reason}`,
});

interface Fall {
  readonly price: Decimal;
  readonly loss: Decimal;
}

/** Returns the fall to the stop price that sells, or to the lowest level. */
function fallOf(begins: Begins): Fall {
  const { config, state } = begins;
  const { centered: _, ...range } = config;
  const { stopLossPrice } = config;
  const lowest = state.slots.reduce((least, { lower }) => min(least, lower), config.upperPrice);
  const price = stopLossPrice ?? lowest;
  return { price, loss: lossAt(price, { ...begins, config: range }, stopLossPrice !== undefined) };
}

interface WeekFigures {
  readonly fills: number;
  readonly cycles: number;
  readonly perDay: Decimal;
  readonly days: Decimal;
  readonly breakEven: Decimal | undefined;
  readonly fall: Fall;
}

function describeWeek(
  { fills, cycles, perDay, days, breakEven, fall }: WeekFigures,
  { quote }: Market,
): string {
  const past = `if the price crosses its levels as in the last ${pluralize(text(snap(days, ONE / 10n, "half")), "day")} (${pluralize(fills, "time")}, ${pluralize(cycles, "cycle")})`;
  if (breakEven === undefined) return `${past}, it earns nothing and recovers no loss`;
  const cents = (value: Decimal) => text(snap(value, ONE / 100n, "half"));
  return `${past}, it earns ${cents(perDay)} ${quote} a day after fees and recovers the loss of a fall to ${text(fall.price)} in ${pluralize(text(breakEven), "day")}`;
}
