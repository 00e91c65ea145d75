import { positionAccounts } from "../../engine/position/ledger.ts";
import type { PositionStrategy } from "../../engine/position/state.ts";
import { type Decimal, max, min, mul, ZERO } from "../../kernel/decimal.ts";
import type { Millis } from "../../kernel/time.ts";
import { between, type Corner } from "../../market/matching/corner.ts";
import type { Balance } from "../../model/account.ts";
import type { Fill } from "../../model/fill.ts";
import type { Market } from "../../model/market.ts";
import type { Kinds } from "../../ports/kind.ts";
import { cornersOf } from "../corners.ts";
import { type Paper, paper } from "../paper.ts";
import type { Rules } from "../rules.ts";
import { opened, passOnPaper, type StrategyOnPaper } from "../strategy-on-paper.ts";
import type { Ticks } from "../ticks.ts";
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
}

interface PositionWalk<S extends PositionStrategy> {
  readonly options: PositionWalkOptions;
  readonly venue: Paper;
  readonly requested: RequestedPast;
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
  const one: PositionWalk<S> = {
    options,
    venue: paper(market, rules, { balances, first }),
    requested: options.requested?.() ?? (() => ({})),
    account: opened(strategy),
    here: first,
    nextPass: first.at,
    ...{ fills: [], passes: 0, twoSided: 0, peak: ZERO, drawdown: ZERO },
    ...{ leastBase: strategy.config.budget.base, mostBase: ZERO },
  };
  const end = bars.count;
  let bar = 0;
  for (; bar < end; bar++) {
    if (bar > 0 && isOver?.(bar)) break;
    for (const corner of cornersOf(bars, bar, rules.extremes)) guard(() => walkPositionTo(one, corner));
    yield bar;
  }
  const { account, fills, passes, twoSided, leastBase, mostBase, drawdown } = one;
  return { account, fills, bars: bar, passes, twoSided, leastBase, mostBase, drawdown };
}

/** Advances to the next price point, with the passes that are due on the way. */
function walkPositionTo<S extends PositionStrategy>(one: PositionWalk<S>, corner: Corner): void {
  const { tickInterval } = one.options.rules;
  const from = one.here;
  if (one.nextPass < from.at)
    one.nextPass += Math.ceil((from.at - one.nextPass) / tickInterval) * tickInterval;
  for (; one.nextPass <= corner.at; one.nextPass += tickInterval) {
    const ticks = corner.at === from.at ? corner.ticks : between(from, corner, one.nextPass);
    movePositionTo(one, { at: one.nextPass, ticks });
    makePass(one);
  }
  movePositionTo(one, corner);
}

function movePositionTo<S extends PositionStrategy>(one: PositionWalk<S>, corner: Corner): void {
  if (corner.at <= one.here.at) return;
  one.venue.moveTo(corner);
  one.here = corner;
}

function makePass<S extends PositionStrategy>(one: PositionWalk<S>): void {
  const { venue, options, here } = one;
  if (new Set(venue.openOrders().map(({ side }) => side)).size === 2) one.twoSided++;
  const { account, fills } = passOnPaper(one.account, options.market, venue, here.at, {
    ...(options.kinds ? { kinds: options.kinds } : {}),
    requested: one.requested(here.at),
  });
  one.account = account;
  one.fills.push(...fills);
  one.passes++;
  const { strategy } = account;
  const price = BigInt(here.ticks) * options.market.tick;
  const { total, position } = positionAccounts(strategy, price);
  one.leastBase = min(one.leastBase, position);
  one.mostBase = max(one.mostBase, position);
  one.peak = max(one.peak, total);
  one.drawdown = max(one.drawdown, one.peak - total);
}

/** Returns the value of the position at a price, in quote. */
export const positionValue = (
  { base, quote }: { readonly base: Decimal; readonly quote: Decimal },
  price: Decimal,
) => quote + mul(base, price, "half");
