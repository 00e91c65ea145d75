import { csv } from "../../kernel/csv.ts";
import { type Decimal, mul } from "../../kernel/decimal.ts";
import { digest } from "../../kernel/digest.ts";
import { AppError, VenueError } from "../../kernel/errors.ts";
import { splitPair } from "../../kernel/pair.ts";
import { DAY, dayOf, type Millis } from "../../kernel/time.ts";
import { accountKey } from "../../model/account.ts";
import { dateOf } from "../../model/limits.ts";
import type { Candle } from "../../model/market.ts";
import type { LiquidityPromise, Preset, WatchedPair } from "../../model/samples/promise.ts";
import { MINUTES_PER_DAY, minuteOf } from "../../model/samples/sample.ts";
import type { Deps } from "../../ports/deps.ts";
import { forAnyone } from "../../ports/kill-permit.ts";
import type { StrategyDeps } from "../../ports/kind.ts";
import { VOLUME_DAYS } from "../exchange-rules.ts";
import { type LiquiditySpan, type ObligationFinding, overallState, type UpRule } from "../obligations.ts";
import { describeTerms, findingsOf, lastWholeDay, tradeCostsOut, upRuleOf } from "../page-tables.tsx";
import { daysOut, hoursOut, liquidityReport, reportOut } from "../report.ts";
import type { LiquidityAnswer } from "../schema.ts";
import type { ProofStore } from "../store/proofs.ts";
import type { LiquidityStore } from "../store/store.ts";
import { readLiquidity } from "./days.ts";

/** First and last day, in UTC, counted from 1970. */
export interface ReportDays {
  readonly from: number;
  readonly to: number;
}

export interface PairReport {
  readonly days: ReportDays;
  readonly now: Millis;
  readonly promise: LiquidityPromise | undefined;
  /** Whether to include figures by hour, and costs to trade by day. */
  readonly details: boolean;
}

export type SampledDeps = Deps & {
  readonly liquidity: {
    readonly store: LiquidityStore;
    readonly proofs?: Pick<ProofStore, "days"> | undefined;
  };
};

/** Returns the samples of some days, counted by a rule. The current minute is not known yet. */
export async function readDaysOf(
  deps: SampledDeps,
  pair: WatchedPair,
  { days, now, rule }: Pick<PairReport, "days" | "now"> & { readonly rule: UpRule | undefined },
) {
  const { store } = deps.liquidity;
  const [from, to] = [days.from * MINUTES_PER_DAY, Math.min((days.to + 1) * MINUTES_PER_DAY, minuteOf(now))];
  const since = await store.since(pair);
  const span = await readLiquidity({ ...deps, store }, { pair, from, to, today: dayOf(now), since, rule });
  return { span, since };
}

/** A longer period has too many hours for a chart. */
const MAX_DAYS_BY_HOUR = 31;

/** Returns the report of a pair with its samples. */
export async function reportOfPair(
  deps: SampledDeps,
  pair: WatchedPair,
  { days, now, promise, details }: PairReport,
): Promise<{ readonly answer: LiquidityAnswer; readonly span: LiquiditySpan }> {
  const rule = promise && upRuleOf(promise);
  const { span, since } = await readDaysOf(deps, pair, { days, now, rule });
  const findings = promise ? await readFindings(deps, pair, span, { promise, now }) : [];
  const signed = (await deps.liquidity.proofs?.days(pair, days.from, days.to)) ?? [];
  const answer = {
    exchange: pair.exchange,
    symbol: pair.symbol,
    preset: promise?.preset ?? null,
    terms: promise ? describeTerms(promise, splitPair(pair.symbol).quote) : [],
    verdict: overallState(findings),
    ...reportOut(liquidityReport(span, findings, since, await readFirstStart(deps, pair))),
    days: daysOut(span, dateOf, rule, new Map(signed.map(({ day, hash }) => [day, hash]))),
    costToTrade: tradeCostsOut(span, dateOf, details),
    ...(details && days.to - days.from < MAX_DAYS_BY_HOUR ? { hours: hoursOut(span) } : {}),
    hash: await hashOfDays(span),
  };
  return { answer, span };
}

