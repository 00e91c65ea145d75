import { kindsOf } from "../../engine/kinds.ts";
import { gridKind } from "../../grid/kind.ts";
import type { GridStrategy } from "../../grid/state/state.ts";
import type { Millis } from "../../kernel/time.ts";
import { between, type Corner } from "../../market/matching/corner.ts";
import type { Balance } from "../../model/account.ts";
import type { Fill } from "../../model/fill.ts";
import type { Strategy } from "../../model/strategy.ts";
import { cornersOf } from "../fast/corners.ts";
import { type FillLog, fillLog } from "../fast/fill-log.ts";
import { leap } from "../fast/leap.ts";
import { type Paper, paper } from "../paper/paper.ts";
import type { PaperVenue } from "../paper/paper-account.ts";
import { type PositionRow, type Positions, positionFrom, positionsOf } from "../paper/positions.ts";
import { opened, passOnPaper, type StrategyOnPaper } from "../paper/strategy-on-paper.ts";
import type { WalkOptions } from "../paper/walk-options.ts";
import type { Extremes } from "../tape/rules.ts";
import { nextBar, type TickReach, type Ticks } from "../tape/ticks.ts";
import { finish } from "./finish.ts";
import { gridWakeOf, nearer, wakeOf } from "./wake.ts";

export interface Walked {
  /** Whether it used whole numbers as soon as possible. */
  readonly engine: "walk" | "jump";
  readonly account: StrategyOnPaper;
  readonly balances: readonly Balance[];
  readonly fills: FillLog;
  /** Its position from each bar on. */
  readonly positions: Positions;
  /** Times of its passes. */
  readonly passes: readonly Millis[];
  /** Number of completed bars, fewer than all if it was ended early. */
  readonly bars: number;
}

/** State of a run over bars or a tape. */
export interface RunState<S extends Strategy, V> {
  readonly bars: Ticks;
  readonly options: WalkOptions;
  readonly venue: V;
  account: StrategyOnPaper<S>;
  /** Prices beyond which a pass can act; undefined if any pass can. */
  wake: TickReach | undefined;
  /** Whether something has filled since the last pass. */
  filled: boolean;
  nextPass: Millis;
  readonly fills: Fill[];
}

/** A run of a grid, with what its result needs. */
export interface GridRun<V> extends RunState<GridStrategy, V> {
  readonly positions: PositionRow[];
  readonly passes: Millis[];
}

/** A run over bars, at a price point. */
export interface BarRun<S extends Strategy> extends RunState<S, Paper> {
  here: Corner;
}

/** State of a grid's run over bars after its passes so far. */
export interface Walk extends GridRun<Paper>, BarRun<GridStrategy> {
  /** The bar from which a leap is worth a try. */
  leapsFrom: number;
}

/**
 * Runs the strategy over bars: its own passes on a venue in memory, at every price point of every bar or at each tick
 * interval. Skips passes that cannot change anything.
 */
export const walk = (strategy: GridStrategy, bars: Ticks, options: WalkOptions): Walked =>
  finish(goingOn(begunWalk(strategy, bars, options)));

/** Returns a run after its first pass, at the first price. */
export function begunWalk(strategy: GridStrategy, bars: Ticks, options: WalkOptions): Walk {
  const run = { ...barRun(opened(strategy), bars, options), leapsFrom: 0, positions: [], passes: [] };
  passAt(run, 0);
  return run;
}

/** Copies a run for another order of the extremes; the first price does not depend on it. */
export function forked({ options, venue, fills, positions, passes, ...one }: Walk, extremes: Extremes): Walk {
  return {
    ...one,
    options: { ...options, rules: { ...options.rules, extremes } },
    venue: venue.fork(),
    fills: [...fills],
    positions: [...positions],
    passes: [...passes],
  };
}

/** Runs bar by bar, and yields the completed bars. */
export function* goingOn(run: Walk): Generator<number, Walked> {
  const { bars, options } = run;
  const { rules, isOver } = options;
  const end = bars.count;
  let bar = 0;
  for (; bar < end; bar++) {
    const isWaiting = run.wake && !run.filled && !options.everyPass;
    const next = isWaiting ? quietUntil(run, bar) : bar;
    if (next > bar) moveTo(run, cornersOf(bars, next - 1, rules.extremes)[3]);
    bar = next;
    const leapt = isWaiting && options.mayLeap && bar >= run.leapsFrom ? leapFrom(run, bar) : undefined;
    if (leapt) return leapt;
    // A result needs at least one bar.
    if (bar >= end || (bar > 0 && isOver?.(bar))) break;
    for (const corner of cornersOf(bars, bar, rules.extremes)) walkTo(run, corner, () => passAt(run, bar));
    yield bar;
  }
  return walkedTo(run, bar);
}

