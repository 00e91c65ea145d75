import { formatSpan, MINUTE, type Millis, SECOND } from "../../../kernel/time.ts";
import type { AccountKey } from "../../../model/account.ts";
import type { StrategyView } from "../../../ports/stores/store.ts";
import type { StreamReport } from "../../../ports/venue.ts";

/** Downtime after which people learn of it. A shorter one needs nobody's attention, because passes run at each round. */
export const REPORTED_AFTER: Millis = 5 * MINUTE;

/** Describes an account's stream and the measured time from fills to the orders that answer them; null without a stream. */
export function describeStream(account: AccountKey, report: StreamReport | undefined): string | null {
  const stream = report?.streams.find((one) => one.account === account);
  if (!stream) return null;
  const state = stream.state === "down" ? `down: ${stream.reason}` : stream.state;
  const reaction = report?.reactions.find((one) => one.account === account);
  if (!reaction) return state;
  const mean = reaction.sum / reaction.count / SECOND;
  return `${state}; ${mean.toFixed(1)} s from a fill to the next order on average`;
}

/** Returns the notice of a strategy's status if its account's stream is down for long. */
export function streamNotices(
  { strategy }: Pick<StrategyView, "strategy">,
  report: StreamReport | undefined,
) {
  const stream = report?.streams.find(({ account }) => account === strategy.account);
  if (strategy.status === "stopped" || stream?.downFor === undefined || stream.downFor < REPORTED_AFTER)
    return [];
  const reason = stream.state === "down" ? `: ${stream.reason}` : "";
  const message = `the exchange's stream is down for ${formatSpan(stream.downFor)}${reason}; passes run at each round instead`;
  return [{ code: "stream_down", message }];
}
