import { DAY, type Millis } from "../../kernel/time.ts";
import { parseAccountKey } from "../../model/account.ts";
import type { StrategyDay } from "../../model/day.ts";
import type { MeasuredFill } from "../../model/fill.ts";
import type { Deps } from "../../ports/deps.ts";
import type { HistoryPlace } from "../../ports/stores/history-store.ts";
import type { ReportStore } from "../../ports/stores/report-store.ts";
import { fillCounter, type MeasuredDay, type MeasuredStrategy, measuredDays } from "../measure.ts";

export interface MeasuredRequest {
  /** First and last day. */
  readonly from: number;
  readonly to: number;
  /** Selects days of strategies. */
  readonly isOf: (day: StrategyDay) => boolean;
  /** Whether fills are also counted by side, level and hour. */
  readonly isGrouped?: boolean;
  /** Lets others run between two parts of the calculation. */
  readonly between: () => Promise<void>;
}

type MeasuredDeps = Pick<Deps, "store" | "marketTime"> & { readonly reports: ReportStore };

/** Number of days that are read at once. */
const DAYS_A_READ = 31;

/** Reads the strategies with a day in the span, each with the fills of its days. */
export async function readMeasured(deps: MeasuredDeps, request: MeasuredRequest) {
  const { store, marketTime } = deps;
  const { from, isGrouped = false, between } = request;
  const { rows, until } = await readRows(deps, request);
  const strategies: MeasuredStrategy[] = [];
  for (const ofStrategy of rows) {
    const account = parseAccountKey((ofStrategy[0] as StrategyDay).account);
    const span = measuredDays(ofStrategy, { from, marketTime: (at) => marketTime(account, at) });
    if (span.length === 0) continue;
    const measured = { days: span, groups: isGrouped ? new Map() : null };
    await measureFillsOf({ store }, measured, between);
    strategies.push(measured);
  }
  return { strategies, until };
}

/** Reads the rows of each strategy, with the day before the span, and the end of the span. */
async function readRows(
  { reports }: Pick<MeasuredDeps, "reports">,
  { from, to, isOf, between }: MeasuredRequest,
): Promise<{ readonly rows: Iterable<readonly StrategyDay[]>; readonly until: Millis }> {
  const rows = new Map<string, StrategyDay[]>();
  let until = 0;
  for (let first = from - 1; first <= to; first += DAYS_A_READ) {
    const { days, now } = await reports.daysOf(first, Math.min(to, first + DAYS_A_READ - 1));
    for (const day of days.filter(isOf)) {
      const known = rows.get(day.strategy);
      if (known) known.push(day);
      else rows.set(day.strategy, [day]);
    }
    until = Math.min(now, (to + 1) * DAY);
    await between();
  }
  return { rows: rows.values(), until };
}

/** About 5 ms of calculation, so other requests are served between two pages. */
const FILLS_A_PAGE = 500;

/** Reads the fills of a strategy's days, newest first. The cost grows with these fills only. */
async function measureFillsOf(
  { store }: Pick<MeasuredDeps, "store">,
  measured: MeasuredStrategy,
  between: () => Promise<void>,
): Promise<void> {
  const { days } = measured;
  const [first, last] = [days[0], days.at(-1)] as [MeasuredDay, MeasuredDay];
  const count = fillCounter(measured);
  let before: HistoryPlace | undefined = { at: last.until };
  while (before) {
    const fills = await store.measuredFillsOf(first.row.strategy, { limit: FILLS_A_PAGE, before });
    for (const fill of fills) count(fill);
    await between();
    const oldest: MeasuredFill | undefined = fills.length < FILLS_A_PAGE ? undefined : fills.at(-1);
    before = oldest && oldest.at >= first.since ? { at: oldest.at, id: oldest.tradeId } : undefined;
  }
}
