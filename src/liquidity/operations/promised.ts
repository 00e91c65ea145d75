import { type Decimal, ONE, readable, text } from "../../kernel/decimal.ts";
import { DAY, dayOf, MINUTE, type Millis } from "../../kernel/time.ts";
import type { Alarm } from "../../model/news.ts";
import type { LiquidityPromise } from "../../model/samples/promise.ts";
import { MINUTES_PER_DAY } from "../../model/samples/sample.ts";
import { meanOfTotal } from "../../model/samples/sums.ts";
import { MEXC } from "../exchange-rules.ts";
import { addUpMinutes, joinDays, type LiquiditySpan, type ObligationFinding } from "../obligations.ts";
import { findingsOf, upRuleOf } from "../page-tables.tsx";
import type { LiquidityDeps } from "../store/store.ts";

/** Returns alarms about obligations of sampled pairs that are at risk today. */
export async function promiseAlarms(
  { liquidity }: Pick<LiquidityDeps, "liquidity">,
  now: Millis,
): Promise<readonly Alarm[]> {
  if (!liquidity) return [];
  const { store, pairs } = liquidity;
  const alarms: Alarm[] = [];
  const from = (dayOf(now) * DAY) / MINUTE;
  const to = from + DAY / MINUTE;
  for (const { promise, agreement, until = null, exchange, symbol } of pairs) {
    if (!promise || (until !== null && until < dayOf(now))) continue;
    const pair = { exchange, symbol };
    const rule = upRuleOf(promise);
    const rows = await store.minutes(pair, from, to);
    const today = { ...addUpMinutes({ from, to, rows }, [], rule), day: dayOf(now), hash: null };
    const lines = nearlyMissed(promise, joinDays({ from, to }, [today], rule));
    if (lines.length === 0) continue;
    const [named, show] = agreement
      ? [`${agreement} for`, `agreement report ${agreement}`]
      : ["for", `liquidity report --exchange ${exchange} --symbol ${symbol}`];
    const message = `the agreement ${named} ${symbol} on ${exchange} is at risk: ${lines.join("; ")}; \`edgemaker ${show}\` shows details`;
    const key = ["promise", `${exchange}:${symbol}`, ...(agreement ? [agreement] : [])].join(" ");
    alarms.push({ key, strategy: null, kind: "alarm", message });
  }
  return alarms;
}

/** Minimum number of minutes for a mean. */
const MIN_MINUTES_FOR_MEAN = 60;

/** Describes obligations at risk on the day `today`, while there is still time to act; empty if there is none. */
export function nearlyMissed(promise: LiquidityPromise, today: LiquiditySpan): string[] {
  const { preset, request } = promise;
  if (preset === "mexc-st" || preset === "bitget-st")
    return wideToday(today, preset === "mexc-st" ? MEXC.spread : request.spread);
  return findingsOf(promise, today).flatMap((finding) =>
    finding.unit === "share" ? awayToday(finding, today) : thinToday(finding, today),
  );
}

/** Warns from half of the minutes that a day can be without quotes. */
function awayToday({ value, limit }: ObligationFinding, { sums }: LiquiditySpan): string[] {
  if (value === null || limit === null) return [];
  const known = BigInt(sums.known);
  // The share is rounded down, so the true number of minutes is the next whole one.
  const up = (value * known + ONE - 1n) / ONE;
  const [away, may] = [known - up, ((ONE - limit) * BigInt(MINUTES_PER_DAY)) / ONE];
  if (away === 0n || 2n * away < may) return [];
  const what = `missing or too wide for ${away} ${away === 1n ? "minute" : "minutes"} of today`;
  return [
    away > may ? `${what}, more than the ${may} allowed; the rule is missed` : `${what}, of ${may} allowed`,
  ];
}

const thinToday = ({ rule, value, limit }: ObligationFinding, { sums }: LiquiditySpan): string[] =>
  value === null || limit === null || sums.known < MIN_MINUTES_FOR_MEAN || value >= limit
    ? []
    : [`${rule} today is ${text(readable(value))}; the agreement requires ${text(limit)}`];

function wideToday({ sums }: LiquiditySpan, limit: Decimal | undefined): string[] {
  const mean = meanOfTotal(sums.market.spread);
  if (limit === undefined || sums.known < MIN_MINUTES_FOR_MEAN) return [];
  if (mean === null) return ["a side of the order book was empty in all minutes of today"];
  if (mean <= limit) return [];
  return [`the mean spread of today is ${percentText(mean)} %, above ${percentText(limit)} %`];
}

const percentText = (share: Decimal): string => text(readable(100n * share));
