/** Formats a report with percentages and quote as numbers. */
import { type Decimal, wire } from "../kernel/decimal.ts";
import { MINUTE } from "../kernel/time.ts";
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
