/** Computes a liquidity report: what was offered over a span, with own orders and the market's apart. */
import { type Decimal, div, ONE, plainNumber, text, wire } from "../kernel/decimal.ts";
import { groupThousands, pluralize } from "../kernel/plain-text.ts";
import { HOUR, MINUTE } from "../kernel/time.ts";
import type { LiquidityPromise, PromiseRequest } from "../model/samples/promise.ts";
import {
  type Absence,
  type Depths,
  formatOffer,
  type LiquidityMinute,
  type Sides,
} from "../model/samples/sample.ts";
import {
  type HourFigures,
  type LiquiditySums,
  MINUTES_PER_HOUR,
  type MinuteRun,
  meanOfTotal,
  type OfferSums,
} from "../model/samples/sums.ts";
import {
  agreementRule,
  depthFinding,
  type LiquiditySpan,
  type Measured,
  type ObligationFinding,
  type UpRule,
  upShare,
} from "./obligations.ts";
import { BAND_PERCENTS, DEFAULT_TERMS, upRuleOf } from "./page-tables.tsx";

/** Consecutive minutes without data, or without own orders on both sides, with one cause; `to` is excluded. */
interface LiquidityGap extends Omit<MinuteRun, "cause"> {
  readonly cause: Absence | "not_started" | "unknown";
}

/** Means over the known minutes; shares of 1, depths in quote within 0.5, 1 and 2 % of the mid. */
interface LiquidityFigures {
  readonly spread: Decimal | null;
  /** Share of the known time with both sides. */
  readonly twoSided: Decimal | null;
  readonly depth: Sides<Depths> | null;
}

interface MeasuredReport {
  readonly minutes: number;
  readonly known: number;
  readonly samples: number;
  /** Number of minutes whose book ended inside 2 %; only the visible part of them counts. */
  readonly cutShort: number;
  /** Mean number of other sources with a price, if known, and mean deviation of the mid from their median. */
  readonly sources: number | null;
  /** Number of known minutes for which it is unknown whether another source had a price. */
  readonly unknownSources: number;
  readonly deviation: Decimal | null;
  /** Share of the known time in which it is uncertain whether own orders were on both sides; counted as not. */
  readonly uncertain: Decimal | null;
  /** Number of known minutes with the times of own orders. */
  readonly timed: number;
  readonly own: LiquidityFigures;
  readonly market: LiquidityFigures;
  /** The longest gaps in time order, and the number of others. */
  readonly gaps: readonly LiquidityGap[];
  readonly moreGaps: number;
  readonly findings: readonly ObligationFinding[];
}

const MAX_GAPS_SHOWN = 100;

/**
 * Computes the report; `since` is the first minute with data of the pair, `started` the one after which its first
 * strategy was there.
 */
export function liquidityReport(
  span: LiquiditySpan,
  findings: readonly ObligationFinding[],
  since: number | undefined,
  started?: number,
): MeasuredReport {
  const { known, samples, cutShort, sources, deviation, market, timed } = span.sums;
  return {
    minutes: span.to - span.from,
    known,
    samples,
    cutShort,
    sources: sources.count === 0 ? null : sources.sum / sources.count,
    unknownSources: known - sources.count,
    deviation: meanOfTotal(deviation),
    uncertain: shareOfTime(span.sums.uncertain, known * MINUTE),
    timed,
    own: ownFigures(span.sums),
    market: offerFigures(market, known),
    ...longestGaps(gapsIn(span, since, started)),
    findings,
  };
}

function offerFigures({ spread, depth }: OfferSums, known: number): LiquidityFigures {
  const meanDepths = (depths: Depths): Depths => {
    const mean = (sum: Decimal) => sum / BigInt(depth.count);
    return [mean(depths[0]), mean(depths[1]), mean(depths[2])];
  };
  return {
    spread: meanOfTotal(spread),
    twoSided: shareOfTime(spread.count, known),
    depth: depth.count === 0 ? null : { bids: meanDepths(depth.bids), asks: meanDepths(depth.asks) },
  };
}

const shareOfTime = (part: number, whole: number): Decimal | null =>
  whole > 0 ? div(BigInt(part) * ONE, BigInt(whole) * ONE, "down") : null;

/** Returns the figures of own orders: by their times, where these are known. */
const ownFigures = ({ own, known, twoSided }: LiquiditySums): LiquidityFigures => ({
  ...offerFigures(own, known),
  twoSided: shareOfTime(twoSided, known * MINUTE),
});

