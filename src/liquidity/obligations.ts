/**
 * Checks obligations of agreements and scores over minutes. Unknown minutes are neither kept nor missed: a result
 * is certain only if no unknown minute could change it.
 */
import { type Decimal, min, ONE, roundToStep, sum, text, ZERO } from "../kernel/decimal.ts";
import { groupThousands, pluralize } from "../kernel/plain-text.ts";
import { MINUTE, type Millis, SECOND } from "../kernel/time.ts";
import type { PromiseTerms } from "../model/samples/promise.ts";
import { type DepthBand, dayOfMinute, MINUTES_PER_DAY, type MissedMinute } from "../model/samples/sample.ts";
import {
  addSums,
  type DaySums,
  hoursIn,
  type LiquiditySums,
  type Minutes,
  minuteSums,
  NO_SUMS,
  runsIn,
} from "../model/samples/sums.ts";
import type { OwnOffer } from "./store/store.ts";

export interface ObligationFinding {
  readonly rule: string;
  /** `shown` is a figure without a verdict. */
  readonly state: "kept" | "missed" | "unknown" | "shown";
  /** Unit of value and limit: a share of 1, or quote. */
  readonly unit: "share" | "quote";
  /** Null if unknown. */
  readonly value: Decimal | null;
  readonly limit: Decimal | null;
  /** Why the result or the value is unknown. */
  readonly reason?: string | undefined;
}

/** Returns the result of all rules together; null without any. */
export function overallState(
  findings: readonly Pick<ObligationFinding, "state">[],
): "kept" | "missed" | "unknown" | null {
  const states = findings.map(({ state }) => state).filter((state) => state !== "shown");
  const worst = (["missed", "unknown", "kept"] as const).find((state) => states.includes(state));
  return worst ?? null;
}

/** Data for a verdict: minutes and their sums, over any days. */
export type Measured = Pick<LiquiditySpan, "from" | "to" | "sums" | "up">;

interface Score {
  readonly spread: Decimal;
  readonly size: Decimal;
  readonly band: DepthBand;
  readonly share: Decimal;
}

/**
 * Returns Gate's scoring rule for market makers: a minute scores if the own spread is below `spread`, and the smaller
 * of the two sides within `band` exceeds `size`, in quote. Both comparisons are strict.
 */
export const gateRule = ({ spread, size, band }: Omit<Score, "share">): UpRule => ({
  key: `gate-score ${text(spread)} ${text(size)} ${band}`,
  usesDepth: true,
  isUp: ({ ownSpread, ownDepth }) =>
    ownSpread !== null &&
    ownSpread < spread &&
    ownDepth !== null &&
    min(ownDepth.bids[band], ownDepth.asks[band]) > size,
});

const unsampledText = (known: number, whole: number): string =>
  `${groupThousands(String(whole - known))} of ${pluralize(groupThousands(String(whole)), "minute")} ${whole - known === 1 ? "has" : "have"} no sample, and could change the result`;

const uncertainText = (millis: Millis): string =>
  `${pluralize(groupThousands(String(Math.ceil(millis / SECOND))), "second")} between reads of the orders ${millis <= SECOND ? "is" : "are"} uncertain, and could change the result`;

const total = (counts: readonly number[]): number => counts.reduce((all, count) => all + count, 0);

export const gateScore = (span: Measured, { share }: Pick<Score, "share">): ObligationFinding[] => [
  upShare([span], { rule: "scoring minutes", required: share }),
];

export const agreementRule = ({ spread, levels }: Pick<PromiseTerms, "spread" | "levels">): UpRule => ({
  key: `agreement ${text(spread)} ${levels}`,
  usesDepth: false,
  isUp: ({ ownSpread, ownOrders: { bids, asks } }) =>
    ownSpread !== null && ownSpread <= spread && Math.min(bids, asks) >= levels,
});

const describeUptime = ({ spread, levels }: PromiseTerms): string =>
  `time with own orders on both sides, at most ${text(spread * 100n)} % apart, ${levels} or more per side`;

const leastText = (least: Decimal): string =>
  `the markets with samples alone have at least ${groupThousands(text(roundToStep(least, ONE / 100n, "down")))}`;

/** Checks the usual terms of a market-making agreement: uptime at a spread with a number of levels, and mean depth. */
export const quotingAgreement = (span: Measured, request: PromiseTerms): ObligationFinding[] => [
  upShare([span], { rule: describeUptime(request), required: request.uptime }),
  depthFinding([span], request, { side: "bids", rule: "mean depth of own bids" }),
  depthFinding([span], request, { side: "asks", rule: "mean depth of own asks" }),
];

/**
 * Returns the time-weighted depth: each known minute has the same weight, and the means of several markets add up.
 * Unknown minutes could be zero or arbitrarily large.
 */
