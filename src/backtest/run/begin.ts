import {
  type CenteredRequest,
  type Checked,
  checkCentered,
  checkStart,
  type RequestedRange,
} from "../../grid/start/check.ts";
import { firstState } from "../../grid/start/planned-start.ts";
import { type GridStrategy, STORED_GRID } from "../../grid/state/state.ts";
import { type Decimal, max, min } from "../../kernel/decimal.ts";
import { NO_STOP } from "../../kernel/fields.ts";
import { splitPair } from "../../kernel/pair.ts";
import { accountKey, type Balance } from "../../model/account.ts";
import type { BidAsk, Market } from "../../model/market.ts";
import type { BarPath } from "../ticks.ts";

/** A grid as a user requests it: between two prices, or around the market. */
export type GridRequest = RequestedRange | CenteredRequest;

interface CheckInputs {
  readonly market: Market;
  readonly quote: BidAsk;
  readonly balances: readonly Balance[];
}

/**
 * Returns the plan of a start at the first price. Throws AppError for what a start would refuse, except a grid above
 * the first price without base, which waits for the price.
 */
export function checkGrid(query: GridRequest, inputs: CheckInputs): Checked {
  const waiting = { ...inputs, mayWait: true };
  return "centered" in query ? checkCentered(query, waiting) : checkStart(query, waiting);
}

/** Returns the strategy as a start would store it, before its first pass. */
export function begin(checked: Checked, { market, quote }: CheckInputs, exchange = "backtest"): GridStrategy {
  const { base, quote: asset } = splitPair(market.symbol);
  const isWaiting = checked.config.triggerPrice !== undefined;
  return {
    id: `grid-${exchange}-${base}-${asset}-${quote.at}`,
    kind: STORED_GRID.name,
    version: STORED_GRID.version,
    number: quote.at,
    account: accountKey({ exchange, kind: "sandbox", host: "" }),
    symbol: market.symbol,
    config: checked.config,
    state: firstState(checked, quote),
    wants: "run",
    ...NO_STOP,
    status: isWaiting ? "idle" : "running",
    phase: "starting",
    lastError: null,
    startedAt: quote.at,
    stoppedAt: null,
    epoch: 0,
    resumes: 0,
    request: null,
  };
}

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

/** Runs a calculation in parts without pauses, and returns its result. */
export function finish<T>(work: Generator<unknown, T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}
