import { DAY, dayOf, MINUTE, type Millis } from "../../kernel/time.ts";
import type { Alarm } from "../../model/day.ts";
import type { Deps } from "../../ports/deps.ts";
import { nearlyMissed } from "../nearly-missed.ts";
import { upRuleOf } from "../presets.ts";
import { addUpMinutes, joinDays } from "../span.ts";

/** Returns alarms about obligations of sampled pairs that are at risk today. */
export async function promiseAlarms(
  { liquidity }: Pick<Deps, "liquidity">,
  now: Millis,
): Promise<readonly Alarm[]> {
  if (!liquidity) return [];
  const { store, pairs } = liquidity;
  const alarms: Alarm[] = [];
  const from = (dayOf(now) * DAY) / MINUTE;
  const to = from + DAY / MINUTE;
  for (const { promise, ...pair } of pairs) {
    if (!promise) continue;
    const rule = upRuleOf(promise);
    const rows = await store.minutes(pair, from, to);
    const today = { ...addUpMinutes({ from, to, rows }, [], rule), day: dayOf(now), hash: null };
    const lines = nearlyMissed(promise, joinDays({ from, to }, [today], rule));
    if (lines.length === 0) continue;
    const where = `${pair.symbol} on ${pair.exchange}`;
    const message = `the agreement for ${where} is at risk: ${lines.join("; ")}; \`edgemaker liquidity report --exchange ${pair.exchange} --symbol ${pair.symbol}\` shows details`;
    alarms.push({ key: `promise ${pair.exchange}:${pair.symbol}`, strategy: null, kind: "alarm", message });
  }
  return alarms;
}
