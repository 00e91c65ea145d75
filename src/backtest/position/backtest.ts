/** Backtests a position over candles. */

import type { Candles } from "../../candles/candles.ts";
import { type PositionStrategy, positionAccounts } from "../../engine/position/position.ts";
import { type Decimal, max, min, mul, text, ZERO } from "../../kernel/decimal.ts";
import { AppError } from "../../kernel/errors.ts";
import { NO_STOP } from "../../kernel/fields.ts";
import type { Pair } from "../../kernel/pair.ts";
import { countWithVerb } from "../../kernel/plain-text.ts";
import { midOf } from "../../kernel/spread.ts";
import { type Millis, SECOND } from "../../kernel/time.ts";
import { accountKey, type Balance } from "../../model/account.ts";
import { type BidAsk, feeWarnings, type Market } from "../../model/market.ts";
import {
  type Fill,
  HORIZONS,
  type HorizonName,
  isInferred,
  isMidAt,
  type MeasuredFill,
} from "../../model/order.ts";
import type { PairAmounts } from "../../model/strategy.ts";
import { DEFAULT_TICK_INTERVAL_MS } from "../../ports/deps.ts";
import type { Kinds } from "../../ports/kind.ts";
import { addToTallies, newTally, type Tally } from "../../quality/tally.ts";
import { cornersOf } from "../jump.ts";
import { opened, passOnPaper, type StrategyOnPaper, type WalkOptions } from "../paper-account.ts";
import { floatUnits, type PositionRow, positionsOf } from "../paper-positions.ts";
import { type Band, bandOf, onEachPath } from "../run/begin.ts";
import { type Curve, closeOf, curveOf } from "../run/figures.ts";
import { type BarRun, barRun, walkTo } from "../run/walk.ts";
import { lowAt, missingBars, openAt, pathsFrom, RULES, type Rules, type Ticks, ticksOf } from "../ticks.ts";
import type { RequestedPast } from "./requested-past.ts";

export interface PositionBacktestOptions extends Pick<PositionWalkOptions, "kinds" | "requested"> {
  readonly market: Market;
  readonly rules?: Partial<Rules>;
  readonly isOver?: (bars: number) => boolean;
  /** Whether to also run the other orders of the extremes within a bar, and the other fill rule; default true. */
  readonly withBand?: boolean;
}

export interface PositionBacktest<S extends PositionStrategy> {
  readonly rules: Rules & { readonly tickInterval: number };
  readonly config: S["config"];
  readonly market: Market;
  readonly run: WalkedPosition<S>;
  readonly startPrice: Decimal;
  readonly endPrice: Decimal;
  /** Initial value in quote. */
  readonly invested: Decimal;
  /** Result of holding the initial balances unchanged. */
  readonly kept: Decimal;
  readonly curve: Curve;
  /** Null if a run ended early. */
  readonly band: Band | null;
  readonly warnings: readonly { readonly code: string; readonly message: string }[];
  readonly bars: number;
  readonly missing: number;
}

/**
 * Backtests a strategy with its config and state, as a start would store them. Yields the completed share. Throws
 * AppError.
 */
export function* backtestingPosition<S extends PositionStrategy>(
  begin: (startPrice: Decimal) => S,
  candles: Candles,
  { market, rules: given, isOver, kinds, requested, withBand = true }: PositionBacktestOptions,
): Generator<number, PositionBacktest<S>> {
  const bars = ticksOf(candles, market.tick);
  // Without bars the lowest price is below every one.
  if (BigInt(lowAt(bars, 0)) * bars.step < market.tick)
    throw new AppError("Invalid request", `the candles' prices are below the tick of ${text(market.tick)}`);
  const rules = { ...RULES, ...given, tickInterval: given?.tickInterval ?? DEFAULT_TICK_INTERVAL_MS };
  const price = (ticks: number) => BigInt(ticks) * bars.step;
  const startPrice = price(openAt(bars, 0));
  const strategy = begin(startPrice);
  const { budget } = strategy.config;
  const balances = [
    { asset: market.base, free: budget.base, used: ZERO },
    { asset: market.quote, free: budget.quote, used: ZERO },
  ] satisfies Balance[];
  const paths = withBand ? pathsFrom(rules) : [rules];
  const { run, accounts } = yield* onEachPath(paths, bars.count, ({ extremes, fill }) =>
    walkingPosition(strategy, bars, {
      market,
      rules: { ...rules, extremes, fill },
      balances,
      isOver,
      kinds,
      requested,
    }),
  );
  const endPrice = closeOf(bars, run.bars - 1);
  const invested = positionValue(budget, startPrice);
  const missing = missingBars(candles);
  return {
    rules,
    config: strategy.config,
    market,
    run,
    startPrice,
    endPrice,
    missing,
    invested,
    kept: positionValue(budget, endPrice) - invested,
    curve: curveOf(positionsOf(run.rows), bars, { count: run.bars, invested: floatUnits(invested) }),
    band: withBand && accounts ? positionBand(accounts, endPrice) : null,
    warnings: [...feeWarnings(market), ...doubtsOf(run, { rules, missing, span: candles.spanMillis })],
    bars: bars.count,
  };
}

