import { kindsOf } from "../../engine/accounts.ts";
import { gridKind } from "../../grid/kind.ts";
import { sellPrice } from "../../grid/plan/first-buy.ts";
import { rebuildEdges, trailEnds } from "../../grid/plan/moves.ts";
import type { GridConfig } from "../../grid/state/config.ts";
import type { GridState, GridStrategy, Ledger, Slot } from "../../grid/state/state.ts";
import { type Decimal, div } from "../../kernel/decimal.ts";
import type { Millis } from "../../kernel/time.ts";
import { between, type Corner } from "../../market/matching.ts";
import type { Balance } from "../../model/account.ts";
import type { Fill, Order } from "../../model/order.ts";
import type { RefusalReason, Strategy } from "../../model/strategy.ts";
import {
  canSkip,
  cornersOf,
  isUndisturbed,
  type Jumps,
  jump,
  type Ladder,
  type LadderState,
  ladderOf,
} from "../jump.ts";
import {
  opened,
  type Paper,
  type PaperVenue,
  paper,
  passOnPaper,
  type StrategyOnPaper,
  type WalkOptions,
} from "../paper-account.ts";
import { type PositionRow, type Positions, positionFrom, positionsOf, UNKNOWN } from "../paper-positions.ts";
import {
  type FillLog,
  fillLog,
  joinedLedgers,
  jumpedLog,
  moveAt,
  type ReplayedSlot,
  replaySlot,
} from "../replayed-slot.ts";
import { type Extremes, nextBar, type TickReach, type Ticks } from "../ticks.ts";
import { finish } from "./begin.ts";

