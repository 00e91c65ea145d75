import { strangerError, withNotices } from "../../engine/decide/troubles.ts";
import { isRecovering } from "../../engine/decide/turn.ts";
import { min, ZERO } from "../../kernel/decimal.ts";
import { isWide, midOf } from "../../kernel/spread.ts";
import { ageOf, MINUTE } from "../../kernel/time.ts";
import type { Quote } from "../../model/market.ts";
import type { Notice } from "../../model/strategy.ts";
import type { StrategyContext } from "../../ports/kind.ts";
import { giveFirstBase, layOut, targetBase } from "../ladder/layout.ts";
import { unsoldBase } from "../ledger/booking.ts";
import type { GridState, GridStrategy, Slot } from "../state/state.ts";
import type { MarketQuote } from "./watch.ts";

/** Starts a waiting grid when a reliable mid price reaches its trigger, from either side. */
export function trigger(strategy: GridStrategy, { quote }: MarketQuote): GridStrategy | undefined {
  const { config, state, status } = strategy;
  if (status !== "idle" || config.triggerPrice === undefined) return strategy;
  if (isWide(quote)) return undefined;
  const mid = midOf(quote);
  const isBelow = state.startPrice < config.triggerPrice;
  if (isBelow ? mid < config.triggerPrice : mid > config.triggerPrice) return undefined;
  const levels = [
    ...state.slots.map(({ lower }) => lower),
    ...state.slots.map(({ upper }) => upper).slice(-1),
  ];
  const sides = layOut(levels, config.orderSize, mid);
  // A strategy that holds or has sold base had started before, and its database was restored.
  const hasSold = ({ side }: Slot) => side === "buy" && state.ledger.filledOrders > 0;
  const slots = state.slots.map((slot, i) =>
    unsoldBase(slot) > ZERO || hasSold(slot) ? slot : { ...slot, side: sides[i]?.side ?? slot.side },
  );
  const firstBuy = state.firstBuy && { ...state.firstBuy, ask: quote.ask };
  const now = { startPrice: mid, center: mid, laidAt: quote.at };
  const begun: GridState = { ...state, ...now, slots, firstBuy, notices: [] };
  return { ...strategy, state: begun, status: "running", phase: "starting" };
}

/** Returns a grid that waits for its trigger, with a notice while the price is not reliable. */
export function waitForTrigger(strategy: GridStrategy, { quote }: MarketQuote): GridStrategy {
  const message = "the spread is wider than 2 %, so the trigger price waits for a narrower one";
  const notices: Notice[] = isWide(quote) ? [{ code: "wide_spread", message }] : [];
  return withNotices({ ...strategy, status: "idle", phase: "starting" }, notices);
}

/** Maximum wait until it is certain which base is unused; then the grid uses the certain part. */
const LONGEST_START = 5 * MINUTE;

/** Gives a starting grid its first base when the available amount is certain. Returns undefined until then. */
export function startTrading(
  strategy: GridStrategy,
  context: StrategyContext,
  { at }: Quote,
): GridStrategy | undefined {
  const { observed, ownBase } = context;
  if (strategy.phase !== "starting" || !observed.market) return strategy;
  // It can have started before its database was restored: its sales then show the base that it had.
  if (isRecovering(strategy, context)) return { ...strategy, lastError: strangerError(context) };
  if (ownBase === undefined) return undefined;
  const { state, config } = strategy;
  const most = config.useOwnBase === false ? ZERO : ownBase.least;
  const free = config.bound ? min(config.bound.base, most) : most;
  const isEnough =
    ownBase.isSure || config.useOwnBase === false || targetBase(state, observed.market) <= free;
  if (!isEnough && ageOf(state.laidAt, at) < LONGEST_START)
    return {
      ...strategy,
      lastError: "it starts when the balances show the open and recent orders of the account",
    };
  return { ...strategy, phase: "placing", state: giveFirstBase(state, observed.market, free) };
}
