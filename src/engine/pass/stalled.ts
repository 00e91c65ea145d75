/** Detects that no pass runs for a strategy's account, so no fill is booked and no order is placed. */

import { formatSince, MINUTE, type Millis, SECOND, timeGap } from "../../kernel/time.ts";
import { parseAccountKey } from "../../model/account.ts";
import type { StrategyView } from "../../ports/stores/strategy-store.ts";

/** Number of intervals without a complete pass that count as stalled. */
const STALLED_INTERVALS = 3;
/** Minimum duration, because with very short intervals one slow response takes several of them. */
const LEAST_STALLED: Millis = 10 * SECOND;
/** Minimum duration while passes fail or wait for calls, because they are retried automatically. */
const LEAST_WHILE_TRIED: Millis = MINUTE;

/** Returns the interval of an account's passes: that of the last pass, else this process's, else one minute. */
const paceOf = ({ memory }: StrategyView, interval: Millis | undefined): Millis =>
  memory.interval ?? interval ?? MINUTE;

/** Returns how long a waiting strategy's account has had no complete pass; 0 while the delay is normal. */
export function stalledFor(view: StrategyView, interval: Millis | undefined): Millis {
  const { strategy, steppedAt, now, memory, accountError } = view;
  if (strategy.status === "stopped" || steppedAt === null) return 0;
  const isTried = accountError !== null || memory.turn > 0;
  const most = Math.max(
    isTried ? LEAST_WHILE_TRIED : LEAST_STALLED,
    STALLED_INTERVALS * paceOf(view, interval),
  );
  const away = timeGap(steppedAt, now);
  return away > most ? away : 0;
}

/** Returns the notice for a strategy's status. */
export function stalledNotices(view: StrategyView, interval: Millis | undefined) {
  return stalledFor(view, interval) > 0 ? [{ code: "stalled", message: stalledMessage(view) }] : [];
}

function stalledMessage({ accountError, strategy, steppedAt, now }: StrategyView): string {
  const { exchange } = parseAccountKey(strategy.account);
  const since = `no pass over ${exchange} has been complete ${formatSince(steppedAt ?? now, now)}`;
  return accountError === null
    ? `${since}: its fills are not booked and no orders are placed; start \`edgemaker serve\`, or check the log of the server`
    : `${since}: ${accountError}; its fills are not booked and no orders are placed until a pass is complete`;
}
