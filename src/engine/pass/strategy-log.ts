/** Writes lines of strategies' code to the server's log, at a bounded rate for each strategy. */
import { pluralize } from "../../kernel/plain-text.ts";
import { MINUTE, type Millis, SECOND } from "../../kernel/time.ts";
import type { StrategyLines } from "../../ports/kind.ts";
import type { Log } from "../../ports/within-time.ts";

const MAX_LINES_AT_ONCE = 60;
/** After which another line can be written. */
const LINE_EVERY_MS: Millis = SECOND;
/** After which dropped lines are reported again. */
const REPORT_EVERY_MS: Millis = MINUTE;
/** Strategies whose rate is remembered; a stopped one is forgotten when others come. */
const MAX_STRATEGIES = 1000;

interface LineRate {
  readonly left: number;
  readonly at: Millis;
  readonly dropped: number;
  readonly reportedAt: Millis;
}

const lineRates = new WeakMap<Log, Map<string, LineRate>>();

/** Writes what the rate allows, and once a minute how many lines it did not. A line is only ever a field of an entry. */
export function logLines(log: Log, logs: readonly StrategyLines[], now: Millis): void {
  const known = lineRates.get(log) ?? new Map<string, LineRate>();
  lineRates.set(log, known);
  for (const { account, strategy, lines, dropped } of logs) {
    const key = `${account} ${strategy}`;
    const before = known.get(key) ?? {
      left: MAX_LINES_AT_ONCE,
      at: now,
      dropped: 0,
      reportedAt: Number.NEGATIVE_INFINITY,
    };
    const earned = Math.floor(Math.max(0, now - before.at) / LINE_EVERY_MS);
    const left = Math.min(MAX_LINES_AT_ONCE, before.left + earned);
    const shown = lines.slice(0, left);
    const at = earned > 0 || before.at > now ? now : before.at;
    const missing = before.dropped + dropped + lines.length - shown.length;
    const isDue = missing > 0 && Math.abs(now - before.reportedAt) >= REPORT_EVERY_MS;
    for (const line of shown) log("info", "a line of a strategy", { account, strategy, line });
    if (isDue) log("info", `… ${pluralize(missing, "more line")} of a strategy`, { account, strategy });
    known.delete(key);
    known.set(key, {
      left: left - shown.length,
      at,
      dropped: isDue ? 0 : missing,
      reportedAt: isDue ? now : before.reportedAt,
    });
    const [oldest] = known.keys();
    if (known.size > MAX_STRATEGIES && oldest !== undefined) known.delete(oldest);
  }
}
