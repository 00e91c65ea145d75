import type { Candles } from "../../candles/candles.ts";
import type { Tape } from "../../candles/tape.ts";
import { profitOf } from "../../grid/booking.ts";
import { quoteFee, type Warning } from "../../grid/ladder/check-rules.ts";
import type { Checked } from "../../grid/start/check.ts";
import { neededQuote } from "../../grid/start/worst-case.ts";
import type { GridStrategy } from "../../grid/state/state.ts";
import { type Decimal, div, fromNumber, max, min, mul, ONE, sum, text, ZERO } from "../../kernel/decimal.ts";
import { AppError } from "../../kernel/errors.ts";
import { countWithVerb } from "../../kernel/plain-text.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Balance } from "../../model/account.ts";
import { feeWarnings, type Market } from "../../model/market.ts";
import { opened, quoteAt, type StrategyOnPaper, type WalkOptions } from "../paper-account.ts";
import type { QueueModel } from "../queue.ts";
import { type Print, type TapePaper, tapePaper } from "../tape-paper.ts";
import {
  closeAt,
  lowAt,
  missingBars,
  openAt,
  pathsFrom,
  RULES,
  type Rules,
  type Ticks,
  ticksOf,
} from "../ticks.ts";
import {
  type Band,
  bandOf,
  begin,
  checkGrid,
  finish,
  type GridRequest,
  onEachPath,
  type PathRuns,
} from "./begin.ts";
import { closeOf, type Figures, figuresOf } from "./figures.ts";
import {
  begunWalk,
  forked,
  type GridRun,
  goingOn,
  makeGridPass,
  skipTo,
  type Walk,
  type WalkResult,
  walkedTo,
} from "./walk.ts";

export interface BacktestOptions {
  readonly market: Market;
  /** Initial balances; by default, quote for every slot to buy. */
  readonly balances?: readonly Balance[] | undefined;
  readonly rules?: Partial<Rules> | undefined;
  /** Whether to also run the other orders of the extremes within a bar, and the other fill rule. */
  readonly withBand?: boolean;
  /** `walk` runs every pass that can change something; otherwise the backtest uses whole numbers where possible. */
  readonly engine?: WalkResult["engine"];
  /** Queue model for recorded books; absent, only trades move the queue. */
  readonly queue?: QueueModel | undefined;
  /** Called regularly with the number of completed bars; true ends the backtest with a partial result. */
  readonly isOver?: ((bars: number) => boolean) | undefined;
}

export interface BacktestResult {
  readonly engine: WalkResult["engine"];
  readonly rules: Rules;
  readonly market: Market;
  readonly balances: readonly Balance[];
  readonly run: WalkResult;
  readonly figures: Figures;
  /** Minimum and maximum over all ways to fill within a bar; null if they were not all run. */
  readonly band: Band | null;
  readonly warnings: readonly BacktestWarning[];
  /** Number of bars of the candles, or of trades of the tape. */
  readonly bars: number;
  /** Number of bars missing between them. */
  readonly missing: number;
}

interface BacktestWarning {
  readonly code: Warning["code"] | "coarse_candles" | "touch" | "few_cycles" | "missing_bars" | "ended";
  readonly message: string;
}

/** Data of a backtest: bars, or recorded events. */
export type BacktestPast = Candles | Tape;

/** Balances for checking a grid without regard to funds, to find what it needs. */
const plenty = ({ base, quote }: Market): readonly Balance[] =>
  [base, quote].map((asset) => ({ asset, free: 10n ** 15n * ONE, used: 0n }));

const gridBand = (accounts: readonly StrategyOnPaper[], bars: Ticks): Band => {
  const endPrice = closeOf(bars, bars.count - 1);
  return bandOf(
    accounts.map(({ strategy: { state } }) => ({
      total: profitOf(state, endPrice).total,
      count: state.ledger.cycles,
    })),
  );
};

/** Ratio above which the order of the extremes decides the result of a run. */
const COARSE = 1.15;
const FEW_CYCLES = 30;
const WIDE_TICK = ONE / 20n;

/** Number of trades between two checks of whether to end. */
const PRINTS_EACH = 1024;

