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
import type { MarketSnapshot } from "../reconcile/observation.ts";

/** Distances below the bid of consecutive tries, in percent; the last one repeats. */
const STEPS = [1n, 2n, 4n];
/** Maximum distance below the mid price, in percent. */
const FARTHEST = 10n;

const below = (price: Decimal, percent: bigint): Decimal => (price * (100n - percent)) / 100n;

/** Returns the limit price of an exit's next order. */
function exitPrice(quote: Quote, tries: number, { tick }: Market): Decimal {
  const percent = STEPS[Math.min(tries, STEPS.length - 1)] as bigint;
  const least = snap(below(midOf(quote), FARTHEST), tick, "up");
  return max(snap(below(quote.bid, percent), tick, "down"), least);
}

/** Returns the lowest price of an exit's next order. */
export function exitReach(
  kind: Kind,
  { state, wants, sellBase }: Strategy,
  { market, quote }: Pick<MarketSnapshot, "market" | "quote">,
): Resting[] {
  const tries = state.exit?.tries ?? (wants === "stop" && sellBase ? 0 : undefined);
  if (wants === "pause" || tries === undefined || !market || !quote || kind.holdings(state).base === 0n)
    return [];
  return [{ side: "sell", price: exitPrice(quote, tries, market) }];
}

export interface ExitPlan {
  readonly next: StrategyState;
  /** Undefined if the exchange would not accept what is left. */
  readonly intent: Intent | undefined;
}

interface ExitContext {
  readonly market: Market;
  readonly quote: Quote;
  readonly funds: Funds | undefined;
  readonly bounds?: Bounds | undefined;
  /** A buy of the account that cannot be canceled here; the order sells above it. */
  readonly above?: Decimal | undefined;
  /** Minimum price of the sale. */
  readonly least?: Decimal | undefined;
}

/** Plans the sale of all base of a strategy without open orders: one immediate order per pass. */
export function exitPlan(
  kind: Kind,
  before: StrategyState,
  { market, quote, funds, bounds, above, least }: ExitContext,
): ExitPlan {
  const state = kind.release(before);
  const { exit } = state;
  if (!exit) return { next: state, intent: undefined };
  const all = kind.holdings(state).base;
  // The user can have withdrawn some of it.
  const free = funds ? min(all, funds[market.base] ?? 0n) : all;
  const price = [
    above === undefined ? 0n : above + market.tick,
    least === undefined ? 0n : snap(least, market.tick, "up"),
  ].reduce(max, exitPrice(quote, exit.tries, market));
  // An order counts at the mid price here, because its limit is below.
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

/** Restores an exit whose order was found after the database lost it; an exit that has started cannot be undone. */
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
