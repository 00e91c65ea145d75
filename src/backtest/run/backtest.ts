import type { Candles } from "../../candles/candles.ts";
import type { Tape } from "../../candles/tape/tape.ts";
import type { Warning } from "../../grid/ladder/check-rules.ts";
import { quoteFee } from "../../grid/ladder/fees.ts";
import { profitOf } from "../../grid/ledger/profit.ts";
import type { Checked } from "../../grid/start/check.ts";
import { neededQuote } from "../../grid/start/worst-case.ts";
import type { GridStrategy } from "../../grid/state/state.ts";
import { type Decimal, div, max, min, mul, ONE, sum, text, ZERO } from "../../kernel/decimal.ts";
import { AppError } from "../../kernel/errors.ts";
import type { Balance } from "../../model/account.ts";
import type { Market } from "../../model/market.ts";
import { quoteAt } from "../paper/paper.ts";
import type { WalkOptions } from "../paper/walk-options.ts";
import type { QueueModel } from "../tape/queue.ts";
import { type BarPath, pathsFrom, RULES, type Rules } from "../tape/rules.ts";
import { lowAt, openAt, type Ticks, ticksOf } from "../tape/ticks.ts";
import { begin, checkGrid, type GridRequest } from "./begin.ts";
import { closeOf, type Figures, figuresOf } from "./figures.ts";
import { finish } from "./finish.ts";
import { walkingTape } from "./tape-walk.ts";
import { begunWalk, forked, goingOn, type Walk, type Walked } from "./walk.ts";

export interface BacktestOptions {
  readonly market: Market;
  /** Initial balances; by default, quote for every slot to buy. */
  readonly balances?: readonly Balance[] | undefined;
  readonly rules?: Partial<Rules> | undefined;
  /** Whether to also run the other orders of the extremes within a bar, and the other fill rule. */
  readonly withBand?: boolean;
  /** `walk` runs every pass that can change something; otherwise the backtest uses whole numbers where possible. */
  readonly engine?: Walked["engine"];
  /** Queue model for recorded books; absent, only trades move the queue. */
  readonly queue?: QueueModel | undefined;
  /** Called regularly with the number of completed bars; true ends the backtest with a partial result. */
  readonly isOver?: ((bars: number) => boolean) | undefined;
}

export interface BacktestResult {
  readonly engine: Walked["engine"];
  readonly rules: Rules;
  readonly market: Market;
  readonly balances: readonly Balance[];
  readonly run: Walked;
  readonly figures: Figures;
  /** Minimum and maximum over all ways to fill within a bar; null if they were not all run. */
  readonly band: Band | null;
  readonly warnings: readonly BacktestWarning[];
  /** Number of bars of the candles, or of trades of the tape. */
  readonly bars: number;
  /** Number of bars missing between them. */
  readonly missing: number;
}

export interface Band {
  readonly total: { readonly least: Decimal; readonly most: Decimal };
  readonly cycles: { readonly least: number; readonly most: number };
}

export interface BacktestWarning {
  readonly code: Warning["code"] | "coarse_candles" | "touch" | "few_cycles" | "missing_bars" | "ended";
  readonly message: string;
}

/** Data of a backtest: bars, or recorded events. */
export type BacktestPast = Candles | Tape;

/**
 * Tests a grid on historical prices, with the functions that trade, on a venue in memory. Throws AppError for what a
 * start at the first price would refuse. Money figures are exact; docs/backtest.md explains what a bar hides.
 */
export const backtest = (
  request: GridRequest,
  past: BacktestPast,
  options: BacktestOptions,
): BacktestResult => finish(backtesting(request, past, options));

/** Does the same in parts and yields the completed share, so the caller can do other work in between. */
export function* backtesting(
  request: GridRequest,
  past: BacktestPast,
  options: BacktestOptions,
): Generator<number, BacktestResult> {
  const [candles, tape] = "prints" in past ? [past.prints, past] : [past, undefined];
  if (candles.times.length === 0)
    throw new AppError("Invalid request", "there are no candles in this period");
  const { market } = options;
  const rules: Rules = { ...RULES, ...options.rules };
  const bars = ticksOf(candles, market.tick);
  if (lowAt(bars, 0) < 1)
    throw new AppError("Invalid request", `the candles' prices are below the tick of ${text(market.tick)}`);
  const first = quoteAt(market, rules, { at: candles.from, ticks: openAt(bars, 0) });
  const laid = checkGrid(request, { market, quote: first, balances: plenty(market) });
  const invested = mul(sum(laid.slots.map(({ size }) => size)), ONE + quoteFee(market), "up");
  const balances = options.balances ?? enough(laid, market, invested);
  const checked = checkGrid(request, { market, quote: first, balances });
  const strategy = begin(checked, { market, quote: first, balances });
  const begun = { strategy, bars, tape, with: { market, rules, balances, isOver: options.isOver } };
  const runs = yield* runsOver(begun, options);
  const [run] = runs as [Walked];
  const figures = figuresOf(run, bars, invested);
  const ways = tape ? 1 : pathsFrom(rules).length;
  const { band, ofOneRule } = bandsOf(runs, bars, options.withBand ? ways : 0);
  const missing = tape ? 0 : missingOf(candles);
  const doubts = backtestDoubts({ run, band: ofOneRule, rules, market, missing, bars });
  return {
    ...{ engine: run.engine, rules, market, balances, run, figures, band, missing },
    warnings: [...checked.warnings, ...doubts],
    bars: bars.count,
  };
}

interface BegunBacktest {
  readonly strategy: GridStrategy;
  readonly bars: Ticks;
  readonly tape: Tape | undefined;
  readonly with: WalkOptions;
}