/** Number of gaps that are sorted at once, because a year can have many. */
const GAPS_AT_ONCE = 20 * MAX_GAPS_SHOWN;

function longestGaps(all: Iterable<LiquidityGap>): Pick<MeasuredReport, "gaps" | "moreGaps"> {
  const longestOf = (some: readonly LiquidityGap[]) =>
    some.toSorted((a, b) => b.to - b.from - (a.to - a.from)).slice(0, MAX_GAPS_SHOWN);
  let count = 0;
  let longest: LiquidityGap[] = [];
  for (const gap of all) {
    count++;
    longest.push(gap);
    if (longest.length >= GAPS_AT_ONCE) longest = longestOf(longest);
  }
  const gaps = longestOf(longest).sort((a, b) => a.from - b.from);
  return { gaps, moreGaps: count - gaps.length };
}

/**
 * Yields runs of all days in order. If there are no own orders at all, and no strategy of the pair was started, their
 * absence is not a gap.
 */
export function* gapsIn(
  { days, sums }: LiquiditySpan,
  since: number | undefined,
  started = Number.NEGATIVE_INFINITY,
): Generator<LiquidityGap> {
  const isAwaited = sums.isOffering || Number.isFinite(started);
  let last: LiquidityGap | undefined;
  for (const run of days.flatMap(({ runs }) => runs.flatMap((minuteRun) => splitAt(minuteRun, started)))) {
    if (run.what === "absent" && !isAwaited) continue;
    const found = gapOf(run, since);
    const isEarly = found.what === "absent" && found.cause === "pause" && run.to <= started;
    const gap = isEarly ? { ...found, cause: "not_started" as const } : found;
    const goesOn = last?.to === gap.from && last.what === gap.what && last.cause === gap.cause;
    if (last && goesOn) last = { ...last, to: gap.to };
    else {
      if (last) yield last;
      last = gap;
    }
  }
  if (last) yield last;
}

const splitAt = (run: MinuteRun, minute: number): MinuteRun[] =>
  run.from < minute && minute < run.to
    ? [
        { ...run, to: minute },
        { ...run, from: minute },
      ]
    : [run];

/** Returns a gap. Before the first minute with data the cause is unknown; later, a missing request is an internal fault. */
const gapOf = ({ cause, ...run }: MinuteRun, since = Number.POSITIVE_INFINITY): LiquidityGap => ({
  ...run,
  cause: cause ?? (run.what === "absent" || run.from < since ? "unknown" : "ours"),
});

export const MINUTE_COLUMNS = [
  "minute",
  "samples",
  "spread",
  "ownSpread",
  "ownBids",
  "ownAsks",
  ...["own", "market"].flatMap((whose) =>
    ["Bids", "Asks"].flatMap((side) => ["0.5", "1", "2"].map((band) => `${whose}${side}Within${band}`)),
  ),
  "visibleOnly",
  "deviation",
  "sources",
  "absence",
] as const;

/** Formats a minute as a row of a table; unknown values are empty. One with the times of own orders has a last value. The report's hash covers all its rows. */
export function minuteRow(row: LiquidityMinute): (string | number | null)[] {
  const { minute, samples, ownOrders } = row;
  return [
    minute * MINUTE,
    samples,
    shownOrEmpty(row.spread),
    shownOrEmpty(row.ownSpread),
    ownOrders.bids,
    ownOrders.asks,
    ...depthCells(row.ownDepth),
    ...depthCells(row.depth),
    row.isCutShort ? 1 : 0,
    shownOrEmpty(row.deviation),
    row.sources,
    row.absence,
    ...(row.offer ? [formatOffer(row.offer)] : []),
  ];
}

const shownOrEmpty = (value: Decimal | null): string | null => (value === null ? null : text(value));

const depthCells = (depth: Sides<Depths> | null): (string | null)[] =>
  depth ? [...depth.bids, ...depth.asks].map(text) : Array.from({ length: 6 }, () => null);

