/** Ends a strategy by itself: at a stop price, below a trailing stop, or at its end time. */
import { type Decimal, max, mul, ONE } from "../../kernel/decimal.ts";
import { isWide, midOf } from "../../kernel/spread.ts";
import { type Millis, SECOND } from "../../kernel/time.ts";
import type { BidAsk } from "../../model/market.ts";
import {
  type Exit,
  type Notice,
  type ObservedMove,
  pendingEdit,
  type StopReason,
  type Strategy,
} from "../../model/strategy.ts";
import type { Kind } from "../../ports/kind.ts";
import { withNotices } from "./intents.ts";

/** A price at which a strategy ends. */
export interface StopLevel {
  readonly reason: StopReason;
  readonly price: Decimal;
}

export interface StopLevels {
  /** At or below it. */
  readonly below?: StopLevel;
  /** At or above it. */
  readonly above?: StopLevel;
}

type Ending = Pick<Strategy, "config"> & { readonly state: Pick<Strategy["state"], "highest"> };

/** Returns the prices at which a strategy ends now: of two prices below, the one that is reached first. */
export function stopLevels({ config, state }: Ending): StopLevels {
  const { stopLossPrice, takeProfitPrice, trailingStop } = config;
  const { highest } = state;
  const trailed =
    trailingStop === undefined || highest === undefined
      ? undefined
      : ({ reason: "trailing_stop", price: mul(highest, ONE - trailingStop, "up") } as const);
  const fixed =
    stopLossPrice === undefined ? undefined : ({ reason: "stop_loss", price: stopLossPrice } as const);
  const below = trailed && fixed ? (trailed.price > fixed.price ? trailed : fixed) : (trailed ?? fixed);
  return {
    ...(below ? { below } : {}),
    ...(takeProfitPrice === undefined
      ? {}
      : { above: { reason: "take_profit", price: takeProfitPrice } as const }),
  };
}

/** Returns whether a strategy will certainly sell all its base in one order: at a stop price that is reached, or in time. */
export function willSellAtOnce(strategy: Ending, mid: Decimal): boolean {
  const { endsAt, onEnd } = strategy.config;
  return (endsAt !== undefined && onEnd === "sell") || reachedStop(stopLevels(strategy), mid) !== undefined;
}

/** Returns the stop price that a mid price has reached; one below comes first. */
export const reachedStop = ({ below, above }: StopLevels, mid: Decimal): StopLevel | undefined =>
  below && mid <= below.price ? below : above && mid >= above.price ? above : undefined;

/** Returns whether the market has reached the trigger price of a waiting strategy, from either side. */
export function hasTriggered(
  { config: { triggerPrice }, state: { startPrice } }: TriggeredStrategy,
  quote: BidAsk,
): boolean {
  if (triggerPrice === undefined) return true;
  if (isWide(quote)) return false;
  const mid = midOf(quote);
  return startPrice < triggerPrice ? mid >= triggerPrice : mid <= triggerPrice;
}

interface TriggeredStrategy extends Pick<Strategy, "config"> {
  readonly state: { readonly startPrice: Decimal };
}

/** Returns a strategy that waits for its trigger price, with a notice while the price is not reliable. */
export function waitForTrigger<S extends Strategy>(strategy: S, quote: BidAsk): S {
  const message = "the spread is wider than 2 %, so the trigger price waits for a narrower one";
  const notices: Notice[] = isWide(quote) ? [{ code: "wide_spread", message }] : [];
  return withNotices({ ...strategy, status: "idle", phase: "starting" }, notices);
}

/** Minimum market time between the two passes that must observe a price. */
const OBSERVATIONS_APART: Millis = 5 * SECOND;

/** Stores what a price requires, and returns whether two passes have observed it. */
export function confirm<M extends string>(
  before: ObservedMove<M> | null,
  move: M | undefined,
  quote: BidAsk,
): { readonly signal: ObservedMove<M> | null; readonly confirmed: M | undefined } {
  if (!move || isWide(quote)) return { signal: null, confirmed: undefined };
  if (before?.move !== move || before.at > quote.at)
    return { signal: { move, at: quote.at }, confirmed: undefined };
  return quote.at - before.at >= OBSERVATIONS_APART
    ? { signal: null, confirmed: move }
    : { signal: before, confirmed: undefined };
}

/**
 * Begins the exit of a strategy whose end time has come, even if it has not started or knows no price. `now` is market
 * time, if it is known. A requested change counts already.
 */
export function judgeTime<S extends Strategy>(
  kind: Pick<Kind, "holdings">,
  strategy: S,
  now: Millis | undefined,
): S | undefined {
  const { endsAt, onEnd = "keep" } = pendingEdit(strategy) ?? strategy.config;
  if (endsAt === undefined || now === undefined || now < endsAt) return undefined;
  return beginExit(kind, strategy, { reason: "end", tries: 0, ...(onEnd === "keep" ? { keeps: true } : {}) });
}

/**
 * Begins the exit of a strategy that has reached a stop price. Two passes must observe it, or one with `stopAtOnce`.
 */
export function judgeEnding<S extends Strategy>(kind: Pick<Kind, "holdings">, before: S, quote: BidAsk): S {
  if (before.state.exit) return before;
  const { stopAtOnce } = before.config;
  const strategy = withHighest(before, quote);
  const mid = midOf(quote);
  const reached = reachedStop(stopLevels(strategy), mid);
  const earlier = strategy.state.stopObserved ?? null;
  const { signal, confirmed } =
    stopAtOnce && reached && !isWide(quote)
      ? { signal: null, confirmed: reached.reason }
      : confirm(earlier, reached?.reason, quote);
  const noted = signal === earlier ? strategy : withState(strategy, { stopObserved: signal });
  if (!confirmed || !reached) return noted;
  return beginExit(kind, noted, {
    reason: reached.reason,
    tries: 0,
    reached: { mid, price: reached.price },
  });
}

const withState = <S extends Strategy>(strategy: S, changes: Partial<Strategy["state"]>): S => ({
  ...strategy,
  state: { ...strategy.state, ...changes },
});

/**
 * Keeps the highest reliable mid price since a trailing stop was set. Without one it is forgotten: a new one must not
 * end the strategy at a price that was high long ago.
 */
function withHighest<S extends Strategy>(strategy: S, quote: BidAsk): S {
  const { config, state } = strategy;
  if (config.trailingStop === undefined) {
    if (state.highest === undefined) return strategy;
    const { highest: _, ...rest } = state;
    return { ...strategy, state: rest };
  }
  if (isWide(quote)) return strategy;
  const highest = max(state.highest ?? midOf(quote), midOf(quote));
  return highest === state.highest ? strategy : withState(strategy, { highest });
}

const beginExit = <S extends Strategy>(kind: Pick<Kind, "holdings">, strategy: S, exit: Exit): S =>
  withState(strategy, { exit: { ...exit, baseAtStart: kind.holdings(strategy.state).base } });
