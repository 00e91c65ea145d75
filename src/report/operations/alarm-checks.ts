import { isInRange } from "../../engine/accounts.ts";
import { roundMoney, text } from "../../kernel/decimal.ts";
import { pluralize } from "../../kernel/plain-text.ts";
import { formatSince, formatSpan, HOUR, MINUTE, type Millis, timeGap } from "../../kernel/time.ts";
import { type AccountKey, parseAccountKey } from "../../model/account.ts";
import { type Alarm, levelOf, type StrategyDay } from "../../model/news.ts";
import { groupBy } from "../../model/order.ts";
import type { Deps } from "../../ports/deps.ts";
import type { Kinds } from "../../ports/kind.ts";
import type { StrategyView } from "../../ports/stores/store.ts";
import type { MetricsDeps, Readings } from "../../storage/metrics.ts";
import { CHECK_GAP_MS, lateAfter, rowsAfterCheck } from "../day.ts";
import type { AlarmCheckLease, ReportDeps } from "../store.ts";

export type AlarmCheckDeps = Pick<
  ReportDeps & MetricsDeps,
  "reports" | "metrics" | "store" | "local" | "interval" | "requests" | "kinds" | "marketTime"
> & {
  /** The sampled pairs: their obligations are checked too. */
  readonly liquidity?: { readonly pairs: readonly unknown[] };
  /** Returns the time since the machine of this process last slept; absent if the process runs no passes. */
  readonly awakeFor?: () => Millis;
};

/** Interval of the checks; the first process to start one makes it. */
const ALARM_CHECK_INTERVAL_MS: Millis = MINUTE;
const STRATEGIES_PER_CHECK = 1000;
/** Number of requests of a check without changes. */
const REQUESTS_PER_CHECK = 8;

/** Returns notices about the hour that ended at `until`. */
type HourNotices = (
  running: readonly StrategyView[],
  until: Millis,
) => Promise<readonly { readonly strategy: string; readonly message: string }[]>;

/** Checks everything that runs: records each strategy's day, and finds problems; in an hour's first check, also notices. */
export async function checkAlarms(
  deps: AlarmCheckDeps,
  alsoWrong: (now: Millis) => Promise<readonly Alarm[]> = async () => [],
  noticesOf: HourNotices = async () => [],
): Promise<void> {
  const { reports, metrics, store, local, interval = MINUTE, requests, kinds, marketTime } = deps;
  const promised = deps.liquidity?.pairs.length ?? 0;
  if (!reports || !metrics || (requests && requests() < REQUESTS_PER_CHECK + promised)) return;
  const turn = await reports.lookOut({
    every: ALARM_CHECK_INTERVAL_MS,
    owner: local.name,
    page: STRATEGIES_PER_CHECK,
  });
  if (!turn) return;
  const [running, readings] = await Promise.all([store.strategies({ stopped: false }), metrics.readings()]);
  const views = [...running, ...(await stoppedToday(deps, turn, running))];
  await keepDays(deps, turn, { views, interval });
  const others = await alsoWrong(turn.now);
  const found = alarmsOf(running, readings, { interval, kinds, marketTime });
  await tellAlarms({ ...deps, interval }, turn, running, [...found, ...others]);
  // Last, so that alarms do not depend on them.
  const hour = turn.now - (turn.now % HOUR);
  if (turn.before > 0 && turn.before < hour)
    for (const notice of await noticesOf(running, hour)) await reports.tell({ kind: "notice", ...notice });
}

/**
 * Returns strategies that have stopped since the last check, to record their final result. One that began after it, or
 * that no check has observed since yesterday, has no row; its status events name it.
 */
async function stoppedToday(
  { store }: AlarmCheckDeps,
  { days, events }: AlarmCheckLease,
  running: readonly StrategyView[],
): Promise<StrategyView[]> {
  const known = new Set(running.map(({ strategy }) => strategy.id));
  const ended = new Set(days.filter(({ isFinal }) => isFinal).map(({ strategy }) => strategy));
  const changed = events.flatMap(({ kind, strategy }) => (kind === "status" && strategy ? [strategy] : []));
  const left = [...new Set([...days.map(({ strategy }) => strategy), ...changed])].filter(
    (id) => !known.has(id) && !ended.has(id),
  );
  return (await Promise.all(left.map((id) => store.strategies({ id })))).flat();
}