/** Formats a report with percentages and quote as numbers. */
const formatPercent = (share: Decimal | null): number | null => (share === null ? null : wire(share * 100n));
const describeQuote = (value: Decimal | null): number | null => (value === null ? null : wire(value));
const formatBands = ([narrow, middle, wide]: Depths) => ({
  "0.5": text(narrow),
  "1": text(middle),
  "2": text(wide),
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
}: MeasuredReport) => ({
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
  signed: ReadonlyMap<number, string> = new Map(),
) =>
  days.map(({ day, sums, up }) => {
    const { known, ...figures } = dayOut(sums);
    const met = rule && up[rule.key];
    const upPercent = known === 0 || met === undefined ? null : (100 * met) / (known * MINUTE);
    return { day: name(day), known, upPercent, ...figures, signedHash: signed.get(day) ?? null };
  });

/** Significant digits of figures by hour, which are for charts. */
const HOUR_DIGITS = 6;
const forChart = (value: Decimal): number => Number(wire(value).toPrecision(HOUR_DIGITS));

/** Formats figures by hour, with null for hours without a sample. */
export function hoursOut({ from, to, days }: Pick<LiquiditySpan, "from" | "to" | "days">) {
  const first = Math.floor(from / MINUTES_PER_HOUR);
  const known = new Map(
    days.flatMap(({ hours }) => hours.map((figures) => [figures.hour, figures] as const)),
  );
  const all = Array.from({ length: Math.ceil(to / MINUTES_PER_HOUR) - first }, (_, at) =>
    known.get(first + at),
  );
  const each = <T>(figure: (hour: HourFigures) => T | null) =>
    all.map((hour) => (hour ? figure(hour) : null));
  return {
    from: first * HOUR,
    ownTwoSidedPercent: each((hour) => Number(((100 * hour.twoSided) / (hour.known * MINUTE)).toFixed(2))),
    ownSpreadPercent: each(({ spread }) => (spread === null ? null : forChart(100n * spread))),
    ownBidsWithin2: each(({ bids }) => (bids === null ? null : plainNumber(forChart(bids)))),
    ownAsksWithin2: each(({ asks }) => (asks === null ? null : plainNumber(forChart(asks)))),
  };
}

function dayOut(sums: LiquiditySums) {
  const [own, market] = [ownFigures(sums), offerFigures(sums.market, sums.known)];
  return {
    known: sums.known,
    ownSpreadPercent: formatPercent(own.spread),
    ownTwoSidedPercent: formatPercent(own.twoSided),
    ownBidsWithin2: own.depth && text(own.depth.bids[2]),
    ownAsksWithin2: own.depth && text(own.depth.asks[2]),
    spreadPercent: formatPercent(market.spread),
    twoSidedPercent: formatPercent(market.twoSided),
    bidsWithin2: market.depth && text(market.depth.bids[2]),
    asksWithin2: market.depth && text(market.depth.asks[2]),
  };
}

/** Rules of all markets of a pair together. */
const totalBand = ({ band = DEFAULT_TERMS.band }: PromiseRequest) => band;

/** Returns the rule that counts a market's minutes for the total: the total's own one, or the market's. */
export function totalRule({ spread, levels }: PromiseRequest, promise: LiquidityPromise): UpRule {
  const { spread: usualSpread, levels: usualLevels } = DEFAULT_TERMS;
  const own = agreementRule({ spread: spread ?? usualSpread, levels: levels ?? usualLevels });
  return spread === undefined && levels === undefined ? (upRuleOf(promise) ?? own) : own;
}

/** Checks the total over all markets of one pair, whose minutes are counted by `totalRule`. */
export function totalFindings(spans: readonly Measured[], request: PromiseRequest): ObligationFinding[] {
  const { uptime, depth } = request;
  const over = pluralize(spans.length, "market");
  return [
    ...(uptime === undefined
      ? []
      : [upShare(spans, { rule: `time that counts, mean of ${over}`, required: uptime })]),
    ...(depth === undefined
      ? []
      : (["bids", "asks"] as const).map((side) =>
          depthFinding(
            spans,
            { depth, band: totalBand(request) },
            { side, rule: `mean depth of own ${side}, sum of ${over}` },
          ),
        )),
  ];
}

/** Describes the rules in sentences without a period. */
export function describeTotalRules(request: PromiseRequest): string[] {
  const { spread, levels, uptime, depth } = request;
  const counted = [
    ...(spread === undefined ? [] : [`own orders at most ${text(spread * 100n)} % apart`]),
    ...(levels === undefined ? [] : [`at least ${pluralize(levels, "own order")} per side`]),
  ];
  const which = counted.length === 0 ? "the rules of each market" : counted.join(" and ");
  return [
    ...(uptime === undefined
      ? []
      : [
          `At least ${text(uptime * 100n)} % of the time with ${which}, as the mean of all markets of a pair`,
        ]),
    ...(depth === undefined
      ? []
      : [
          `A mean depth of at least ${groupThousands(text(depth))} in quote per side within ${BAND_PERCENTS[totalBand(request)]} % of the mid price, as the sum of all markets of a pair`,
        ]),
  ];
}
