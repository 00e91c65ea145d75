/** Rules by which exchanges warn the projects whose tokens they list. */
import { type Decimal, decimal, div, ZERO } from "../kernel/decimal.ts";
import { meanOfKnown } from "../kernel/spread.ts";
import { MINUTES_PER_DAY } from "../model/samples/sample.ts";
import { type DaySums, meanOfTotal, type Total } from "../model/samples/sums.ts";
import type { Measured, ObligationFinding } from "./obligations.ts";

const PERCENT = decimal("0.01");

type DayAnswer = "yes" | "no" | "unknown";

/** Returns whether the spread was too wide. A day without two sides at any moment counts as wider than any limit. */
function hasWideSpread(day: LiquidityDay): DayAnswer {
  if (day.spread === null) return isKnown(day) && day.broken === day.known ? "yes" : "unknown";
  return day.spread > MEXC.spread ? "yes" : "no";
}

/** Returns the longest run of days with this answer; unknown days are included if allowed. */
function longestRun(answers: readonly DayAnswer[], allowed: readonly DayAnswer[]): number {
  let [longest, run] = [0, 0];
  for (const answer of answers) {
    run = allowed.includes(answer) ? run + 1 : 0;
    longest = Math.max(longest, run);
  }
  return longest;
}

export const MEXC = {
  days: 15,
  spread: 2n * PERCENT,
  deviation: 15n * PERCENT,
  volume: decimal("50000"),
} as const;

/**
 * Checks MEXC's "ST" warning rules (as of 2024-10-29): a mean daily spread above 2 % on 15 consecutive days; a mean
 * price 15 % or more away from other exchanges over 15 days; a mean daily volume below 50,000 USDT over 30 days,
 * which is only shown, because edgemaker creates no volume.
 */
export function mexcSt(
  days: readonly LiquidityDay[],
  volumes: readonly (Decimal | null)[] = [],
): ObligationFinding[] {
  const wide = days.map(hasWideSpread);
  const certain = longestRun(wide, ["yes"]) >= MEXC.days;
  const possible = longestRun(wide, ["yes", "unknown"]) >= MEXC.days;
  return [
    {
      rule: `mean daily spread above 2 % on ${MEXC.days} consecutive days`,
      state: certain ? "missed" : possible ? "unknown" : "kept",
      unit: "share",
      value: meanOfKnown(days.map(({ spread }) => spread)),
      limit: MEXC.spread,
      reason: !certain && possible ? fewDays(days) : undefined,
    },
    deviationOf(days),
    volumeFinding(`mean daily volume over ${VOLUME_DAYS} days`, volumes, MEXC.volume),
  ];
}

/** Days of a mean volume. */
export const VOLUME_DAYS = 30;

/** Shows everybody's mean volume of a day, in quote, which is known only if each day's volume is. */
export function volumeFinding(
  rule: string,
  volumes: readonly (Decimal | null)[],
  limit: Decimal | null,
): ObligationFinding {
  const value = volumes.length < VOLUME_DAYS ? null : meanIfAllKnown(volumes.slice(-VOLUME_DAYS));
  const reason = value === null ? "a daily candle of the exchange is missing" : undefined;
  return { rule, state: "shown", unit: "quote", value, limit, reason };
}

/** Minimum number of minutes of a day's mean: with fewer, it is unknown. */
const MIN_MINUTES_PER_DAY = MINUTES_PER_DAY / 2;

/** Returns whether enough of the day is known to judge it. */
export const isKnown = ({ known }: LiquidityDay): boolean => known >= MIN_MINUTES_PER_DAY;

/** Describes the days without a mean. */
const fewDays = (days: readonly LiquidityDay[]): string =>
  `${days.filter((day) => hasWideSpread(day) === "unknown").length} of ${days.length} whole days have a spread in less than half of their minutes`;

function deviationOf(days: readonly LiquidityDay[]): ObligationFinding {
  const means = days.map(({ deviation }) => deviation);
  const windows = Array.from({ length: Math.max(0, means.length - MEXC.days + 1) }, (_, start) =>
    meanIfAllKnown(means.slice(start, start + MEXC.days)),
  );
  const isOver = windows.some((mean) => mean !== null && mean >= MEXC.deviation);
  const last = windows.at(-1) ?? null;
  const isUnclear = windows.length === 0 || windows.includes(null);
  return {
    rule: `mean price 15 % or more off other exchanges over ${MEXC.days} days`,
    state: isOver ? "missed" : isUnclear ? "unknown" : "kept",
    unit: "share",
    value: last,
    limit: MEXC.deviation,
    reason: isOver || !isUnclear ? undefined : deviationGap(days),
  };
}