/** Returns the minute after the start of the pair's first strategy; without one, nothing was started yet. */
async function readFirstStart(
  { store, venue }: StrategyDeps,
  { exchange, symbol }: WatchedPair,
): Promise<number> {
  const views = await store.strategies({ account: accountKey(venue(exchange).account) });
  const starts = views.filter(({ strategy }) => strategy.symbol === symbol);
  const first = Math.min(...starts.map(({ strategy: { startedAt } }) => startedAt));
  return first === Number.POSITIVE_INFINITY ? first : minuteOf(first) + 1;
}

const USES_VOLUME: ReadonlySet<Preset> = new Set(["mexc-st", "binance-flags"]);

/** Reads the results. Volume is the exchange's for its whole market, and is read only if a rule uses it. */
async function readFindings(
  deps: StrategyDeps,
  pair: WatchedPair,
  span: LiquiditySpan,
  { promise, now }: { readonly promise: LiquidityPromise; readonly now: Millis },
): Promise<ObligationFinding[]> {
  if (!USES_VOLUME.has(promise.preset)) return findingsOf(promise, span);
  const volumeDays = { last: lastWholeDay(span), count: VOLUME_DAYS };
  return findingsOf(promise, span, await readVolumes(deps, pair, volumeDays, now));
}

/** Returns the hash of a table of days with minutes, each with its own hash. */
const hashOfDays = ({ days }: LiquiditySpan): Promise<string> =>
  digest(
    csv(
      ["day", "sha256"],
      days.flatMap(({ day, hash }) => (hash === null ? [] : [[dateOf(day), hash]])),
    ),
  );

const MAX_REPORT_DAYS = 366;

/** Returns the requested days; the last 30 without a request. Throws AppError if they are no span of past days. */
export function requestedDays(
  { from, to }: { from?: string | undefined; to?: string | undefined },
  now: number,
): ReportDays {
  const last = to === undefined ? Math.floor(now / DAY) : Date.parse(to) / DAY;
  const first = from === undefined ? last - 29 : Date.parse(from) / DAY;
  if (!(first <= last && first * DAY <= now) || last - first >= MAX_REPORT_DAYS)
    throw new AppError(
      "Invalid request",
      `from must be a past day or today, not after to, and at most ${MAX_REPORT_DAYS} days before it`,
    );
  return { from: first, to: last };
}

/** Consecutive days up to the last one, counted from 1970. */
interface DaysRequest {
  readonly last: number;
  readonly count: number;
}

/**
 * Returns everybody's daily volume in quote from the exchange's candles, oldest first: base × (high + low + close) ÷
 * 3. Null for a day that is missing; a missing volume does not fail the report.
 */
async function readVolumes(
  { venue, marketTime }: Pick<Deps, "venue" | "marketTime">,
  { exchange, symbol }: WatchedPair,
  { last, count }: DaysRequest,
  now: Millis,
): Promise<readonly (Decimal | null)[]> {
  const place = venue(exchange);
  // A simulated market has simulated time.
  const shift = marketTime(place.account, now) - now;
  const first = last - count + 1;
  const request = { span: DAY, since: first * DAY + shift, limit: count + 1 };
  const results = await forAnyone(place)
    .candles(symbol, request)
    .catch((error: unknown): readonly Candle[] => {
      if (error instanceof VenueError) return [];
      throw error;
    });
  const byDay = new Map(
    results.map((candle) => [Math.floor((candle.at - shift) / DAY), quoteTraded(candle)]),
  );
  return Array.from({ length: count }, (_, day) => byDay.get(first + day) ?? null);
}

const quoteTraded = ({ high, low, close, volume }: Candle): Decimal | null =>
  volume === null ? null : mul(volume, (high + low + close) / 3n, "half");
