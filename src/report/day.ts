import { accountsOf, isInRange, isReadable } from "../engine/accounts.ts";
import { ZERO } from "../kernel/decimal.ts";
import { DAY, dayOf, MINUTE, type Millis, timeGap } from "../kernel/time.ts";
import { parseAccountKey } from "../model/account.ts";
import type { DayTotals, StrategyDay } from "../model/news.ts";
import { groupBy } from "../model/order.ts";
import type { Deps } from "../ports/deps.ts";
import type { Kinds } from "../ports/kind.ts";
import type { StrategyView } from "../ports/stores/store.ts";

/** Checks are a minute apart; after this long without one, the time in between was not observed. */
export const CHECK_GAP_MS: Millis = 2.5 * MINUTE;

function totalsNow(view: StrategyView, kinds: Kinds): DayTotals {
  const { symbol } = view.strategy;
  const { total, realized, fees, cycles, filledOrders } = accountsOf(view, kinds);
  return { total, realized, fees, cycles, filledOrders, symbol };
}

interface DayLook {
  readonly now: Millis;
  /** Time that this check covers: since the previous one, unless there was none for long. */
  readonly elapsed: Millis;
  /** Market time at which this day began; strategies use market time. */
  readonly dayBegan: Millis;
  readonly isUp: boolean;
  readonly incidents: number;
  readonly kinds: Kinds;
}

/** Returns the strategy's row of this day after a check; `rows` are its last two. */
export function withLook(rows: readonly StrategyDay[], view: StrategyView, look: DayLook): StrategyDay {
  const { strategy } = view;
  const { now, elapsed, dayBegan, isUp, incidents, kinds } = look;
  const day = dayOf(now);
  const standing = totalsNow(view, kinds);
  const known = rows.find((row) => row.day === day);
  const before = rows.findLast((row) => row.day < day);
  const today: StrategyDay = known ?? {
    strategy: strategy.id,
    day,
    account: strategy.account,
    opened: before?.latest ?? (strategy.number >= dayBegan ? begun(standing) : standing),
    latest: standing,
    from: before ? day * DAY : now,
    to: now,
    upMillis: 0,
    inRangeMillis: 0,
    incidents: 0,
    isFinal: false,
  };
  const spent = Math.max(0, Math.min(elapsed, now - Math.min(today.from, today.to)));
  // Passes carry out a stop, and the account can have none afterwards.
  const ran = isUp || strategy.status === "stopped" ? spent : 0;
  return {
    ...today,
    latest: standing,
    to: now,
    upMillis: today.upMillis + ran,
    inRangeMillis: today.inRangeMillis + (isInRange(view, kinds) ? ran : 0),
    incidents: today.incidents + incidents,
    isFinal: strategy.status === "stopped",
  };
}

/** Returns how long an account with this `interval` can have no pass before an alarm. */
export const lateAfter = (interval: Millis): Millis => Math.max(MINUTE, 3 * interval);

interface Looked {
  readonly views: readonly StrategyView[];
  readonly now: Millis;
  /** New incidents by strategy. */
  readonly incidents?: ReadonlyMap<string, number>;
}

/**
 * Returns the row of each strategy after a check at `now`, without those that cannot be read, such as a newer version's.
 * `rows` are in order of days, with the last row of each strategy, however old: what it earned since counts to this day.
 */
export function rowsAfterCheck(
  { kinds, marketTime, interval = MINUTE }: Pick<Deps, "kinds" | "marketTime" | "interval">,
  rows: readonly StrategyDay[],
  { views, now, incidents }: Looked,
): readonly StrategyDay[] {
  const known = groupBy(rows, ({ strategy }) => strategy);
  return views
    .filter((view) => isReadable(view, kinds))
    .map((view) => {
      const { strategy, steppedAt } = view;
      const own = (known.get(strategy.id) ?? []).slice(-2);
      const place = parseAccountKey(strategy.account);
      const until = observedUntil(strategy, own, { now, marketNow: marketTime(place, now) });
      const unchecked = until - Math.max(0, ...own.map(({ to }) => to));
      return withLook(own, view, {
        now: until,
        elapsed: unchecked > CHECK_GAP_MS ? 0 : unchecked,
        dayBegan: marketTime(place, dayOf(until) * DAY),
        isUp: steppedAt !== null && timeGap(steppedAt, now) <= lateAfter(interval),
        incidents: incidents?.get(strategy.id) ?? 0,
        kinds,
      });
    });
}

/** Returns until when a check at `now` observes a strategy: up to its stop, and not before its previous check. */
function observedUntil(
  { stoppedAt }: StrategyView["strategy"],
  own: readonly StrategyDay[],
  { now, marketNow }: { readonly now: Millis; readonly marketNow: Millis },
): Millis {
  if (stoppedAt === null) return now;
  const stopped = now - Math.max(0, marketNow - stoppedAt);
  return Math.max(stopped, ...own.map(({ to }) => Math.min(to, now)));
}

/** Returns the rows with those that a check at `now` would store: the next one can be a minute away, or never come. */
export function daysUntilNow(
  deps: Pick<Deps, "kinds" | "marketTime" | "interval">,
  rows: readonly StrategyDay[],
  looked: Looked,
): readonly StrategyDay[] {
  const fresh = rowsAfterCheck(deps, rows, looked);
  const isFresh = new Set(fresh.map(({ strategy, day }) => `${day} ${strategy}`));
  return [...rows.filter(({ strategy, day }) => !isFresh.has(`${day} ${strategy}`)), ...fresh];
}

/** Returns the initial row of a strategy that started on the day itself. */
const begun = (standing: DayTotals): DayTotals => ({
  ...standing,
  total: ZERO,
  realized: ZERO,
  fees: ZERO,
  cycles: 0,
  filledOrders: 0,
});