export function depthFinding(
  spans: readonly Measured[],
  { depth, band }: Pick<PromiseTerms, "depth" | "band">,
  { side, rule }: { readonly side: "bids" | "asks"; readonly rule: string },
): ObligationFinding {
  const parts = spans.map(({ from, to, sums: { own } }) => ({
    whole: to - from,
    count: own.depth.count,
    all: own.depth[side][band],
  }));
  const least = sum(parts.map(({ all, whole }) => (whole > 0 ? all / BigInt(whole) : ZERO)));
  const hasAny = parts.every(({ count }) => count > 0);
  const value = hasAny ? sum(parts.map(({ all, count }) => all / BigInt(count))) : null;
  const isAll = hasAny && parts.every(({ count, whole }) => count === whole);
  const state = least >= depth ? "kept" : isAll ? "missed" : "unknown";
  const [count, whole] = [total(parts.map((part) => part.count)), total(parts.map((part) => part.whole))];
  const isKeptAnyway = state === "kept" && value === null;
  const reason =
    state === "unknown" ? unsampledText(count, whole) : isKeptAnyway ? leastText(least) : undefined;
  return { rule, state, unit: "quote", value, limit: depth, reason };
}

/**
 * Returns the share of the known time that keeps the rule, over all spans, and whether unknown time could change the
 * verdict.
 */
export function upShare(
  spans: readonly Measured[],
  { rule, required: requestedValue }: { readonly rule: string; readonly required: Decimal },
): ObligationFinding {
  const sampled = total(spans.map(({ sums }) => sums.known));
  const minutes = total(spans.map(({ from, to }) => to - from));
  const upTime = total(spans.map((span) => span.up));
  const uncertain = total(spans.map(({ sums }) => sums.uncertain));
  const [up, known, whole] = [BigInt(upTime), BigInt(sampled * MINUTE), BigInt(minutes * MINUTE)];
  const value = known > 0n ? (up * ONE) / known : null;
  const needed = requestedValue * whole;
  const state =
    whole > 0n && up * ONE >= needed
      ? "kept"
      : (up + BigInt(uncertain) + whole - known) * ONE < needed
        ? "missed"
        : ("unknown" as const);
  const why = sampled < minutes ? unsampledText(sampled, minutes) : uncertainText(uncertain);
  const reason = state === "unknown" ? why : undefined;
  return { rule, state, unit: "share", value, limit: requestedValue, reason };
}

/** Decides whether own orders keep a rule. Two rules with the same key are equal. */
export interface UpRule {
  readonly key: string;
  /** Whether it uses the depth of own orders. */
  readonly usesDepth: boolean;
  readonly isUp: (offer: Omit<OwnOffer, "offer">) => boolean;
}

/** A span of days in order, as sums; `to` is excluded. */
export interface LiquiditySpan {
  readonly from: number;
  readonly to: number;
  readonly sums: LiquiditySums;
  /** Time that keeps the rule; 0 without a rule. */
  readonly up: Millis;
  readonly days: readonly DaySums[];
}

export const countUp = (rows: readonly OwnOffer[], rule: UpRule): Record<string, number> => ({
  [rule.key]: rows.reduce((all, row) => all + upMillis(row, rule), 0),
});

/** Returns for how long a minute keeps a rule. Without the times of own orders, its sample counts for all of it. */
function upMillis(row: OwnOffer, { isUp }: UpRule): Millis {
  if (!row.offer) return isUp(row) ? MINUTE : 0;
  const up = row.offer.parts.filter(({ spread: ownSpread, levels }) =>
    isUp({ ownSpread, ownOrders: { bids: levels, asks: levels }, ownDepth: row.ownDepth }),
  );
  return up.reduce((all, { millis }) => all + millis, 0);
}

/** Sums of some minutes of a day. */
export type DayPart = Pick<DaySums, "sums" | "runs" | "hours" | "up" | "missed">;

export const addUpMinutes = (
  minutes: Minutes,
  misses: readonly MissedMinute[] = [],
  rule?: UpRule,
): DayPart => ({
  sums: minuteSums(minutes.rows),
  runs: runsIn(minutes, misses),
  hours: hoursIn(minutes.rows),
  up: rule ? countUp(minutes.rows, rule) : {},
  missed: misses.length,
});

/** Joins two consecutive parts with the same rules, which meet at a whole hour. */
export const joinParts = (a: DayPart, b: DayPart): DayPart => ({
  sums: addSums(a.sums, b.sums),
  runs: [...a.runs, ...b.runs],
  hours: [...a.hours, ...b.hours],
  up: Object.fromEntries(Object.entries(a.up).map(([key, count]) => [key, count + (b.up[key] ?? 0)])),
  missed: a.missed + b.missed,
});

export function joinDays(
  { from, to }: Pick<LiquiditySpan, "from" | "to">,
  days: readonly DaySums[],
  rule?: UpRule,
): LiquiditySpan {
  const up = rule ? days.reduce((count, day) => count + upOn(day, rule), 0) : 0;
  return { from, to, sums: days.map(({ sums }) => sums).reduce(addSums, NO_SUMS), up, days };
}

function upOn({ up, day }: DaySums, { key }: UpRule): number {
  const count = up[key];
  if (count === undefined) throw new TypeError(`day ${day} is not counted by ${key}`);
  return count;
}

/** Returns the days of a span, with the start and end of each within it. */
export function spanDays({
  from,
  to,
}: Pick<LiquiditySpan, "from" | "to">): { day: number; from: number; to: number }[] {
  const first = dayOfMinute(from);
  return Array.from({ length: Math.max(0, dayOfMinute(to - 1) - first + 1) }, (_, index) => {
    const day = first + index;
    const begins = day * MINUTES_PER_DAY;
    return { day, from: Math.max(from, begins), to: Math.min(to, begins + MINUTES_PER_DAY) };
  });
}