/** Funds at the start. */
export interface PastBudget {
  readonly baseBudget?: Decimal | undefined;
  readonly quoteBudget?: Decimal | undefined;
}

/** Returns the budget of the backtest; there is no account whose free balance could be used. */
export function pastBudget({ baseBudget = ZERO, quoteBudget = ZERO }: PastBudget): PairAmounts {
  const budget = { base: baseBudget, quote: quoteBudget };
  if (budget.base + budget.quote > ZERO) return budget;
  throw new AppError("Invalid request", "set baseBudget and quoteBudget");
}

/** Returns the fields that a start would store besides kind, config and state. */
export const pastStrategy = (
  id: string,
  symbol: Pair,
  at: number,
  { triggerPrice }: Pick<PositionStrategy["config"], "triggerPrice">,
): Omit<PositionStrategy, "kind" | "version" | "config" | "state" | "edit"> => ({
  id,
  number: at,
  symbol,
  account: accountKey({ exchange: "backtest", kind: "sandbox", host: "" }),
  ...NO_STOP,
  wants: "run",
  status: triggerPrice === undefined ? "running" : "idle",
  phase: "starting",
  lastError: null,
  startedAt: at,
  stoppedAt: null,
  epoch: 0,
  resumes: 0,
  request: null,
});

const positionBand = (accounts: readonly StrategyOnPaper<PositionStrategy>[], price: Decimal): Band =>
  bandOf(
    accounts.map(({ strategy }) => {
      const { total, filledOrders } = positionAccounts(strategy, price);
      return { total, count: filledOrders };
    }),
  );

const FEW_FILLS = 30;

/** Warns about what candles hide, which makes quotes look better than they are. */
function doubtsOf<S extends PositionStrategy>(
  { account }: WalkedPosition<S>,
  {
    rules,
    missing,
    span,
  }: { readonly rules: PositionBacktest<S>["rules"]; readonly missing: number; readonly span: number },
): PositionBacktest<S>["warnings"] {
  const { bids, asks } = account.strategy.state.ledger;
  const results = [
    {
      code: "no_book",
      message:
        "candles have no order book: every order fills completely when the price passes it, and other exchanges do not count. Real quotes fill less often, and mostly when a fill loses money",
    },
  ];
  if (rules.tickInterval < span)
    results.push({
      code: "path_made_up",
      message: `a candle of ${span / SECOND} s has four prices, and the path between them is assumed; with passes every ${rules.tickInterval / SECOND} s, most fills come from that path`,
    });
  if (bids + asks < FEW_FILLS)
    results.push({
      code: "few_fills",
      message: `${countWithVerb(bids + asks, "filled order")} too few to distinguish luck from skill`,
    });
  if (missing > 0)
    results.push({
      code: "missing_bars",
      message: `${countWithVerb(missing, "candle")} missing; the price is assumed to move straight across each gap`,
    });
  return results;
}

interface PositionWalkOptions extends WalkOptions {
  readonly rules: Rules & { readonly tickInterval: Millis };
  readonly kinds: Kinds;
  /** Creates what a run reads besides the book. */
  readonly requested?: (() => RequestedPast) | undefined;
}

interface WalkedPosition<S extends PositionStrategy> {
  readonly account: StrategyOnPaper<S>;
  readonly fills: readonly Fill[];
  /** Number of completed bars, fewer than all if it was ended early. */
  readonly bars: number;
  readonly passes: number;
  /** Number of bars before which both sides had open orders since the previous bar. */
  readonly twoSided: number;
  readonly leastBase: Decimal;
  readonly mostBase: Decimal;
  /** Max drawdown of its result at the passes. */
  readonly drawdown: PassDrawdown;
  /** Its position from each bar on. */
  readonly rows: readonly PositionRow[];
  /** The same fills with the mids that measure them. */
  readonly measured: readonly MeasuredFill[];
}

interface PassDrawdown {
  /** In quote. */
  readonly amount: Decimal;
  /** The profit before it. */
  readonly peak: Decimal;
  readonly from: Millis;
  readonly to: Millis;
}

interface PositionWalk<S extends PositionStrategy> extends BarRun<S>, Pick<PositionWalkOptions, "kinds"> {
  readonly requested: RequestedPast;
  readonly measurer: ReturnType<typeof fillMeasurer>;
  passes: number;
  twoSided: number;
  leastBase: Decimal;
  mostBase: Decimal;
  peak: Decimal;
  peakAt: Millis;
  drawdown: PassDrawdown;
  readonly rows: PositionRow[];
}

