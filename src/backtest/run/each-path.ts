import { type Decimal, max, min } from "../../kernel/decimal.ts";
import type { BarPath } from "../tape/ticks.ts";

interface PathRun {
  readonly account: unknown;
  /** Number of completed bars, fewer than all if it was ended early. */
  readonly bars: number;
}

/** The requested run, and the accounts of all runs; null if one was ended early. */
export interface PathRuns<R extends PathRun> {
  readonly run: R;
  readonly accounts: readonly R["account"][] | null;
}

/** Runs once for each way to fill within a bar, and yields the completed share of all. Only the first run is kept whole. */
export function* onEachPath<R extends PathRun>(
  paths: readonly BarPath[],
  count: number,
  begun: (path: BarPath) => Generator<number, R>,
): Generator<number, PathRuns<R>> {
  const accounts: R["account"][] = [];
  let first: R | undefined;
  for (const path of paths) {
    const work = begun(path);
    let step = work.next();
    for (; !step.done; step = work.next())
      yield (accounts.length * count + step.value) / (paths.length * count);
    first ??= step.value;
    if (step.value.bars < count) return { run: first, accounts: null };
    accounts.push(step.value.account);
  }
  return { run: first as R, accounts };
}

/** Minimum and maximum over all ways to fill within a bar. */
export interface Band {
  readonly total: { readonly least: Decimal; readonly most: Decimal };
  /** Of cycles, or of filled orders. */
  readonly count: { readonly least: number; readonly most: number };
}

export function bandOf(results: readonly { readonly total: Decimal; readonly count: number }[]): Band {
  const totals = results.map(({ total }) => total);
  const counts = results.map(({ count }) => count);
  return {
    total: { least: totals.reduce(min), most: totals.reduce(max) },
    count: { least: Math.min(...counts), most: Math.max(...counts) },
  };
}
