/** Cost to trade as responses show it: bounds of the average slippage of market orders. */
import { type Decimal, div, ONE, wire } from "../kernel/decimal.ts";
import { groupThousands } from "../kernel/thousands.ts";
import { type SlippageSums, TRADE_SIZES } from "../model/samples/slippage.ts";
import { NOT_KNOWN } from "./page-figures.ts";
import type { LiquidityAnswer } from "./schema.ts";
import type { LiquiditySpan } from "./span.ts";

export type TradeCost = LiquidityAnswer["costToTrade"][number];

/** Digits of a bound that is computed from three bands. */
const BOUND_DIGITS = 6;

function tradeCosts(day: string | null, { sides, sizes }: SlippageSums): TradeCost[] {
  return TRADE_SIZES.map((size, index) => {
    const { least = 0n, most = 0n, ended = 0 } = sizes[index] ?? {};
    const percent = (sum: Decimal) =>
      Number(wire(div(100n * sum, size * BigInt(sides), "half")).toPrecision(BOUND_DIGITS));
    const isKnown = sides > 0;
    return {
      ...{ day, amount: wire(size) },
      atLeastPercent: isKnown ? percent(least) : null,
      atMostPercent: isKnown && ended === 0 ? percent(most) : null,
      bookEndsPercent: isKnown ? Number(((100 * ended) / sides).toFixed(2)) : null,
    };
  });
}

/** Formats the whole period, then each day with samples if requested. */
export const tradeCostsOut = (
  { sums, days }: Pick<LiquiditySpan, "sums" | "days">,
  name: (day: number) => string,
  hasDays: boolean,
): TradeCost[] => [
  ...tradeCosts(null, sums.slippage),
  ...(hasDays ? days.filter(({ sums: { known } }) => known > 0) : []).flatMap((day) =>
    tradeCosts(name(day.day), day.sums.slippage),
  ),
];

export const TRADE_AMOUNTS = TRADE_SIZES.map((size) => groupThousands(String(size / ONE)));

/** Formats bounds, rounded outward. */
export function slippageText({ atLeastPercent, atMostPercent }: TradeCost): string {
  if (atLeastPercent === null) return NOT_KNOWN;
  const hundredths = (value: number) => Number((100 * value).toFixed(BOUND_DIGITS));
  const least = (Math.floor(hundredths(atLeastPercent)) / 100).toFixed(2);
  if (atMostPercent === null) return `at least ${least}\u00a0%`;
  return `${least} to ${(Math.ceil(hundredths(atMostPercent)) / 100).toFixed(2)}\u00a0%`;
}

/** Returns one row per day: the day, null for the whole period, and the text of each size. */
export function tradeCostRows(costs: readonly TradeCost[]): { day: string | null; texts: string[] }[] {
  const days = [...new Set(costs.map(({ day }) => day))];
  return days.map((day) => ({ day, texts: costs.filter((cost) => cost.day === day).map(slippageText) }));
}

/** Names a row of a day or of the whole period. */
export const tradeCostDay = (day: string | null): string => day ?? "all days";

/** Columns of the command line's tables. */
export const ORDER_COST_COLUMNS = TRADE_AMOUNTS.map((amount) => `order of ${amount}`);

/** Formats costs to trade for people: one row per day. */
export const costToTradeShown = (costs: readonly TradeCost[]) =>
  tradeCostRows(costs).map(({ day, texts }) => ({
    day: tradeCostDay(day),
    ...Object.fromEntries(ORDER_COST_COLUMNS.map((name, index) => [name, texts[index]])),
  }));