/** Returns the time of the next trade, or of a book before it. */
const nextTime = ({ tape: { prints, books }, print, book }: TapeWalk): Millis =>
  Math.min(prints.times[print] as number, books?.times[book] ?? Infinity);

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
  if (BigInt(lowAt(bars, 0)) * bars.step < market.tick)
    throw new AppError("Invalid request", `the candles' prices are below the tick of ${text(market.tick)}`);
  const first = quoteAt(market, rules, { at: candles.from, ticks: openAt(bars, 0) }, bars.step);
  const laid = checkGrid(request, { market, quote: first, balances: plenty(market) });
  const invested = mul(sum(laid.slots.map(({ size }) => size)), ONE + quoteFee(market), "up");
  const balances = options.balances ?? enough(laid, market, invested);
  const checked = checkGrid(request, { market, quote: first, balances });
  const strategy = begin(checked, { market, quote: first, balances });
  const begun = { strategy, bars, tape, with: { market, rules, balances, isOver: options.isOver } };
  const { run, accounts } = yield* runsOver(begun, options);
  const figures = figuresOf(run, bars, invested);
  const all = options.withBand ? accounts : null;
  const band = all && gridBand(all, bars);
  const ofOneRule = all && gridBand(all.slice(0, Math.ceil(all.length / 2)), bars);
  const missing = tape ? 0 : missingBars(candles);
  const doubts = backtestDoubts({ run, band: ofOneRule, rules, market, missing, bars });
  return {
    engine: run.engine,
    rules,
    market,
    balances,
    run,
    figures,
    band,
    missing,
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
): Generator<number, PathRuns<WalkResult>> {
  const { rules } = walked;
  const end = bars.count;
  if (tape)
    return yield* onEachPath([rules], end, () => walkingTape(strategy, { tape, bars }, { ...walked, queue }));
  let begun: Walk | undefined;
  return yield* onEachPath(withBand ? pathsFrom(rules) : [rules], end, ({ extremes, fill }) => {
    if (begun?.options.rules.fill !== fill)
      begun = begunWalk(strategy, bars, { ...walked, rules: { ...rules, fill }, mayLeap: engine !== "walk" });
    return goingOn(forked(begun, extremes));
  });
}

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

interface Doubtful extends Pick<BacktestResult, "run" | "band" | "rules" | "market" | "missing"> {
  readonly bars: Ticks;
}

/** Returns warnings about what limits the figures. */
function backtestDoubts({ run, band, rules, market, missing, bars }: Doubtful): BacktestWarning[] {
  const { strategy } = run.account;
  const { cycles } = strategy.state.ledger;
  const spacing = strategy.state.slots.map(({ lower, upper }) => upper - lower).reduce(min);
  const found: BacktestWarning[] = feeWarnings(market);
  if (band && band.count.most > COARSE * Math.max(1, cycles))
    found.push({
      code: "coarse_candles",
      message: `depending on the order of a candle's high and low, there are ${band.count.least} to ${band.count.most} cycles; these candles are too long for this spacing, so use shorter ones`,
    });
  if (rules.fill === "touch" && div(market.tick, spacing, "up") >= WIDE_TICK)
    found.push({
      code: "touch",
      message: "with so few ticks between two levels, fills on touch overstate cycles; use cross",
    });
  if (cycles < FEW_CYCLES)
    found.push({
      code: "few_cycles",
      message: `${countWithVerb(cycles, "cycle")} too few to distinguish luck from skill`,
    });
  if (missing > 0)
    found.push({
      code: "missing_bars",
      message: `${countWithVerb(missing, "candle")} missing; the price is assumed to move straight across each gap`,
    });
  if (strategy.status === "stopped")
    found.push({
      code: "ended",
      message: `the grid ended early: ${endingOfGrid(strategy.state)} in candle ${run.positions.bars.at(-1)} of ${bars.count}`,
    });
  return found;
}

const endingOfGrid = ({ exit }: GridStrategy["state"]): string =>
  exit?.reason === "end" ? "its end time" : (exit?.reason ?? "stop");

interface TapeWalkOptions extends WalkOptions {
  readonly queue: QueueModel;
}

/** State of a run over a tape. */
interface TapeWalk extends GridRun<TapePaper> {
  readonly tape: Tape;
  /** The next book and the next trade. */
  book: number;
  print: number;
}

