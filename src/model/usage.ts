/** Usage of passes, counted as platforms bill it. Times are protocol time; days are UTC. */
import { DAY, type Millis, stampOf } from "../kernel/time.ts";

/** Rows are null if the database does not report them: unknown is not zero. */
export interface Cost {
  readonly exchangeCalls: number;
  readonly databaseRequests: number;
  readonly rowsRead: number | null;
  readonly rowsWritten: number | null;
}

/** Usage of an account on one day, from its first pass to its last, by strategy. */
export interface CostDay {
  readonly day: number;
  readonly from: Millis;
  readonly to: Millis;
  readonly of: Readonly<Record<string, Cost>>;
}

/** Requests to a database, added up as they are made. */
export type DatabaseUse = { -readonly [name in Exclude<keyof Cost, "exchangeCalls">]: Cost[name] };

export const newUse = (): DatabaseUse => ({ databaseRequests: 0, rowsRead: 0, rowsWritten: 0 });

const NO_COST: Cost = { exchangeCalls: 0, databaseRequests: 0, rowsRead: 0, rowsWritten: 0 };
const DAYS_KEPT = 2;

/** Returns the newest days with one more pass. Strategies share the cost of common requests equally. */
export function withPass(
  days: readonly CostDay[],
  at: Millis,
  { strategies, calls, use }: { strategies: readonly string[]; calls: VenueCalls; use: DatabaseUse },
): readonly CostDay[] {
  const day = Math.floor(at / DAY);
  const today = days.find((costDay) => costDay.day === day) ?? { day, from: at, to: at, of: {} };
  const own = Object.values(calls.own).reduce((sum, count) => sum + count, 0);
  const share = 1 / Math.max(1, strategies.length);
  const of = { ...today.of };
  for (const id of strategies) {
    const pass: Cost = {
      exchangeCalls: (calls.made - own) * share + (calls.own[id] ?? 0),
      databaseRequests: use.databaseRequests * share,
      rowsRead: use.rowsRead === null ? null : use.rowsRead * share,
      rowsWritten: use.rowsWritten === null ? null : use.rowsWritten * share,
    };
    of[id] = addCosts(of[id] ?? NO_COST, pass);
  }
  const kept = days.filter((costDay) => costDay.day !== day && costDay.day > day - DAYS_KEPT);
  return [{ ...today, to: Math.max(today.to, at), of }, ...kept];
}

const addCosts = (a: Cost, b: Cost): Cost => ({
  exchangeCalls: roundCount(a.exchangeCalls + b.exchangeCalls),
  databaseRequests: roundCount(a.databaseRequests + b.databaseRequests),
  rowsRead: a.rowsRead === null || b.rowsRead === null ? null : roundCount(a.rowsRead + b.rowsRead),
  rowsWritten:
    a.rowsWritten === null || b.rowsWritten === null ? null : roundCount(a.rowsWritten + b.rowsWritten),
});

// Rounds thirds of a request, so the stored text stays short.
const roundCount = (count: number): number => Math.round(count * 1e4) / 1e4;

export const dateOf = (day: number): string => stampOf(day * DAY).slice(0, 10);

/** Calls to the exchange in a pass. */
export interface VenueCalls {
  readonly made: number;
  /** Calls for one strategy's orders only, by its id. */
  readonly own: Readonly<Record<string, number>>;
}
