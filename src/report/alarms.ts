/** Finds problems in the stored state: each alarm is reported when it begins and when it ends. */
import { isInRange } from "../engine/accounts.ts";
import { pluralize } from "../kernel/pluralize.ts";
import { formatSince, MINUTE, type Millis, timeGap } from "../kernel/time.ts";
import { type AccountKey, parseAccountKey } from "../model/account.ts";
import type { Alarm } from "../model/day.ts";
import type { Deps } from "../ports/deps.ts";
import type { Kinds } from "../ports/kind.ts";
import type { StrategyView } from "../ports/stores/strategy-store.ts";
import type { Readings } from "../storage/metrics.ts";

const STALLED = "stalled";

/** Returns whether an alarm is about missing passes. */
export const isOfPasses = (key: string): boolean => key.startsWith(`${STALLED} `);

/**
 * Describes the end of an alarm that is no longer found, with another text if the original one would mislead.
 * Undefined if it has not ended: a grid that is paused out of its range is not back.
 */
export function describeOver(
  { key, message }: Alarm,
  running: readonly StrategyView[],
  kinds: Kinds,
): string | undefined {
  const [kind, of = ""] = key.split(" ");
  if (kind === STALLED) return `${parseAccountKey(of).exchange} runs again`;
  if (kind === "range") {
    const [symbol] = message.split(" ");
    const view = running.find(({ strategy }) => strategy.id === of);
    if (!view) return `the strategy has stopped, so the range of ${symbol} is no longer watched`;
    return isInRange(view, kinds) ? `${symbol} is back in its range` : undefined;
  }
  if (kind === "promise") return `the agreement for ${of} is met again, or a new day has begun`;
  return `resolved: ${message}`;
}

/** Returns how long an account with this `interval` can have no pass before an alarm. */
export const lateAfter = (interval: Millis): Millis => Math.max(MINUTE, 3 * interval);

export function alarmsOf(
  views: readonly StrategyView[],
  { orders }: Pick<Readings, "orders">,
  { interval, kinds, marketTime }: Pick<Deps, "kinds" | "marketTime"> & { readonly interval: Millis },
): readonly Alarm[] {
  const accounts = new Map(views.map((view) => [view.strategy.account, view]));
  return [
    ...[...accounts].flatMap(([account, view]) => accountAlarm(account, view, { interval, marketTime })),
    ...orders.filter(({ overdue }) => overdue > 0).map(unknownOrders),
    ...views.flatMap((view) => outOfRange(view, kinds)),
  ];
}

function accountAlarm(
  account: AccountKey,
  { strategy, steppedAt, now, accountError }: StrategyView,
  { interval, marketTime }: Pick<Deps, "marketTime"> & { readonly interval: Millis },
): Alarm[] {
  const place = parseAccountKey(account);
  // If no pass was ever complete, the strategy has waited since its start.
  const since = steppedAt ?? now - (marketTime(place, now) - strategy.startedAt);
  if (timeGap(since, now) <= lateAfter(interval)) return [];
  const { exchange } = place;
  const why = accountError === null ? "" : `: ${accountError}`;
  const message = `${exchange} is stalled: no complete pass ${formatSince(since, now)}${why}`;
  return [{ key: `${STALLED} ${account}`, strategy: null, kind: "alarm", message }];
}

const unknownOrders = ({ account, state, overdue }: Readings["orders"][number]): Alarm => ({
  key: `unknown ${account} ${state}`,
  strategy: null,
  kind: "alarm",
  message: `${parseAccountKey(account).exchange} has not confirmed the state of ${pluralize(overdue, "order")}`,
});

function outOfRange(view: StrategyView, kinds: Kinds): Alarm[] {
  const { id, kind, status, phase, symbol } = view.strategy;
  if (status !== "running" || phase !== "active" || isInRange(view, kinds) !== false) return [];
  const message = `${symbol} is out of the ${kind}'s range: it earns nothing until the price returns; \`edgemaker ${kind} edit ${id} --lower … --upper …\` moves it`;
  return [{ key: `range ${id}`, strategy: id, kind: "notice", message }];
}
