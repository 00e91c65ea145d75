import type { GridStrategy } from "../../grid/state/state.ts";
import type { Millis } from "../../kernel/time.ts";
import { between, type Corner } from "../../market/matching/corner.ts";
import type { Balance } from "../../model/account.ts";
import type { Fill } from "../../model/fill.ts";
import { cornersOf } from "../fast/corners.ts";
import { type FillLog, fillLog } from "../fast/fill-log.ts";
import { leap } from "../fast/leap.ts";
import { type Paper, paper } from "../paper/paper.ts";
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

/** State of a run after its passes so far. */
export interface Walk {
  readonly bars: Ticks;
  readonly options: WalkOptions;
  readonly venue: Paper;
  account: StrategyOnPaper;
  /** Prices beyond which a pass can act; undefined if any pass can. */
  wake: TickReach | undefined;
  here: Corner;
  /** Whether something has filled since the last pass. */
  filled: boolean;
  nextPass: Millis;
  /** The bar from which a leap is worth a try. */
  leapsFrom: number;
  readonly fills: Fill[];
  readonly positions: PositionRow[];
  readonly passes: Millis[];
}

/**
 * Runs the strategy over bars: its own passes on a venue in memory, at every price point of every bar or at each tick
 * interval. Skips passes that cannot change anything.
 */
export const walk = (strategy: GridStrategy, bars: Ticks, options: WalkOptions): Walked =>
  finish(goingOn(begunWalk(strategy, bars, options)));

/** Returns a run after its first pass, at the first price. */
export function begunWalk(strategy: GridStrategy, bars: Ticks, options: WalkOptions): Walk {
  const run = walkFrom(strategy, bars, options);
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
    for (const corner of cornersOf(bars, bar, rules.extremes)) walkTo(run, corner, bar);
    yield bar;
  }
  return walkedTo(run, Math.min(bar, end));
}

/** Returns the result of a run after a number of bars or trades. */
export function walkedTo(
  {
    account,
    venue,
    fills,
    positions,
    passes,
  }: Pick<Walk, "account" | "fills" | "positions" | "passes"> & {
    readonly venue: Pick<Paper, "balances">;
  },
  bars: number,
): Walked {
  return {
    engine: "walk",
    account,
    balances: venue.balances(),
    fills: fillLog(fills),
    positions: positionsOf(positions),
    passes,
    bars,
  };
}

function walkFrom(strategy: GridStrategy, bars: Ticks, options: WalkOptions): Walk {
  const { market, rules, balances } = options;
  const [first] = cornersOf(bars, 0, rules.extremes);
  return {
    bars,
    options,
    venue: paper(market, rules, { balances, first }),
    account: opened(strategy),
    wake: undefined,
    here: first,
    filled: false,
    nextPass: first.at + (rules.tickInterval ?? 0),
    leapsFrom: 0,
    fills: [],
    positions: [],
    passes: [],
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
function walkTo(run: Walk, corner: Corner, bar: number): void {
  const { rules } = run.options;
  if (corner.at <= run.here.at) return;
  const interval = rules.tickInterval;
  if (interval === undefined) {
    moveTo(run, corner);
    if (isDue(run)) passAt(run, bar);
    return;
  }
  const from = run.here;
  if (run.nextPass < from.at) run.nextPass += Math.ceil((from.at - run.nextPass) / interval) * interval;
  for (; run.nextPass <= corner.at; run.nextPass += interval) {
    moveTo(run, { at: run.nextPass, ticks: between(from, corner, run.nextPass) });
    if (isDue(run)) passAt(run, bar);
  }
  moveTo(run, corner);
}

function moveTo(run: Walk, corner: Corner): void {
  if (corner.at <= run.here.at) return;
  run.filled = run.venue.moveTo(corner) || run.filled;
  run.here = corner;
}

const isDue = ({ wake, filled, here: { ticks }, options }: Walk): boolean =>
  options.everyPass === true || wake === undefined || filled || ticks <= wake.below || ticks >= wake.above;

function passAt(run: Walk, bar: number): void {
  const { market } = run.options;
  const before = run.passes.length === 0 ? undefined : run.account.strategy.state.ledger;
  const { account, fills, cancelled } = passOnPaper(run.account, market, run.venue, run.here.at);
  run.account = account;
  run.passes.push(run.here.at);
  run.filled = false;
  run.wake = cancelled ? undefined : wakeOf(account, market.tick, run.here.ticks);
  run.fills.push(...fills);
  if (account.strategy.state.ledger !== before) run.positions.push(positionFrom(bar, account.strategy));
}