/** Runs once over a tape, which has one order of prices; over bars, once for each way to fill within them. */
function* runsOver(
  { strategy, bars, tape, with: walked }: BegunBacktest,
  { queue = "trades", withBand, engine }: BacktestOptions,
): Generator<number, readonly KeptRun[]> {
  const { rules } = walked;
  const end = bars.count;
  if (tape)
    return yield* oneByOne([rules], end, () => walkingTape(strategy, { tape, bars }, { ...walked, queue }));
  let begun: Walk | undefined;
  return yield* oneByOne(withBand ? pathsFrom(rules) : [rules], end, ({ extremes, fill }) => {
    if (begun?.options.rules.fill !== fill)
      begun = begunWalk(strategy, bars, { ...walked, rules: { ...rules, fill }, mayLeap: engine !== "walk" });
    return goingOn(forked(begun, extremes));
  });
}

/** Kept part of a run; the first one is kept whole. */
type KeptRun = Pick<Walked, "account">;

/**
 * Runs one after another, and yields the completed share of all; after a run that was ended early, only the first one
 * is kept.
 */
function* oneByOne(
  paths: readonly BarPath[],
  end: number,
  begun: (path: BarPath) => Generator<number, Walked>,
): Generator<number, readonly KeptRun[]> {
  const runs: KeptRun[] = [];
  for (const [i, path] of paths.entries()) {
    const work = begun(path);
    let step = work.next();
    for (; !step.done; step = work.next()) yield (i * end + step.value) / (paths.length * end);
    runs.push(i === 0 ? step.value : { account: step.value.account });
    if (step.value.bars < end) return runs.slice(0, 1);
  }
  return runs;
}

/** Balances for checking a grid without regard to funds, to find what it needs. */
const plenty = ({ base, quote }: Market): readonly Balance[] =>
  [base, quote].map((asset) => ({ asset, free: 10n ** 15n * ONE, used: 0n }));

/** Returns the quote for every slot to buy and for a possible initial buy; more if shares of it must remain. */
function enough(laid: Checked, market: Market, invested: Decimal): readonly Balance[] {
  const { config, slots, startPrice } = laid;
  const takingPrice = mul(startPrice, (102n * ONE) / 100n, "up");
  const needed = neededQuote({
    config,
    state: { slots, idle: [] },
    startPrice,
    takingPrice,
    market,
    balances: [],
  });
  const share = min(config.maxPosition ?? ONE, ONE - (config.safetyReserve ?? ZERO));
  const free = div(max(needed, invested), max(share, ONE / 100n), "up");
  return [{ asset: market.quote, free, used: ZERO }];
}

/** Returns the band over all runs, and over those of the requested fill rule; null unless all were run. */
function bandsOf(runs: readonly KeptRun[], bars: Ticks, count: number) {
  if (runs.length !== count) return { band: null, ofOneRule: null };
  return { band: bandOf(runs, bars), ofOneRule: bandOf(runs.slice(0, Math.ceil(count / 2)), bars) };
}

function bandOf(runs: readonly KeptRun[], bars: Ticks): Band {
  const endPrice = closeOf(bars, bars.count - 1);
  const totals = runs.map(({ account }) => profitOf(account.strategy.state, endPrice).total);
  const cycles = runs.map(({ account }) => account.strategy.state.ledger.cycles);
  return {
    total: { least: totals.reduce(min), most: totals.reduce((a, b) => (a > b ? a : b)) },
    cycles: { least: Math.min(...cycles), most: Math.max(...cycles) },
  };
}

function missingOf({ times, spanMillis }: Candles): number {
  const span = (times.at(-1) as number) - (times[0] as number);
  return Math.max(0, Math.round(span / spanMillis) + 1 - times.length);
}

/** Ratio above which the order of the extremes decides the result of a run. */
const COARSE = 1.15;
const FEW_CYCLES = 30;
const WIDE_TICK = ONE / 20n;

interface Doubtful extends Pick<BacktestResult, "run" | "band" | "rules" | "market" | "missing"> {
  readonly bars: Ticks;
}

/** Returns warnings about what limits the figures. */
function backtestDoubts({ run, band, rules, market, missing, bars }: Doubtful): BacktestWarning[] {
  const { strategy } = run.account;
  const { cycles } = strategy.state.ledger;
  const spacing = strategy.state.slots.map(({ lower, upper }) => upper - lower).reduce(min);
  const found: BacktestWarning[] = [];
  if (band && band.cycles.most > COARSE * Math.max(1, cycles))
    found.push({
      code: "coarse_candles",
      message: `depending on the order of a candle's high and low, there are ${band.cycles.least} to ${band.cycles.most} cycles; these candles are too long for this spacing, so use shorter ones`,
    });
  if (rules.fill === "touch" && div(market.tick, spacing, "up") >= WIDE_TICK)
    found.push({
      code: "touch",
      message: "with so few ticks between two levels, fills on touch overstate cycles; use cross",
    });
  if (cycles < FEW_CYCLES)
    found.push({
      code: "few_cycles",
      message: `${cycles} cycles are too few to distinguish luck from skill`,
    });
  if (missing > 0)
    found.push({
      code: "missing_bars",
      message: `${missing} candles are missing; the price is assumed to move straight across each gap`,
    });
  if (strategy.status === "stopped")
    found.push({
      code: "ended",
      message: `the grid ended early: ${strategy.state.exit?.reason ?? "stop"} in candle ${run.positions.bars.at(-1)} of ${bars.count}`,
    });
  return found;
}
