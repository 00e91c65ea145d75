import { type Decimal, max, min, snap } from "../../kernel/decimal.ts";
import { midOf } from "../../kernel/spread.ts";
import { inOneOrder } from "../../limits/one-order.ts";
import type { Funds, Intent, Resting } from "../../model/intent.ts";
import type { Bounds } from "../../model/limits.ts";
import type { Market, Quote } from "../../model/market.ts";
import { meetsMinimum } from "../../model/minimum.ts";
import type { Order } from "../../model/order.ts";
import { EXIT_SLOT, type Exit, type Strategy, type StrategyState } from "../../model/strategy.ts";
import type { Kind } from "../../ports/kind.ts";
import type { MarketSight } from "../reconcile/observation.ts";

/** Below the bid, per cent; the last one stays. */
const STEPS = [1n, 2n, 4n];
/** Never further below the mid. */
const FARTHEST = 10n;

const below = (price: Decimal, percent: bigint): Decimal => (price * (100n - percent)) / 100n;

/** The limit of the next order of an exit. */
function exitPrice(quote: Quote, tries: number, { tick }: Market): Decimal {
  const percent = STEPS[Math.min(tries, STEPS.length - 1)] as bigint;
  const least = snap(below(midOf(quote), FARTHEST), tick, "up");
  return max(snap(below(quote.bid, percent), tick, "down"), least);
}

/** How far down the next order of a strategy that leaves sells. */
export function exitReach(
  kind: Kind,
  { state, wants, sellBase }: Strategy,
  { market, quote }: Pick<MarketSight, "market" | "quote">,
): Resting[] {
  const tries = state.exit?.tries ?? (wants === "stop" && sellBase ? 0 : undefined);
  if (tries === undefined || !market || !quote || kind.holdings(state).base === 0n) return [];
  return [{ side: "sell", price: exitPrice(quote, tries, market) }];
}

export interface ExitPlan {
  readonly next: StrategyState;
  /** Undefined when nothing is left that the venue would take. */
  readonly intent: Intent | undefined;
}

interface ExitContext {
  readonly market: Market;
  readonly quote: Quote;
  readonly funds: Funds | undefined;
  readonly bounds?: Bounds | undefined;
  /** A buy of the account that nothing here may cancel: the order sells above it. */
  readonly above?: Decimal | undefined;
  /** It sells no lower than this. */
  readonly least?: Decimal | undefined;
}

/** Sells all base of a strategy that has no order left: one immediate order of everything a pass. */
export function exitPlan(
  kind: Kind,
  before: StrategyState,
  { market, quote, funds, bounds, above, least }: ExitContext,
): ExitPlan {
  const state = kind.release(before);
  const { exit } = state;
  if (!exit) return { next: state, intent: undefined };
  const all = kind.holdings(state).base;
  // A person may have taken some of it away.
  const free = funds ? min(all, funds[market.base] ?? 0n) : all;
  const price = [
    above === undefined ? 0n : above + market.tick,
    least === undefined ? 0n : snap(least, market.tick, "up"),
  ].reduce(max, exitPrice(quote, exit.tries, market));
  // An order counts at the mid here: its limit lies below.
  const whole = snap(free, market.lot, "down");
  const part = inOneOrder(whole, { price: max(price, midOf(quote)), market, bounds });
  const amount = meetsMinimum(market, price, part) ? part : whole;
  if (!meetsMinimum(market, price, amount)) return { next: state, intent: undefined };
  return {
    next: { ...state, exit: { ...withoutLack(exit), tries: exit.tries + 1 } },
    intent: { slot: EXIT_SLOT, side: "sell", price, amount },
  };
}

const withoutLack = ({ lacksSince: _, ...exit }: Exit): Exit => exit;

/** An order of an exit that a restored database has forgotten: what has begun is never taken back. */
export function leavingAgain(
  kind: Kind,
  { state, config, wants }: Strategy,
  { price }: Pick<Order, "price">,
): StrategyState {
  if (state.exit) return state;
  const { stopLossPrice: stopLoss, takeProfitPrice: takeProfit } = config;
  const isTakeProfit = takeProfit !== undefined && price >= below(takeProfit, FARTHEST);
  const isStopLoss = stopLoss !== undefined && price <= stopLoss;
  const reason = wants === "stop" ? "stop" : isStopLoss ? "stop_loss" : isTakeProfit ? "take_profit" : "stop";
  return { ...kind.release(state), exit: { reason, tries: 1 } };
}
