import { abs, type Decimal, mul, ONE } from "../../kernel/decimal.ts";
import { midOf } from "../../kernel/spread.ts";
import { MINUTE, type Millis, SECOND } from "../../kernel/time.ts";
import type { Market, Quote } from "../../model/market.ts";
import { levelAt } from "../ladder/levels.ts";
import { wideningOf } from "../ladder/volatility.ts";
import type { GridConfig } from "../state/config.ts";
import type { GridState, MidMove, Signal } from "../state/state.ts";

/** A wider book tells nothing: one large order taken or withdrawn moves its mid. */
const WIDEST: Decimal = (2n * ONE) / 100n;
/** Least market time between the two passes that have to see a move. */
const SIGHTINGS_APART: Millis = 5 * SECOND;

export const isWide = ({ bid, ask }: Quote): boolean => ask - bid > mul(midOf({ bid, ask }), WIDEST, "down");

/** The move that the mid asks for now; a stop price comes before all others. */
export function moveOf(
  config: GridConfig,
  state: GridState,
  { quote, tick }: { quote: Quote; tick: Decimal },
): MidMove | undefined {
  const mid = midOf(quote);
  const { stopLossPrice, takeProfitPrice, centered } = config;
  if (stopLossPrice !== undefined && mid <= stopLossPrice) return "stop_loss";
  if (takeProfitPrice !== undefined && mid >= takeProfitPrice) return "take_profit";
  if (centered) return hasLeft(config, state, mid, quote.at) ? "rebuild" : undefined;
  return config.trail && trailOf(config, state, mid, tick);
}

/** Whether a centered grid is to be laid out anew: the mid has left it, or its spacing should be another. */
function hasLeft({ centered }: GridConfig, state: GridState, mid: Decimal, at: Millis): boolean {
  if (!centered || at - state.laidAt < centered.debounce) return false;
  const { slots, center } = state;
  const far = mul(center, centered.deviation, "down");
  if (isUneven(centered, state, at)) return true;
  if (centered.deviationFrom === "center") return abs(mid - center) > far;
  const lowest = slots.reduce((least, { lower }) => (lower < least ? lower : least), center);
  const highest = slots.reduce((most, { upper }) => (upper > most ? upper : most), center);
  return mid > highest + far || mid < lowest - far;
}

const QUARTER: Decimal = ONE / 4n;
const BETWEEN_WIDENINGS: Millis = 15 * MINUTE;

function isUneven(config: NonNullable<GridConfig["centered"]>, state: GridState, at: Millis): boolean {
  if (!config.volatility || at - state.laidAt < BETWEEN_WIDENINGS) return false;
  const wanted = wideningOf(config.volatility, state, at);
  return wanted !== undefined && abs(wanted - state.widening) >= QUARTER;
}

function trailOf(config: GridConfig, { trail }: GridState, mid: Decimal, tick: Decimal): MidMove | undefined {
  const { up, down } = config.trail ?? {};
  const above = levelAt(config, config.gridLevels + trail.steps + 1, tick);
  if (up !== undefined && mid >= above && above <= up) return "trail_up";
  const below = levelAt(config, trail.steps - 1, tick);
  return down !== undefined && mid <= below && below >= down ? "trail_down" : undefined;
}

/** What is remembered of a move, and whether two passes have now seen it. */
export function confirm(
  before: Signal | null,
  move: MidMove | undefined,
  quote: Quote,
): { readonly signal: Signal | null; readonly confirmed: MidMove | undefined } {
  if (!move || isWide(quote)) return { signal: null, confirmed: undefined };
  if (before?.move !== move) return { signal: { move, at: quote.at }, confirmed: undefined };
  return quote.at - before.at >= SIGHTINGS_APART
    ? { signal: null, confirmed: move }
    : { signal: before, confirmed: undefined };
}

export interface MarketQuote {
  readonly market: Market;
  readonly quote: Quote;
}
