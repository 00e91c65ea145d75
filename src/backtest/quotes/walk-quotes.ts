import { positionAccounts } from "../../engine/position/ledger.ts";
import { type Decimal, max, min, mul, ZERO } from "../../kernel/decimal.ts";
import type { Millis } from "../../kernel/time.ts";
import { between, type Corner } from "../../market/matching/corner.ts";
import type { Balance } from "../../model/account.ts";
import type { Fill } from "../../model/fill.ts";
import type { Market } from "../../model/market.ts";
import type { QuoteStrategy } from "../../quote/state/state.ts";
import { cornersOf } from "../corners.ts";
import { type Paper, paper } from "../paper.ts";
import type { Rules } from "../rules.ts";
import { opened, passOnPaper, type StrategyOnPaper } from "../strategy-on-paper.ts";
import type { Ticks } from "../ticks.ts";

export interface QuoteWalkOptions {
  readonly market: Market;
  readonly rules: Rules & { readonly tickInterval: Millis };
  readonly balances: readonly Balance[];
  /** Asked before each bar: true ends the walk. */
  readonly isOver?: ((bars: number) => boolean) | undefined;
}

export interface WalkedQuotes {
  readonly account: StrategyOnPaper<QuoteStrategy>;
  readonly fills: readonly Fill[];
  /** Bars walked, fewer than all where it was stopped. */
  readonly bars: number;
  readonly passes: number;
  /** Of them, before how many both sides still rested: so long as from the one before. */
  readonly twoSided: number;
  readonly leastBase: Decimal;
  readonly mostBase: Decimal;
  /** The most that its result has fallen from its best so far, in quote, at the passes. */
  readonly drawdown: Decimal;
}

interface QuoteWalk {
  readonly options: QuoteWalkOptions;
  readonly venue: Paper;
  account: StrategyOnPaper<QuoteStrategy>;
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

/** Quotes over bars, pass by pass: their own functions, on a venue in memory. Yields the bars done. */
export function* walkingQuotes(
  strategy: QuoteStrategy,
  bars: Ticks,
  options: QuoteWalkOptions,
): Generator<number, WalkedQuotes> {
  const { market, rules, balances, isOver } = options;
  const [first] = cornersOf(bars, 0, rules.extremes);
  const one: QuoteWalk = {
    options,
    venue: paper(market, rules, { balances, first }),
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
    for (const corner of cornersOf(bars, bar, rules.extremes)) walkQuotesTo(one, corner);
    yield bar;
  }
  const { account, fills, passes, twoSided, leastBase, mostBase, drawdown } = one;
  return { account, fills, bars: bar, passes, twoSided, leastBase, mostBase, drawdown };
}

/** To the next corner, with the passes that are due on the way there. */
function walkQuotesTo(one: QuoteWalk, corner: Corner): void {
  const { tickInterval } = one.options.rules;
  const from = one.here;
  if (one.nextPass < from.at)
    one.nextPass += Math.ceil((from.at - one.nextPass) / tickInterval) * tickInterval;
  for (; one.nextPass <= corner.at; one.nextPass += tickInterval) {
    const ticks = corner.at === from.at ? corner.ticks : between(from, corner, one.nextPass);
    quotesMoveTo(one, { at: one.nextPass, ticks });
    quotePass(one);
  }
  quotesMoveTo(one, corner);
}

function quotesMoveTo(one: QuoteWalk, corner: Corner): void {
  if (corner.at <= one.here.at) return;
  one.venue.moveTo(corner);
  one.here = corner;
}

function quotePass(one: QuoteWalk): void {
  const { venue, options, here } = one;
  if (new Set(venue.openOrders().map(({ side }) => side)).size === 2) one.twoSided++;
  const { account, fills } = passOnPaper(one.account, options.market, venue, here.at);
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

/** What all of it is worth at a price, in quote. */
export const worthHeld = (
  { base, quote }: { readonly base: Decimal; readonly quote: Decimal },
  price: Decimal,
) => quote + mul(base, price, "half");