/**
 * Runs the strategy over a tape: its own passes after every trade and book, or at each round; events at the
 * same time precede the pass. An order fills at most the amounts of the trades that reach it. Yields the processed
 * trades.
 */
export function* walkingTape(
  strategy: GridStrategy,
  { tape, bars }: { readonly tape: Tape; readonly bars: Ticks },
  options: TapeWalkOptions,
): Generator<number, WalkResult> {
  const tapeWalk = begunOn(strategy, { tape, bars }, options);
  const end = tape.prints.times.length;
  passOn(tapeWalk, tape.prints.from);
  for (let value = 0; tapeWalk.print < end; ) {
    if (tapeWalk.print - value >= PRINTS_EACH) {
      value = tapeWalk.print;
      if (options.isOver?.(value)) break;
      yield value;
    }
    const at = nextTime(tapeWalk);
    passesUntil(tapeWalk, at);
    eventsAt(tapeWalk, at);
    if (options.rules.tickInterval === undefined && isDueOn(tapeWalk)) passOn(tapeWalk, at);
  }
  return walkedTo(tapeWalk, tapeWalk.print);
}

function begunOn(
  strategy: GridStrategy,
  { tape, bars }: Pick<TapeWalk, "tape" | "bars">,
  options: TapeWalkOptions,
): TapeWalk {
  const { market, rules, balances, queue } = options;
  const at = tape.prints.from;
  const first = printAt(bars, 0);
  const tapeWalk: TapeWalk = {
    tape,
    bars,
    options,
    account: opened(strategy),
    wake: undefined,
    filled: false,
    venue: tapePaper(market, rules, { balances, first, books: tape.books, queue, step: bars.step }),
    nextPass: at + (rules.tickInterval ?? 0),
    book: 0,
    print: 1,
    fills: [],
    positions: [],
    passes: [],
  };
  booksUntil(tapeWalk, at);
  return tapeWalk;
}

function printAt(bars: Ticks, index: number): Print {
  const { times, volume } = bars.candles;
  return {
    at: times[index] as number,
    ticks: closeAt(bars, index),
    // An unknown amount is NaN.
    amount: fromNumber(volume[index] as number),
  };
}

/** Processes everything recorded up to a time: trades, then the book after them. */
function eventsAt(tapeWalk: TapeWalk, at: Millis): void {
  const { times } = tapeWalk.tape.prints;
  for (; (times[tapeWalk.print] ?? Infinity) <= at; tapeWalk.print++) {
    const { below, above } = tapeWalk.venue.reach();
    const ticks = closeAt(tapeWalk.bars, tapeWalk.print);
    if (ticks > below && ticks < above) tapeWalk.venue.see(at, ticks);
    else tapeWalk.filled = tapeWalk.venue.print(printAt(tapeWalk.bars, tapeWalk.print)) || tapeWalk.filled;
  }
  booksUntil(tapeWalk, at);
}

function booksUntil(tapeWalk: TapeWalk, at: Millis): void {
  const times = tapeWalk.tape.books?.times;
  for (; (times?.[tapeWalk.book] ?? Infinity) <= at; tapeWalk.book++) tapeWalk.venue.show(tapeWalk.book, at);
}

/** Runs the timer's passes before a time, if any: between two events only the first pass can change anything. */
function passesUntil(tapeWalk: TapeWalk, at: Millis): void {
  const interval = tapeWalk.options.rules.tickInterval;
  if (interval === undefined) return;
  while (tapeWalk.nextPass < at && isDueOn(tapeWalk)) {
    passOn(tapeWalk, tapeWalk.nextPass);
    tapeWalk.nextPass += interval;
  }
  skipTo(tapeWalk, at, interval);
}

function isDueOn({ wake, filled, venue, options }: TapeWalk): boolean {
  if (options.everyPass === true || wake === undefined || filled) return true;
  const { below, above } = venue.lastPrices();
  return below <= wake.below || above >= wake.above;
}

function passOn(tapeWalk: TapeWalk, at: Millis): void {
  tapeWalk.venue.see(at);
  makeGridPass(tapeWalk, at, tapeWalk.print - 1);
}