/** Runs a position over bars, pass by pass, with its own functions on a venue in memory. Yields the completed bars. */
function* walkingPosition<S extends PositionStrategy>(
  strategy: S,
  bars: Ticks,
  options: PositionWalkOptions,
): Generator<number, WalkedPosition<S>> {
  const { kinds, rules, isOver } = options;
  const positionWalk: PositionWalk<S> = {
    ...barRun(opened(strategy, rules.tickInterval), bars, options),
    kinds,
    requested: options.requested?.() ?? (() => ({})),
    measurer: fillMeasurer(),
    passes: 0,
    twoSided: 0,
    peak: ZERO,
    peakAt: bars.candles.from,
    drawdown: { amount: ZERO, peak: ZERO, from: bars.candles.from, to: bars.candles.from },
    rows: [],
    leastBase: strategy.config.budget.base,
    mostBase: ZERO,
  };
  const end = bars.count;
  let bar = 0;
  const pass = () => makePass(positionWalk, bar);
  pass();
  for (; bar < end; bar++) {
    if (bar > 0 && isOver?.(bar)) break;
    for (const corner of cornersOf(bars, bar, rules.extremes)) walkTo(positionWalk, corner, pass);
    yield bar;
  }
  const { account, fills, passes, twoSided, leastBase, mostBase, drawdown, rows } = positionWalk;
  const { fills: measured } = positionWalk.measurer;
  return { account, fills, bars: bar, passes, twoSided, leastBase, mostBase, drawdown, measured, rows };
}

function makePass<S extends PositionStrategy>(positionWalk: PositionWalk<S>, bar: number): void {
  const { venue, options, here, rows } = positionWalk;
  const before = positionWalk.account.strategy.state;
  if (new Set(venue.openOrders().map(({ side }) => side)).size === 2) positionWalk.twoSided++;
  const { account, fills } = passOnPaper(positionWalk.account, options.market, venue, here.at, {
    kinds: positionWalk.kinds,
    requested: positionWalk.requested(here.at),
    measured: positionWalk.measurer.fills,
  });
  positionWalk.account = account;
  positionWalk.fills.push(...fills);
  positionWalk.measurer.addPass(fills, venue.quote());
  positionWalk.passes++;
  const { strategy } = account;
  const price = BigInt(here.ticks) * positionWalk.bars.step;
  const { total, position } = positionAccounts(strategy, price);
  positionWalk.leastBase = min(positionWalk.leastBase, position);
  positionWalk.mostBase = max(positionWalk.mostBase, position);
  if (total > positionWalk.peak) [positionWalk.peak, positionWalk.peakAt] = [total, here.at];
  const { peak, peakAt } = positionWalk;
  const amount = peak - total;
  if (amount > positionWalk.drawdown.amount)
    positionWalk.drawdown = { amount, peak, from: peakAt, to: here.at };
  const { base, ledger } = strategy.state;
  if (rows.length === 0 || base !== before.base || ledger !== before.ledger)
    rows.push(equityRow(strategy, bar));
}

/** Returns its equity as quote and base: base that it had before and has not sold does not change its result. */
function equityRow<S extends PositionStrategy>(strategy: S, bar: number): PositionRow {
  const { base, unsold = ZERO } = strategy.state;
  const cash = floatUnits(positionAccounts(strategy, ZERO).total);
  return { bar, cash, base: floatUnits(base - unsold), low: 0, high: Infinity };
}

/** Returns the value of the position at a price, in quote. */
const positionValue = (
  { base, quote }: { readonly base: Decimal; readonly quote: Decimal },
  price: Decimal,
) => quote + mul(base, price, "half");

/** Measures the fills of a backtest with the prices of its passes, as a server does. */
type OpenFill = { -readonly [name in keyof MeasuredFill]: MeasuredFill[name] };

const NO_MIDS: Readonly<Record<HorizonName, null>> = {
  mid1s: null,
  mid10s: null,
  mid1m: null,
  mid5m: null,
  mid1h: null,
};

/** Takes the passes of a backtest in order; a pass costs the same however many fills there are. */
export function fillMeasurer() {
  const fills: OpenFill[] = [];
  const decided = HORIZONS.map((horizon) => ({ ...horizon, next: 0 }));
  let before: BidAsk | undefined;
  return {
    /** Adds the fills that a pass booked, oldest first, and the price that it read. */
    addPass(booked: readonly Fill[], quote: BidAsk): void {
      for (const fill of booked) {
        const isKnown = before && !isInferred(fill) && isMidAt(fill, before);
        fills.push({ ...NO_MIDS, ...fill, mid: before && isKnown ? midOf(before) : null });
      }
      before = quote;
      for (const horizon of decided)
        for (
          let fill = fills[horizon.next];
          fill && fill.at + horizon.after <= quote.at;
          fill = fills[++horizon.next]
        )
          if (quote.at <= fill.at + horizon.after + horizon.late) fill[horizon.name] = midOf(quote);
    },
    fills: fills as readonly MeasuredFill[],
  };
}

export function tallyOf(fills: readonly MeasuredFill[]): Tally {
  const tally = newTally();
  for (const fill of fills) if (!fill.superseded) addToTallies([tally], fill);
  return tally;
}
