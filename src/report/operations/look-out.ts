import { isReadable } from "../../engine/accounts.ts";
import { roundMoney, text } from "../../kernel/decimal.ts";
import { pluralize } from "../../kernel/pluralize.ts";
import { DAY, dayOf, formatSpan, HOUR, MINUTE, type Millis, timeGap } from "../../kernel/time.ts";
import { parseAccountKey } from "../../model/account.ts";
import type { Alarm, StrategyDay } from "../../model/day.ts";
import { levelOf } from "../../model/news.ts";
import type { StrategyView } from "../../ports/stores/strategy-store.ts";
import type { MetricsDeps } from "../../storage/metrics.ts";
import { alarmsOf, describeOver, isOfPasses, lateAfter } from "../alarms.ts";
import { LOOK_GAP, withLook } from "../days.ts";
import type { Lookout, ReportDeps } from "../store.ts";

export type LookoutDeps = Pick<
  ReportDeps & MetricsDeps,
  "reports" | "metrics" | "store" | "local" | "interval" | "requests" | "kinds" | "marketTime"
> & {
  /** The sampled pairs: their obligations are checked too. */
  readonly liquidity?: { readonly pairs: readonly unknown[] };
};

/** Interval of the checks; the first process to start one makes it. */
const LOOK_EVERY: Millis = MINUTE;
const STRATEGIES_PER_LOOK = 1000;
/** Number of requests of a check without changes. */
const REQUESTS_PER_LOOK = 8;

/** Returns notices about the hour that ended at `until`. */
type HourNotices = (
  running: readonly StrategyView[],
  until: Millis,
) => Promise<readonly { readonly strategy: string; readonly message: string }[]>;

/** Checks everything that runs: records each strategy's day, and finds problems; in an hour's first check, also notices. */
export async function lookOut(
  deps: LookoutDeps,
  alsoWrong: (now: Millis) => Promise<readonly Alarm[]> = async () => [],
  noticesOf: HourNotices = async () => [],
): Promise<void> {
  const { reports, metrics, store, local, interval = MINUTE, requests, kinds, marketTime } = deps;
  const promised = deps.liquidity?.pairs.length ?? 0;
  if (!reports || !metrics || (requests && requests() < REQUESTS_PER_LOOK + promised)) return;
  const turn = await reports.lookOut({ every: LOOK_EVERY, owner: local.name, page: STRATEGIES_PER_LOOK });
  if (!turn) return;
  const [running, readings] = await Promise.all([store.strategies({ stopped: false }), metrics.readings()]);
  const views = [...running, ...(await stoppedToday(deps, turn, running))];
  // Without those that cannot be read, such as a newer version's, so the others still have days and alarms.
  await keepDays(deps, turn, { views: views.filter((view) => isReadable(view, kinds)), interval });
  const others = await alsoWrong(turn.now);
  const found = alarmsOf(running, readings, { interval, kinds, marketTime });
  await tellAlarms(deps, turn, running, [...found, ...others]);
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
  { store }: LookoutDeps,
  { days, events }: Lookout,
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
  { reports, kinds, marketTime }: LookoutDeps,
  { now, before, days, events }: Lookout,
  { views, interval }: { readonly views: readonly StrategyView[]; readonly interval: Millis },
): Promise<void> {
  const elapsed = now - before > LOOK_GAP ? 0 : now - before;
  const counts = new Map<string, number>();
  for (const event of events) {
    const level = event.kind === "recovered" ? undefined : levelOf(event.kind, event.message);
    if (event.strategy && (level === "alert" || level === "warning"))
      counts.set(event.strategy, (counts.get(event.strategy) ?? 0) + 1);
  }
  const known = new Map<string, StrategyDay[]>();
  for (const row of days) known.set(row.strategy, [...(known.get(row.strategy) ?? []), row]);
  const rows = views.map((view) => {
    const { id, account } = view.strategy;
    const isUp = view.steppedAt !== null && timeGap(view.steppedAt, now) <= lateAfter(interval);
    const own = known.get(id) ?? [];
    const dayBegan = marketTime(parseAccountKey(account), dayOf(now) * DAY);
    return withLook(own, view, { now, elapsed, dayBegan, isUp, incidents: counts.get(id) ?? 0, kinds });
  });
  // Reported before it is stored, so after a crash it is reported again.
  for (const message of rows.map((row) => cyclesSince(known.get(row.strategy) ?? [], row)))
    if (message) await reports?.tell({ kind: "cycle", ...message });
  await reports?.keepDays(rows, events.at(-1)?.id);
}

/** Returns the cycles that a grid completed since the last check; undefined if there are none or the number is unknown. */
function cyclesSince(days: readonly StrategyDay[], { strategy, latest }: StrategyDay) {
  const before = days.toSorted((a, b) => b.day - a.day)[0]?.latest;
  if (!before || latest.cycles <= before.cycles) return undefined;
  const count = latest.cycles - before.cycles;
  const quote = latest.symbol.split("/")[1];
  const realized = text(roundMoney(latest.realized - before.realized));
  return {
    strategy,
    message: `${pluralize(count, "cycle")} complete, ${realized} ${quote} realized`,
  };
}

async function tellAlarms(
  { reports, local, kinds }: LookoutDeps,
  { now, before, ownerBefore, alarms: known }: Lookout,
  running: readonly StrategyView[],
  found: readonly Alarm[],
): Promise<void> {
  const isBack = before > 0 && now - before > LOOK_GAP;
  if (isBack) {
    const who =
      ownerBefore === local.name ? `${local.name} is back` : `${local.name} takes over from ${ownerBefore}`;
    const message = `${who}: no server was running for ${formatSpan(now - before)}; orders stayed open, and fills are booked now`;
    await reports?.tell({ strategy: null, kind: "notice", message });
  }
  // After a downtime, its message is sent; the next pass reports everything else.
  const news = isBack ? found.filter(({ key }) => !isOfPasses(key)) : found;
  for (const alarm of news) if (!known.some(({ key }) => key === alarm.key)) await reports?.raise(alarm);
  for (const alarm of known) {
    if (found.some(({ key }) => key === alarm.key)) continue;
    const message = describeOver(alarm, running, kinds);
    if (message !== undefined) await reports?.clear({ ...alarm, message });
  }
}