function deviationGap(days: readonly LiquidityDay[]): string {
  if (days.length < MEXC.days)
    return `the rule needs ${MEXC.days} whole days, and the report has ${days.length}`;
  const without = days.filter(({ deviation }) => deviation === null).length;
  return `${without} of ${days.length} whole days have too few samples, or no price of another exchange`;
}

const meanIfAllKnown = (values: readonly (Decimal | null)[]): Decimal | null =>
  values.includes(null) ? null : meanOfKnown(values);

/**
 * Shows Bitget's ST figures: the policy assesses the mean of the seven calendar days before its date and publishes no
 * thresholds, so the figures are shown, or compared with your own limits.
 */
export function bitgetSt(
  days: readonly LiquidityDay[],
  limits: { readonly spread?: Decimal; readonly deviation?: Decimal } = {},
): ObligationFinding[] {
  const week = days.slice(-7);
  const describe = (
    rule: string,
    values: readonly (Decimal | null)[],
    limit: Decimal | undefined,
  ): ObligationFinding => {
    const value = values.length < 7 ? null : meanIfAllKnown(values);
    const judged = value === null ? "unknown" : limit !== undefined && value > limit ? "missed" : "kept";
    const state = limit === undefined ? "shown" : judged;
    const reason = value === null ? "the policy needs seven whole days with samples" : undefined;
    return { rule, state, unit: "share", value, limit: limit ?? null, reason };
  };
  return [
    describe(
      "mean spread over 7 days",
      week.map(({ spread }) => spread),
      limits.spread,
    ),
    describe(
      "mean distance from other exchanges over 7 days",
      week.map(({ deviation }) => deviation),
      limits.deviation,
    ),
  ];
}

/** Averages of a day's minutes. */
export interface LiquidityDay {
  readonly day: number;
  /** Number of minutes with data, and of those in which a side was empty or the book crossed at some moment. */
  readonly known: number;
  readonly broken: number;
  /** Average of the other minutes; null if there are too few or none. */
  readonly spread: Decimal | null;
  readonly deviation: Decimal | null;
}

export function dayAverages({ day, sums: { known, market, deviation } }: DaySums): LiquidityDay {
  const meanOf = (total: Total) => (total.count >= MIN_MINUTES_PER_DAY ? meanOfTotal(total) : null);
  return {
    day,
    known,
    broken: known - market.spread.count,
    spread: meanOf(market.spread),
    deviation: meanOf(deviation),
  };
}

/** Binance's six red flags of market makers, as far as samples can show them. */
const WITHIN_2_PERCENT = 2;

/**
 * Returns Binance's red flags (guidance of 2026) with a figure for each that edgemaker can observe. Binance publishes no
 * thresholds, so there is no verdict. `volumes` are everybody's daily volumes in quote.
 */
export function binanceFlags(
  { sums: { own, market } }: Pick<Measured, "sums">,
  volumes: readonly (Decimal | null)[],
): ObligationFinding[] {
  const rule = `high volume without price movement: mean daily volume over ${VOLUME_DAYS} days`;
  const ofVolume = volumeFinding(rule, volumes, null);
  const { value: volume, reason: noVolume } = ofVolume;
  const [bids, asks] = [own.depth.bids[WITHIN_2_PERCENT], own.depth.asks[WITHIN_2_PERCENT]];
  const { count } = market.depth;
  const depth = market.depth.bids[WITHIN_2_PERCENT] + market.depth.asks[WITHIN_2_PERCENT];
  const hasBoth = volume !== null && volume > ZERO && count > 0;
  return [
    hidden("sales before the agreed release schedule", "edgemaker knows no release schedule"),
    {
      ...shownShare("selling on one side: own bids as a share of own orders within 2 %"),
      value: bids + asks > ZERO ? div(bids, bids + asks, "half") : null,
      reason: bids + asks > ZERO ? undefined : "no sample has own orders within 2 %",
    },
    hidden("coordinated sales on several exchanges", "edgemaker sees only its own accounts"),
    ofVolume,
    {
      ...shownShare("a thin book behind high volume: mean depth within 2 % as a share of a day's volume"),
      value: hasBoth ? div(depth / BigInt(count), volume, "half") : null,
      reason: noVolume ?? (hasBoth ? undefined : "no sample has the depth, or there was no volume"),
    },
    hidden("a shared or guaranteed profit of the market maker", "edgemaker knows no contracts"),
  ];
}

const shownShare = (rule: string) => ({ rule, state: "shown", unit: "share", limit: null }) as const;

const hidden = (rule: string, reason: string): ObligationFinding => ({
  ...shownShare(rule),
  value: null,
  reason: `not observable here: ${reason}`,
});
