/** Whether anybody steps a strategy's account: one that nothing steps books no fill and places no order. */

import { formatSpan, MINUTE, type Millis, SECOND } from "../../kernel/time.ts";
import { parseAccountKey } from "../../model/account.ts";
import type { StrategyView } from "../../ports/stores/strategy-store.ts";

/** So many intervals without a complete pass are no delay any more. */
const STALLED_INTERVALS = 3;
/** Of very short intervals a slow answer, or a busy machine, alone takes several. */
const LEAST_STALLED: Millis = 10 * SECOND;
/** Passes that fail, or wait for calls, are tried again of themselves. */
const LEAST_WHILE_TRIED: Millis = MINUTE;

/** How often its account is stepped: as the last pass was, else as this process does, else each minute. */
const paceOf = ({ memory }: StrategyView, interval: Millis | undefined): Millis =>
  memory.interval ?? interval ?? MINUTE;

/** How long no pass over its account has been complete, of a strategy that waits for one; 0 while that is no delay. */
export function stalledFor(view: StrategyView, interval: Millis | undefined): Millis {
  const { strategy, steppedAt, now, memory, accountError } = view;
  if (strategy.status === "stopped" || steppedAt === null) return 0;
  const isTried = accountError !== null || memory.turn > 0;
  const most = Math.max(
    isTried ? LEAST_WHILE_TRIED : LEAST_STALLED,
    STALLED_INTERVALS * paceOf(view, interval),
  );
  return now - steppedAt > most ? now - steppedAt : 0;
}

/** The notice of a strategy's status. */
export function stalledNotices(view: StrategyView, interval: Millis | undefined) {
  const millis = stalledFor(view, interval);
  return millis > 0 ? [{ code: "stalled", message: stalledMessage(view, millis) }] : [];
}

function stalledMessage({ accountError, strategy }: StrategyView, millis: Millis): string {
  const { exchange } = parseAccountKey(strategy.account);
  const since = `no pass over ${exchange} has been complete for ${formatSpan(millis)}`;
  return accountError === null
    ? `${since}: its fills are not booked and no orders are placed; start \`edgemaker serve\`, or check the log of the server`
    : `${since}: ${accountError}; its fills are not booked and no orders are placed until a pass is complete`;
}
