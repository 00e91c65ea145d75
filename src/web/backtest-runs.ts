import { createValue } from "./session.ts";
import type { Backtest } from "./types.ts";

/** A backtest in this tab: its input and its result. */
export interface Run {
  readonly key: string;
  /** Key of the form that it was started from. */
  readonly form: string;
  readonly timeframe: string;
  /** The start that it tests. */
  readonly start: Readonly<Record<string, unknown>>;
  readonly answer: Backtest;
}

const RUNS_KEY = "edgemaker.backtests";
/** Maximum number of runs side by side; the oldest is dropped first. */
const MAX_RUNS = 8;

/** Newest first, for as long as this tab is open. */
export const runs = createValue<readonly Run[]>(keptRuns());

export const addRun = (run: Run): void => keepRuns([run, ...runs.get()].slice(0, MAX_RUNS));
export const dropRun = (key: string): void => keepRuns(runs.get().filter((run) => run.key !== key));

/** Restores runs; ignores data of another release or edited data. */
function keptRuns(): readonly Run[] {
  try {
    const kept = JSON.parse(sessionStorage.getItem(RUNS_KEY) ?? "[]") as readonly Run[];
    return kept.filter(
      ({ key, form, start, answer }) =>
        key && form && start && Array.isArray(answer.series) && answer.details,
    );
  } catch {
    return [];
  }
}

function keepRuns(next: readonly Run[]): void {
  runs.set(next);
  // A tab's storage is limited: runs that do not fit are shown but not stored.
  for (let count = next.length; count >= 0; count--)
    try {
      sessionStorage.setItem(RUNS_KEY, JSON.stringify(next.slice(0, count)));
      return;
    } catch {}
}
