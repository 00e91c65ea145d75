/** Formats a report with percentages and quote as numbers. */
import { type Decimal, wire } from "../kernel/decimal.ts";
import { HOUR, MINUTE } from "../kernel/time.ts";
import { type HourFigures, MINUTES_AN_HOUR } from "../model/samples/hours.ts";
import type { Depths, Sides } from "../model/samples/sample.ts";
import type { LiquiditySums } from "../model/samples/sums.ts";
import type { ObligationFinding } from "./obligations.ts";
import { type LiquidityFigures, type LiquidityReport, offerFigures, ownFigures } from "./report.ts";
import type { LiquiditySpan, UpRule } from "./span.ts";

const formatPercent = (share: Decimal | null): number | null => (share === null ? null : wire(share * 100n));
const describeQuote = (value: Decimal | null): number | null => (value === null ? null : wire(value));
const formatBands = ([narrow, middle, wide]: Depths) => ({
  "0.5": wire(narrow),
  "1": wire(middle),
  "2": wire(wide),
});
const sides = (depth: Sides<Depths> | null) =>
  depth && { bids: formatBands(depth.bids), asks: formatBands(depth.asks) };

const figuresOut = ({ spread, twoSided, depth }: LiquidityFigures) => ({
  spreadPercent: formatPercent(spread),
  twoSidedPercent: formatPercent(twoSided),
  depth: sides(depth),
});

export const findingOut = ({ rule, state, unit, value, limit, reason }: ObligationFinding) => ({
  rule,
  state,
  unit: unit === "share" ? ("percent" as const) : ("quote" as const),
  value: unit === "share" ? formatPercent(value) : describeQuote(value),
  limit: unit === "share" ? formatPercent(limit) : describeQuote(limit),
  reason: reason ?? null,
});

export const reportOut = ({
  own,
  market,
  gaps,
  findings,
  deviation,
  uncertain,
  ...counts
}: LiquidityReport) => ({
  ...counts,
  deviationPercent: formatPercent(deviation),
  uncertainPercent: formatPercent(uncertain),
  own: figuresOut(own),
  market: figuresOut(market),
  gaps: gaps.map(({ from, to, ...gap }) => ({
    from: from * MINUTE,
    to: to * MINUTE,
    minutes: to - from,
    ...gap,
  })),
  findings: findings.map(findingOut),
});

/** Formats the same figures by day; `name` formats a day counted from 1970. */
export const daysOut = (
  { days }: Pick<LiquiditySpan, "days">,
  name: (day: number) => string,
  rule?: UpRule,
) =>
  days.map(({ day, sums, up }) => {
    const { known, ...figures } = dayOut(sums);
    const met = rule && up[rule.key];
    const upPercent = known === 0 || met === undefined ? null : (100 * met) / (known * MINUTE);
    return { day: name(day), known, upPercent, ...figures };
  });

const significant = (value: Decimal | null, digits: number): number | null =>
  value === null ? null : Number(wire(value).toPrecision(digits));
/** Significant digits of figures by hour, which are for charts. */
const HOUR_DIGITS = 6;

/** Formats figures by hour, with null for hours without a sample. */
export function hoursOut({ from, to, days }: Pick<LiquiditySpan, "from" | "to" | "days">) {
  const first = Math.floor(from / MINUTES_AN_HOUR);
  const known = new Map(
    days.flatMap(({ hours }) => hours.map((figures) => [figures.hour, figures] as const)),
  );
  const all = Array.from({ length: Math.ceil(to / MINUTES_AN_HOUR) - first }, (_, at) =>
    known.get(first + at),
  );
  const each = (figure: (hour: HourFigures) => number | null) =>
    all.map((hour) => (hour ? figure(hour) : null));
  return {
    from: first * HOUR,
    ownTwoSidedPercent: each((hour) => Number(((100 * hour.twoSided) / (hour.known * MINUTE)).toFixed(2))),
    ownSpreadPercent: each(({ spread }) => significant(spread && 100n * spread, HOUR_DIGITS)),
    ownBidsWithin2: each(({ bids }) => significant(bids, HOUR_DIGITS)),
    ownAsksWithin2: each(({ asks }) => significant(asks, HOUR_DIGITS)),
  };
}

function dayOut(sums: LiquiditySums) {
  const [own, market] = [ownFigures(sums), offerFigures(sums.market, sums.known)];
  return {
    known: sums.known,
    ownSpreadPercent: formatPercent(own.spread),
    ownTwoSidedPercent: formatPercent(own.twoSided),
    ownBidsWithin2: own.depth && wire(own.depth.bids[2]),
    ownAsksWithin2: own.depth && wire(own.depth.asks[2]),
    spreadPercent: formatPercent(market.spread),
    twoSidedPercent: formatPercent(market.twoSided),
    bidsWithin2: market.depth && wire(market.depth.bids[2]),
    asksWithin2: market.depth && wire(market.depth.asks[2]),
  };
}
