/**
 * What exchanges and agreements ask of a market, as functions over minutes. What is unknown is neither kept nor
 * missed: a finding is certain only where no unknown minute could change it.
 */
import { type Decimal, decimal, min, ONE, sum, text, ZERO } from "../kernel/decimal.ts";
import type { DepthBand } from "../model/samples/sample.ts";
import { isKnown, type LiquidityDay } from "./days.ts";
import type { LiquiditySpan, UpRule } from "./span.ts";

export interface ObligationFinding {
  readonly rule: string;
  /** `shown`: a figure that nobody here judges. */
  readonly state: "kept" | "missed" | "unknown" | "shown";
  /** Of value and limit: a share of 1, or quote. */
  readonly unit: "share" | "quote";
  /** Null where it is not known. */
  readonly value: Decimal | null;
  readonly limit: Decimal | null;
}

const PERCENT = decimal("0.01");

type DayAnswer = "yes" | "no" | "unknown";

/** A day without one moment of two sides is wider than any spread: nobody could have traded both ways. */
const hasWideSpread = (day: LiquidityDay): DayAnswer =>
  !isKnown(day) ? "unknown" : day.spread === null || day.spread > MEXC.spread ? "yes" : "no";

/** The longest run of days that answer so; with unknown ones among them where they are allowed. */
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
  volumeDays: 30,
} as const;

/**
 * MEXC's "ST" warning rules (as of 2024-10-29): a mean daily spread above 2 % on 15 days running; a mean price 15 % or
 * more off other exchanges over 15 days; a mean daily volume below 50,000 USDT over 30 days, which is shown alone:
 * nothing here makes volume.
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
    },
    deviationOf(days),
    {
      rule: `mean daily volume over ${MEXC.volumeDays} days`,
      state: "shown",
      unit: "quote",
      value: volumes.length < MEXC.volumeDays ? null : meanIfAllKnown(volumes.slice(-MEXC.volumeDays)),
      limit: MEXC.volume,
    },
  ];
}

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
  };
}

/** Of those that are known; null of none. */
function meanOfKnown(values: readonly (Decimal | null)[]): Decimal | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : sum(known) / BigInt(known.length);
}

const meanIfAllKnown = (values: readonly (Decimal | null)[]): Decimal | null =>
  values.includes(null) ? null : meanOfKnown(values);

/**
 * Bitget's ST policy assesses the mean of the seven calendar days before its date, all of them, and publishes no
 * thresholds: the figures are shown, or held against limits of one's own.
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
    return { rule, state, unit: "share", value, limit: limit ?? null };
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

/** What decides: minutes and sums of them, whatever days they are of. */
type Measured = Pick<LiquiditySpan, "from" | "to" | "sums" | "up">;

export interface Score {
  readonly spread: Decimal;
  readonly size: Decimal;
  readonly band: DepthBand;
  readonly share: Decimal;
}

/**
 * Gate's way of scoring a market maker: a minute scores where one's own spread is narrower than `spread` and the
 * smaller of the two sides within `band` is larger than `size`, in quote. Both strictly.
 */
export const gateRule = ({ spread, size, band }: Omit<Score, "share">): UpRule => ({
  key: `gate-score ${text(spread)} ${text(size)} ${band}`,
  isUp: ({ ownSpread, ownDepth }) =>
    ownSpread !== null &&
    ownSpread < spread &&
    ownDepth !== null &&
    min(ownDepth.bids[band], ownDepth.asks[band]) > size,
});

export const gateScore = (span: Measured, { share }: Pick<Score, "share">): ObligationFinding[] => [
  upShare(span, { rule: "scoring minutes", required: share }),
];

export interface Agreement {
  /** Own orders on both sides no wider apart than this. */
  readonly spread: Decimal;
  /** On the mean of the time, so much on each side within the band, in quote. */
  readonly depth: Decimal;
  readonly band: DepthBand;
  /** Own orders a side. */
  readonly levels: number;
  /** The share of the time that is asked for. */
  readonly uptime: Decimal;
}

export const agreementRule = ({ spread, levels }: Pick<Agreement, "spread" | "levels">): UpRule => ({
  key: `agreement ${text(spread)} ${levels}`,
  isUp: ({ ownSpread, ownOrders: { bids, asks } }) =>
    ownSpread !== null && ownSpread <= spread && Math.min(bids, asks) >= levels,
});

/** What an agreement with a market maker usually asks: uptime at a spread with so many levels, and depth over time. */
export const quotingAgreement = (
  span: Measured,
  request: Pick<Agreement, "depth" | "band" | "uptime">,
): ObligationFinding[] => [
  upShare(span, { rule: "time with own orders on both sides", required: request.uptime }),
  depthFinding(span, request, "bids"),
  depthFinding(span, request, "asks"),
];

/** Time-weighted: each known minute counts alike. Unknown ones might have held nothing, and nobody knows how much else. */
function depthFinding(
  { from, to, sums }: Measured,
  { depth, band }: Pick<Agreement, "depth" | "band">,
  side: "bids" | "asks",
): ObligationFinding {
  const { count, [side]: all } = sums.own.depth;
  const whole = BigInt(to - from);
  const least = whole > 0n ? all[band] / whole : ZERO;
  const value = count === 0 ? null : all[band] / BigInt(count);
  const isAll = BigInt(count) === whole;
  const state = least >= depth ? "kept" : isAll && value !== null ? "missed" : "unknown";
  return { rule: `mean depth of own ${side}`, state, unit: "quote", value, limit: depth };
}

/** The share of known minutes that are up, and whether the unknown ones could turn the verdict. */
function upShare(
  { from, to, sums, up: count }: Measured,
  { rule, required: requestedValue }: { readonly rule: string; readonly required: Decimal },
): ObligationFinding {
  const [up, known, whole] = [BigInt(count), BigInt(sums.known), BigInt(to - from)];
  const value = known > 0n ? (up * ONE) / known : null;
  const needed = requestedValue * whole;
  const state =
    whole > 0n && up * ONE >= needed
      ? "kept"
      : (up + whole - known) * ONE < needed
        ? "missed"
        : ("unknown" as const);
  return { rule, state, unit: "share", value, limit: requestedValue };
}