export interface WalkResult {
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
interface RunState<S extends Strategy, V> {
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

/** Returns the result of a run after a number of bars or trades. */
export const walkedTo = (
  { account, venue, fills, positions, passes }: GridRun<Pick<Paper, "balances">>,
  bars: number,
): WalkResult => ({
  engine: "walk",
  account,
  passes,
  bars,
  balances: venue.balances(),
  fills: fillLog(fills),
  positions: positionsOf(positions),
});

/** Steps of the orders' prices, and of the bars' prices. */
export interface PriceSteps {
  readonly tick: Decimal;
  readonly step: Decimal;
}

/** Rounds down; an additional pass has no effect. */
const ticks = (price: Decimal, step: Decimal): number => Number(div(price, step, "down") / 10n ** 18n);

const isDue = ({ wake, filled, here: { ticks }, options }: Omit<BarRun<Strategy>, "account">): boolean =>
  options.everyPass === true || wake === undefined || filled || ticks <= wake.below || ticks >= wake.above;

const GRIDS = kindsOf([gridKind]);

/** Value if no price needs a pass. */
const NEVER: TickReach = { below: -Infinity, above: Infinity };

const isUnderWay = ({ exit, rebuild, trail, firstBuy, signal, stopObserved, ...state }: GridState): boolean =>
  Boolean(
    exit || rebuild || trail.way || firstBuy || signal || stopObserved || state.unexplained || state.halted,
  );

/**
 * Refusals that last while nothing fills, because the account lacks something at any price. A buy that would meet an
 * own sell is not among them: it is placed when the price allows.
 */
const LASTING: readonly RefusalReason[] = [
  "no_base",
  "no_quote",
  "below_minimum",
  "inventory_missing",
  "max_position",
  "safety_reserve",
];

const isRefusedForGood = ({ index, retryAt }: Slot, { refused }: GridState): boolean =>
  retryAt === 0 && LASTING.includes(refused.find(({ slot }) => slot === index)?.reason ?? "rejected");

/** Returns the price above which a selling slot without base begins to buy. */
const sideTurn = ({ side, lower, base, bought }: Slot, step: Decimal): TickReach =>
  side === "sell" && base === 0n && bought === 0n ? { ...NEVER, above: ticks(lower, step) } : NEVER;

const FUNDED: readonly RefusalReason[] = ["no_quote", "max_position", "safety_reserve"];

/** A quote is in whole ticks, so its middle can be up to a tick beyond a price between two ticks. */
const priceReach = (
  below: Decimal | undefined,
  above: Decimal | undefined,
  { tick, step }: PriceSteps,
): TickReach => ({
  below: below === undefined ? -Infinity : ticks(below + tick - step, step) + 1,
  above: above === undefined ? Infinity : ticks(above - tick + step, step),
});

export const nearerReach = (a: TickReach, b: TickReach): TickReach => ({
  below: Math.max(a.below, b.below),
  above: Math.min(a.above, b.above),
});

const passAt = (run: Walk, bar: number): void => makeGridPass(run, run.here.at, bar, run.here.ticks);

/** Returns the slots before their first fill; those that began to buy did so with an order. */
const armedSlots = ({ slots, rungs }: Ladder, { armed }: Jumps): Slot[] =>
  slots.map((slot, index) => {
    if (index < rungs.armed || index >= armed) return slot;
    return { ...slot, side: "buy" };
  });

/** Returns the prices for a grid whose slots know when to act: only those that move the whole grid. */
export const gridWakeOf = ({ config, state }: GridStrategy, steps: PriceSteps): TickReach =>
  movesOf(config, state, steps);

/**
 * Runs the strategy over bars: its own passes on a venue in memory, at every price point of every bar or at each
 * round. Skips passes that cannot change anything.
 */
export const walk = (strategy: GridStrategy, bars: Ticks, options: WalkOptions): WalkResult =>
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
export function* goingOn(run: Walk): Generator<number, WalkResult> {
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

/** Returns a run at the first price, before its first pass. */
export function barRun<S extends Strategy>(
  account: StrategyOnPaper<S>,
  bars: Ticks,
  options: WalkOptions,
): BarRun<S> {
  const { market, rules, balances } = options;
  const [first] = cornersOf(bars, 0, rules.extremes);
  return {
    bars,
    options,
    account,
    wake: undefined,
    filled: false,
    fills: [],
    venue: paper(market, rules, { balances, first, step: bars.step }),
    here: first,
    nextPass: first.at + (rules.tickInterval ?? 0),
  };
}

/** Returns the first bar from here on that can fill an order or need a pass. */
function quietUntil({ bars, venue, wake }: Walk, bar: number): number {
  const { below, above } = nearerReach(venue.reach(), wake as TickReach);
  return nextBar(bars, bar, below, above);
}

function leapFrom(run: Walk, from: number): WalkResult | undefined {
  const { account, bars, fills, positions, options, venue, passes } = run;
  const { quote } = options.market;
  const balances = venue.balances();
  const freeQuote = balances.find(({ asset }) => asset === quote)?.free ?? 0n;
  const leapt = leap({
    account,
    bars,
    from,
    wake: gridWakeOf(account.strategy, { tick: options.market.tick, step: bars.step }),
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

/** Runs a pass of a grid. `lastTicks` is its price, if it depends on a single one. */
export function makeGridPass(run: GridRun<PaperVenue>, at: Millis, bar: number, lastTicks?: number): void {
  const { market } = run.options;
  const before = run.passes.length === 0 ? undefined : run.account.strategy.state.ledger;
  const { account, fills, cancelled } = passOnPaper(run.account, market, run.venue, at, { kinds: GRIDS });
  run.account = account;
  run.passes.push(at);
  run.filled = false;
  run.wake = cancelled ? undefined : wakeOf(account, { tick: market.tick, step: run.bars.step }, lastTicks);
  run.fills.push(...fills);
  if (account.strategy.state.ledger !== before) run.positions.push(positionFrom(bar, account.strategy));
}

interface LeapPoint {
  readonly account: StrategyOnPaper;
  readonly bars: Ticks;
  /** The next bar. */
  readonly from: number;
  readonly wake: TickReach;
  readonly fills: readonly Fill[];
  readonly positions: readonly PositionRow[];
  readonly options: WalkOptions;
  readonly freeQuote: bigint;
}

interface LeapResult {
  readonly account: StrategyOnPaper;
  readonly fills: FillLog;
  readonly positions: Positions;
}

/** A leap that depends on passes, and the bar before which it need not be tried again. */
interface NoLeap {
  readonly notBefore: number;
}

/** Continues to the last bar in whole numbers, if only the grid's own fills can happen. */
function leap(point: LeapPoint): LeapResult | NoLeap {
  const { account, bars, from, wake, options, fills: before, freeQuote } = point;
  const { market, rules } = options;
  const ladder = ladderOf(account, market, { rules, freeQuote, step: bars.step });
  if (!ladder || !isUndisturbed(bars, from, wake)) return { notBefore: from + 1 };
  const { strategy } = account;
  const until = bars.count;
  const jumps = jump(ladder.rungs, bars, { extremes: rules.extremes, from, until, isExact: true });
  if (jumps.metAt !== undefined) return { notBefore: jumps.metAt + 1 };
  const slots = armedSlots(ladder, jumps);
  // A slot that has begun to buy waits no longer.
  const armed = new Set(slots.slice(ladder.rungs.armed, jumps.armed).map(({ index }) => index));
  const refused = strategy.state.refused.filter(({ slot }) => !armed.has(slot));
  const state = { ...strategy.state, slots, refused };
  const replayed = slots.map(({ index }, place) =>
    replaySlot(state, index, jumps.counts[place] as number, market),
  );
  const ledger = replayed.reduce<Ledger>(
    (all, replayedSlot) => joinedLedgers(all, replayedSlot.ledger),
    state.ledger,
  );
  const done = strategy.state.slots.map(
    (slot) => replayed.find((replayedSlot) => replayedSlot.slot.index === slot.index)?.slot ?? slot,
  );
  const after: GridStrategy = { ...strategy, state: { ...state, slots: done, ledger } };
  return {
    account: { ...account, strategy: after, orders: [] },
    fills: jumpedLog({ before, jumps, slots, replayed, strategy, bars, market, rules }),
    positions: positionsIn(point, { ...jumps, replayed, rungs: ladder.rungs }),
  };
}

interface Moved {
  readonly count: number;
  readonly bars: Int32Array;
  readonly codes: Int32Array;
  readonly replayed: readonly ReplayedSlot[];
  readonly rungs: LadderState;
}

function positionsIn(
  { positions: before }: LeapPoint,
  { count, bars, codes, replayed, rungs }: Moved,
): Positions {
  const positions = positionsOf(before, count);
  const done = new Int32Array(replayed.length);
  let index = positions.bars.length - count;
  let cash = positions.cash[index - 1] as number;
  let base = positions.base[index - 1] as number;
  for (let i = 0; i < count; i++) {
    const code = codes[i] as number;
    const slot = code >> 3;
    const move = moveAt(replayed[slot] as ReplayedSlot, done[slot] as number);
    done[slot] = (done[slot] as number) + 1;
    cash += move.cash;
    base += move.base;
    // Within one bar, only the position at its close counts.
    if (i + 1 < count && bars[i + 1] === bars[i]) continue;
    positions.bars[index] = bars[i] as number;
    positions.cash[index] = cash;
    positions.base[index] = base;
    // Until the next fill, the price stays between the orders next to this one; above the armed slots nothing is known.
    const buying = slot + (code & 1);
    positions.least[index] = buying > 0 ? (rungs.buys[buying - 1] as number) : 0;
    positions.most[index] = buying < rungs.armed ? (rungs.sells[buying] as number) : UNKNOWN;
    index++;
  }
  const column = <T extends Int32Array | Float64Array>(of: T): T => of.subarray(0, index) as T;
  const { cash: cashes, base: bases, least, most } = positions;
  return {
    ...positions,
    bars: column(positions.bars),
    cash: column(cashes),
    base: column(bases),
    least: column(least),
    most: column(most),
  };
}

/**
 * Returns the prices in steps at which a pass could do more than book fills: until the price reaches one, no pass
 * changes anything. Undefined if time alone could, or if an action is in progress; then every pass runs. `lastTicks`
 * is the price of the previous pass, if a pass depends on a single price.
 */
export function wakeOf(
  { strategy, orders }: { strategy: GridStrategy; orders: readonly Order[] },
  steps: PriceSteps,
  lastTicks = Infinity,
): TickReach | undefined {
  const { config, state, status, phase } = strategy;
  if (status === "stopped") return NEVER;
  if (status === "idle") return triggerOf(strategy, steps);
  const isSettled = status === "running" && (phase === "active" || phase === "placing");
  if (!isSettled || isUnderWay(state) || config.centered?.volatility) return undefined;
  if (!canSkip("wake", config)) return undefined;
  if (!orders.every((order) => isAtLevel(order, state))) return undefined;
  const busy = new Set(orders.map(({ slot }) => slot));
  const idle = state.slots.filter(({ index }) => !busy.has(index));
  if (!idle.every((slot) => isRefusedForGood(slot, state))) return undefined;
  const reaches = idle.map((slot) =>
    nearerReach(sideTurn(slot, steps.step), cheaperBuy(slot, state, { step: steps.step, lastTicks })),
  );
  return [...reaches, movesOf(config, state, steps)].reduce(nearerReach, NEVER);
}

/**
 * Returns whether the order is at its slot's price with its remaining amount; otherwise it is replaced when the price
 * allows.
 */
function isAtLevel({ slot: index, generation, side, price, state: life }: Order, state: GridState): boolean {
  const slot = state.slots.find((slot) => slot.index === index);
  if (!slot || generation !== state.generation || slot.side !== side) return false;
  const isOpen = life === "submitted" || life === "open" || life === "partially_filled";
  return isOpen && price === (side === "buy" ? slot.lower : sellPrice(slot));
}

/**
 * Returns the price below which a buy that lacks quote could fit: it is placed below its level when the level would
 * be a taker price. If it did not fit at the last price, it fits at none above that.
 */
function cheaperBuy(
  { index, side, lower }: Slot,
  { refused }: GridState,
  { step, lastTicks }: { readonly step: Decimal; readonly lastTicks: number },
): TickReach {
  const isFunded = refused.some(({ slot, reason }) => slot === index && FUNDED.includes(reason));
  return side === "buy" && isFunded
    ? { ...NEVER, below: Math.min(ticks(lower, step), lastTicks - 1) }
    : NEVER;
}

/** Returns prices that move the whole grid: stop prices, the ends of a trail, the edges of a centered grid. */
function movesOf(config: GridConfig, state: GridState, steps: PriceSteps): TickReach {
  const { stopLossPrice, takeProfitPrice, centered, trail } = config;
  const stops = priceReach(stopLossPrice, takeProfitPrice, steps);
  if (centered) {
    const { lowest, highest } = rebuildEdges(centered, state);
    return nearerReach(stops, priceReach(lowest, highest, steps));
  }
  if (!trail) return stops;
  const { up, down } = trailEnds(config, state, steps.tick);
  return nearerReach(stops, priceReach(down, up, steps));
}

/** Returns the trigger price of a waiting grid; nothing else matters until then. */
function triggerOf({ config, state }: GridStrategy, steps: PriceSteps): TickReach {
  const { triggerPrice } = config;
  if (triggerPrice === undefined) return NEVER;
  return state.startPrice < triggerPrice
    ? priceReach(undefined, triggerPrice, steps)
    : priceReach(triggerPrice, undefined, steps);
}