/** Returns the result of a run after a number of bars or trades. */
export const walkedTo = (
  { account, venue, fills, positions, passes }: GridRun<Pick<Paper, "balances">>,
  bars: number,
): Walked => ({
  ...{ engine: "walk", account, passes, bars },
  balances: venue.balances(),
  fills: fillLog(fills),
  positions: positionsOf(positions),
});

/** Returns a run at the first price, before its first pass. */
export function barRun<S extends Strategy>(
  account: StrategyOnPaper<S>,
  bars: Ticks,
  options: WalkOptions,
): BarRun<S> {
  const { market, rules, balances } = options;
  const [first] = cornersOf(bars, 0, rules.extremes);
  return {
    ...{ bars, options, account, wake: undefined, filled: false, fills: [] },
    venue: paper(market, rules, { balances, first }),
    here: first,
    nextPass: first.at + (rules.tickInterval ?? 0),
  };
}

/** Returns the first bar from here on that can fill an order or need a pass. */
function quietUntil({ bars, venue, wake }: Walk, bar: number): number {
  const { below, above } = nearer(venue.reach(), wake as TickReach);
  return nextBar(bars, bar, below, above);
}

function leapFrom(run: Walk, from: number): Walked | undefined {
  const { account, bars, fills, positions, options, venue, passes } = run;
  const { quote } = options.market;
  const balances = venue.balances();
  const freeQuote = balances.find(({ asset }) => asset === quote)?.free ?? 0n;
  const leapt = leap({
    account,
    bars,
    from,
    wake: gridWakeOf(account.strategy, bars.tick),
    fills,
    positions,
    options,
    freeQuote,
  });
  if ("notBefore" in leapt) {
    run.leapsFrom = leapt.notBefore;
    return undefined;
  }
  const before = account.strategy.state.ledger.moved;
  const after = leapt.account.strategy.state.ledger.moved;
  const all = balances.map(({ asset, free, used }) => ({
    asset,
    free: free + used + (after[asset] ?? 0n) - (before[asset] ?? 0n),
    used: 0n,
  }));
  return { engine: "jump", ...leapt, balances: all, passes, bars: bars.count };
}

/** Advances to the next price point, with the passes on the way. */
export function walkTo<S extends Strategy>(run: BarRun<S>, corner: Corner, pass: () => void): void {
  const { tickInterval } = run.options.rules;
  const from = run.here;
  if (corner.at <= from.at) return;
  if (tickInterval === undefined) {
    moveTo(run, corner);
    if (isDue(run)) pass();
    return;
  }
  skipTo(run, from.at, tickInterval);
  for (; run.nextPass <= corner.at; run.nextPass += tickInterval) {
    moveTo(run, { at: run.nextPass, ticks: between(from, corner, run.nextPass) });
    if (isDue(run)) pass();
  }
  moveTo(run, corner);
}

/** Skips the timer's passes before a time. */
export function skipTo(run: Pick<Walk, "nextPass">, at: Millis, interval: Millis): void {
  run.nextPass += Math.max(0, Math.ceil((at - run.nextPass) / interval)) * interval;
}

function moveTo<S extends Strategy>(run: BarRun<S>, corner: Corner): void {
  if (corner.at <= run.here.at) return;
  run.filled = run.venue.moveTo(corner) || run.filled;
  run.here = corner;
}

const isDue = ({ wake, filled, here: { ticks }, options }: Omit<BarRun<Strategy>, "account">): boolean =>
  options.everyPass === true || wake === undefined || filled || ticks <= wake.below || ticks >= wake.above;

const passAt = (run: Walk, bar: number): void => makeGridPass(run, run.here.at, bar, run.here.ticks);

const GRIDS = kindsOf([gridKind]);

/** Runs a pass of a grid. `lastTicks` is its price, if it depends on a single one. */
export function makeGridPass(run: GridRun<PaperVenue>, at: Millis, bar: number, lastTicks?: number): void {
  const { market } = run.options;
  const before = run.passes.length === 0 ? undefined : run.account.strategy.state.ledger;
  const { account, fills, cancelled } = passOnPaper(run.account, market, run.venue, at, { kinds: GRIDS });
  run.account = account;
  run.passes.push(at);
  run.filled = false;
  run.wake = cancelled ? undefined : wakeOf(account, market.tick, lastTicks);
  run.fills.push(...fills);
  if (account.strategy.state.ledger !== before) run.positions.push(positionFrom(bar, account.strategy));
}
