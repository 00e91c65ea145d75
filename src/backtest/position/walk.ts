import { positionAccounts } from "../../engine/position/ledger.ts";
import type { PositionStrategy } from "../../engine/position/state.ts";
import { type Decimal, max, min, mul, ZERO } from "../../kernel/decimal.ts";
import type { Millis } from "../../kernel/time.ts";
import { between, type Corner } from "../../market/matching/corner.ts";
import type { Balance } from "../../model/account.ts";
import type { Fill, MeasuredFill } from "../../model/fill.ts";
import type { Market } from "../../model/market.ts";
import type { Kinds } from "../../ports/kind.ts";
import { cornersOf } from "../fast/corners.ts";
import { type Paper, paper } from "../paper/paper.ts";
import { opened, passOnPaper, type StrategyOnPaper } from "../paper/strategy-on-paper.ts";
import type { Rules } from "../tape/rules.ts";
import type { Ticks } from "../tape/ticks.ts";
import { fillMeasurer } from "./measured.ts";
import type { RequestedPast } from "./requested-past.ts";

export interface PositionWalkOptions {
  readonly market: Market;
  readonly rules: Rules & { readonly tickInterval: Millis };
  readonly balances: readonly Balance[];
  /** Called before each bar; true ends the backtest. */
  readonly isOver?: ((bars: number) => boolean) | undefined;
  /** Kinds in addition to those of this program. */
  readonly kinds?: Kinds | undefined;
  /** Creates what a run reads besides the book. */
  readonly requested?: (() => RequestedPast) | undefined;
  /** Runs a user's code with a time limit. */
  readonly guard?: ((work: () => void) => void) | undefined;
}

export interface WalkedPosition<S extends PositionStrategy> {
  readonly account: StrategyOnPaper<S>;
  readonly fills: readonly Fill[];
  /** Number of completed bars, fewer than all if it was ended early. */
  readonly bars: number;
  readonly passes: number;
  /** Number of bars before which both sides had open orders since the previous bar. */
  readonly twoSided: number;
  readonly leastBase: Decimal;
  readonly mostBase: Decimal;
  /** Max drawdown of its result at the passes, in quote. */
  readonly drawdown: Decimal;
  /** The same fills with the mids that measure them. */
  readonly measured: readonly MeasuredFill[];
}

interface PositionWalk<S extends PositionStrategy> {
  readonly options: PositionWalkOptions;
  readonly venue: Paper;
  readonly requested: RequestedPast;
  readonly measurer: ReturnType<typeof fillMeasurer>;
  account: StrategyOnPaper<S>;
  here: Corner;
  nextPass: Millis;
  fills: Fill[];
  passes: number;
  twoSided: number;
  leastBase: Decimal;
  mostBase: Decimal;
  peak: Decimal;
  drawdown: Decimal;
}

/** Runs a position over bars, pass by pass, with its own functions on a venue in memory. Yields the completed bars. */
export function* walkingPosition<S extends PositionStrategy>(
  strategy: S,
  bars: Ticks,
  options: PositionWalkOptions,
): Generator<number, WalkedPosition<S>> {
  const { market, rules, balances, isOver, guard = (work) => work() } = options;
  const [first] = cornersOf(bars, 0, rules.extremes);
  const positionWalk: PositionWalk<S> = {
    options,
    venue: paper(market, rules, { balances, first }),
    requested: options.requested?.() ?? (() => ({})),
    measurer: fillMeasurer(),
    account: opened(strategy, rules.tickInterval),
    here: first,
    nextPass: first.at,
    ...{ fills: [], passes: 0, twoSided: 0, peak: ZERO, drawdown: ZERO },
    ...{ leastBase: strategy.config.budget.base, mostBase: ZERO },
  };
  const end = bars.count;
  let bar = 0;
  for (; bar < end; bar++) {
    if (bar > 0 && isOver?.(bar)) break;
    for (const corner of cornersOf(bars, bar, rules.extremes))
      guard(() => walkPositionTo(positionWalk, corner));
    yield bar;
  }
  const { account, fills, passes, twoSided, leastBase, mostBase, drawdown } = positionWalk;
  const { fills: measured } = positionWalk.measurer;
  return { account, fills, bars: bar, passes, twoSided, leastBase, mostBase, drawdown, measured };
}

/** Advances to the next price point, with the passes that are due on the way. */
function walkPositionTo<S extends PositionStrategy>(positionWalk: PositionWalk<S>, corner: Corner): void {
  const { tickInterval } = positionWalk.options.rules;
  const from = positionWalk.here;
  if (positionWalk.nextPass < from.at)
    positionWalk.nextPass += Math.ceil((from.at - positionWalk.nextPass) / tickInterval) * tickInterval;
  for (; positionWalk.nextPass <= corner.at; positionWalk.nextPass += tickInterval) {
    const ticks = corner.at === from.at ? corner.ticks : between(from, corner, positionWalk.nextPass);
    movePositionTo(positionWalk, { at: positionWalk.nextPass, ticks });
    makePass(positionWalk);
  }
  movePositionTo(positionWalk, corner);
}

function movePositionTo<S extends PositionStrategy>(positionWalk: PositionWalk<S>, corner: Corner): void {
  if (corner.at <= positionWalk.here.at) return;
  positionWalk.venue.moveTo(corner);
  positionWalk.here = corner;
}

function makePass<S extends PositionStrategy>(positionWalk: PositionWalk<S>): void {
  const { venue, options, here } = positionWalk;
  if (new Set(venue.openOrders().map(({ side }) => side)).size === 2) positionWalk.twoSided++;
  const { account, fills } = passOnPaper(positionWalk.account, options.market, venue, here.at, {
    ...(options.kinds ? { kinds: options.kinds } : {}),
    requested: positionWalk.requested(here.at),
    measured: positionWalk.measurer.fills,
  });
  positionWalk.account = account;
  positionWalk.fills.push(...fills);
  positionWalk.measurer.addPass(fills, venue.quote());
  positionWalk.passes++;
  const { strategy } = account;
  const price = BigInt(here.ticks) * options.market.tick;
  const { total, position } = positionAccounts(strategy, price);
  positionWalk.leastBase = min(positionWalk.leastBase, position);
  positionWalk.mostBase = max(positionWalk.mostBase, position);
  positionWalk.peak = max(positionWalk.peak, total);
  positionWalk.drawdown = max(positionWalk.drawdown, positionWalk.peak - total);
}

/** Returns the value of the position at a price, in quote. */
export const positionValue = (
  { base, quote }: { readonly base: Decimal; readonly quote: Decimal },
  price: Decimal,
) => quote + mul(base, price, "half");