async function keepDays(
  { reports, kinds, marketTime }: AlarmCheckDeps,
  { now, days, events }: AlarmCheckLease,
  { views, interval }: { readonly views: readonly StrategyView[]; readonly interval: Millis },
): Promise<void> {
  const counts = new Map<string, number>();
  const requested = new Set(
    views.filter(({ strategy }) => strategy.wants === "stop").map(({ strategy }) => strategy.id),
  );
  for (const event of events) {
    // A requested stop that left nothing behind is no incident.
    if (
      event.kind === "status" &&
      event.message.endsWith(" to stopped") &&
      requested.has(event.strategy ?? "")
    )
      continue;
    const level = event.kind === "recovered" ? undefined : levelOf(event.kind, event.message);
    if (event.strategy && (level === "alert" || level === "warning"))
      counts.set(event.strategy, (counts.get(event.strategy) ?? 0) + 1);
  }
  const recent = new Set(days.map(({ strategy }) => strategy));
  const older = views.map(({ strategy: { id } }) => id).filter((id) => !recent.has(id));
  const stored = [...((await reports?.lastDaysOf(older)) ?? []), ...days];
  const rows = rowsAfterCheck({ kinds, marketTime, interval }, stored, { views, now, incidents: counts });
  const known = groupBy(stored, ({ strategy }) => strategy);
  // Reported before it is stored, so after a crash it is reported again.
  for (const message of rows.map((row) => cyclesSince(known.get(row.strategy) ?? [], row)))
    if (message) await reports?.tell({ kind: "cycle", ...message });
  await reports?.keepDays(rows, events.at(-1)?.id);
}

/** Returns the cycles that a grid completed since the last check; undefined if there are none or the number is unknown. */
function cyclesSince(days: readonly StrategyDay[], { strategy, opened, latest }: StrategyDay) {
  const before = days.toSorted((a, b) => b.day - a.day)[0]?.latest ?? opened;
  if (latest.cycles <= before.cycles) return undefined;
  const count = latest.cycles - before.cycles;
  const quote = latest.symbol.split("/")[1];
  const realized = text(roundMoney(latest.realized - before.realized));
  return {
    strategy,
    message: `${pluralize(count, "cycle")} complete, ${realized} ${quote} realized`,
  };
}

async function tellAlarms(
  { reports, local, kinds, interval, awakeFor }: AlarmCheckDeps & { readonly interval: Millis },
  { now, before, ownerBefore, alarms: known }: AlarmCheckLease,
  running: readonly StrategyView[],
  found: readonly Alarm[],
): Promise<void> {
  const isBack = before > 0 && now - before > CHECK_GAP_MS;
  if (isBack) {
    const who =
      ownerBefore === local.name ? `${local.name} is back` : `${local.name} takes over from ${ownerBefore}`;
    const ofOrders = running.length > 0 ? "; orders stayed open, and fills are booked now" : "";
    const message = `${who}: no server was running for ${formatSpan(now - before)}${ofOrders}`;
    await reports?.tell({ strategy: null, kind: "notice", message });
  }
  const hasJustWoken = awakeFor !== undefined && awakeFor() <= lateAfter(interval);
  // After a downtime, its message is sent; the next pass reports everything else. After a sleep, passes run again.
  const news = isBack || hasJustWoken ? found.filter(({ key }) => !isOfPasses(key)) : found;
  for (const alarm of news) if (!known.some(({ key }) => key === alarm.key)) await reports?.raise(alarm);
  for (const alarm of known) {
    if (found.some(({ key }) => key === alarm.key)) continue;
    const message = describeOver(alarm, running, kinds);
    if (message !== undefined) await reports?.clear({ ...alarm, message });
  }
}

/** Finds problems in the stored state: each alarm is reported when it begins and when it ends. */
const STALLED = "stalled";

/** Returns whether an alarm is about missing passes. */
const isOfPasses = (key: string): boolean => key.startsWith(`${STALLED} `);

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

function alarmsOf(
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
  if (!kinds(kind).rangeOf) return [];
  const message = `${symbol} is out of its range: it earns nothing until the price returns; \`edgemaker edit ${id} --lower … --upper …\` moves it`;
  return [{ key: `range ${id}`, strategy: id, kind: "notice", message }];
}
