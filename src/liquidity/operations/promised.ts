import { DAY, dayOf, MINUTE, type Millis } from "../../kernel/time.ts";
import type { Alarm } from "../../model/day.ts";
import { nearlyMissed } from "../nearly-missed.ts";
import { upRuleOf } from "../presets.ts";
import { addUpMinutes, joinDays } from "../span.ts";
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
