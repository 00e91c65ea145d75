import { positionAccounts } from "../../engine/position/ledger.ts";
import type { PositionStrategy } from "../../engine/position/state.ts";
import { type Decimal, max, min, mul, ZERO } from "../../kernel/decimal.ts";
import type { Millis } from "../../kernel/time.ts";
import type { Fill, MeasuredFill } from "../../model/fill.ts";
import type { Kinds } from "../../ports/kind.ts";
import { cornersOf } from "../fast/corners.ts";
import { opened, passOnPaper, type StrategyOnPaper } from "../paper/strategy-on-paper.ts";
import type { WalkOptions } from "../paper/walk-options.ts";
import { type BarRun, barRun, walkTo } from "../run/walk.ts";
import type { Rules } from "../tape/rules.ts";
import type { Ticks } from "../tape/ticks.ts";
import { fillMeasurer } from "./measured.ts";
import type { RequestedPast } from "./requested-past.ts";

export interface PositionWalkOptions extends WalkOptions {
  readonly rules: Rules & { readonly tickInterval: Millis };
  readonly kinds: Kinds;
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

interface PositionWalk<S extends PositionStrategy> extends BarRun<S>, Pick<PositionWalkOptions, "kinds"> {
  readonly requested: RequestedPast;
  readonly measurer: ReturnType<typeof fillMeasurer>;
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
  const { kinds, rules, isOver, guard = (work) => work() } = options;
  const positionWalk: PositionWalk<S> = {
    ...barRun(opened(strategy, rules.tickInterval), bars, options),
    ...{ kinds, requested: options.requested?.() ?? (() => ({})), measurer: fillMeasurer() },
    ...{ passes: 0, twoSided: 0, peak: ZERO, drawdown: ZERO },
    ...{ leastBase: strategy.config.budget.base, mostBase: ZERO },
  };
  const pass = () => makePass(positionWalk);
  guard(pass);
  const end = bars.count;
  let bar = 0;
  for (; bar < end; bar++) {
    if (bar > 0 && isOver?.(bar)) break;
    for (const corner of cornersOf(bars, bar, rules.extremes))
      guard(() => walkTo(positionWalk, corner, pass));
    yield bar;
  }
  const { account, fills, passes, twoSided, leastBase, mostBase, drawdown } = positionWalk;
  const { fills: measured } = positionWalk.measurer;
  return { account, fills, bars: bar, passes, twoSided, leastBase, mostBase, drawdown, measured };
}

function makePass<S extends PositionStrategy>(positionWalk: PositionWalk<S>): void {
  const { venue, options, here } = positionWalk;
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
