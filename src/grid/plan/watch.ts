import { abs, type Decimal, max, min, mul, ONE } from "../../kernel/decimal.ts";
import { isWide, midOf } from "../../kernel/spread.ts";
import { ageOf, MINUTE, type Millis, SECOND } from "../../kernel/time.ts";
import type { Market, Quote } from "../../model/market.ts";
import type { WakePrices } from "../../ports/kind.ts";
import { levelAt } from "../ladder/levels.ts";
import { wideningOf } from "../ladder/volatility.ts";
import type { GridConfig } from "../state/config.ts";
import type { GridState, GridStrategy, MidMove, Signal } from "../state/state.ts";

/** Minimum market time between the two passes that must observe a move. */
const OBSERVATIONS_APART: Millis = 5 * SECOND;

/** Returns the move that the mid price requires now; a stop price comes before all others. */
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

/** Returns whether a centered grid must be rebuilt, because the mid price left it or its spacing must change. */
function hasLeft({ centered }: GridConfig, state: GridState, mid: Decimal, at: Millis): boolean {
  if (!centered || ageOf(state.laidAt, at) < centered.debounce) return false;
  const { lowest, highest } = rebuildEdges(centered, state);
  return isUneven(centered, state, at) || mid > highest || mid < lowest;
}

/** Returns the prices between which a centered grid stays unchanged. */
export function rebuildEdges(
  { deviation, deviationFrom }: NonNullable<GridConfig["centered"]>,
  { slots, center }: Pick<GridState, "slots" | "center">,
): { readonly lowest: Decimal; readonly highest: Decimal } {
  const far = mul(center, deviation, "down");
  if (deviationFrom === "center") return { lowest: center - far, highest: center + far };
  return {
    lowest: slots.reduce((least, { lower }) => min(least, lower), center) - far,
    highest: slots.reduce((most, { upper }) => max(most, upper), center) + far,
  };
}

const QUARTER: Decimal = ONE / 4n;
const BETWEEN_WIDENINGS: Millis = 15 * MINUTE;

function isUneven(config: NonNullable<GridConfig["centered"]>, state: GridState, at: Millis): boolean {
  if (!config.volatility || ageOf(state.laidAt, at) < BETWEEN_WIDENINGS) return false;
  const widening = wideningOf(config.volatility, state, at);
  return widening !== undefined && abs(widening - state.widening) >= QUARTER;
}

function trailOf(config: GridConfig, state: GridState, mid: Decimal, tick: Decimal): MidMove | undefined {
  const { up, down } = trailEnds(config, state, tick);
  if (up !== undefined && mid >= up) return "trail_up";
  return down !== undefined && mid <= down ? "trail_down" : undefined;
}

/** Returns the prices at which a grid follows the market by one step; undefined if it does not follow it further. */
export function trailEnds(
  config: GridConfig,
  { trail }: Pick<GridState, "trail">,
  tick: Decimal,
): { readonly up: Decimal | undefined; readonly down: Decimal | undefined } {
  const { up, down } = config.trail ?? {};
  const above = levelAt(config, config.gridLevels + trail.steps + 1, tick);
  const below = levelAt(config, trail.steps - 1, tick);
  return {
    up: up !== undefined && above <= up ? above : undefined,
    down: down !== undefined && below >= down ? below : undefined,
  };
}

/**
 * Returns the prices at which a grid moves its slots; undefined while it moves them, or if time alone can move them.
 * They are exact to half a tick, because they only start a pass.
 */
export function gridWakes({ config, state }: Pick<GridStrategy, "config" | "state">): WakePrices | undefined {
  const { rebuild, trail, firstBuy, signal, exit } = state;
  if (rebuild || trail.way || firstBuy || signal || exit || config.centered?.volatility) return undefined;
  if (config.centered) {
    const { lowest, highest } = rebuildEdges(config.centered, state);
    return { below: lowest, above: highest };
  }
  if (!config.trail) return {};
  const { up: above, down: below } = trailEnds(config, state, 1n);
  return { below, above };
}

/** Stores a move, and returns whether two passes have observed it. */
export function confirm(
  before: Signal | null,
  move: MidMove | undefined,
  quote: Quote,
): { readonly signal: Signal | null; readonly confirmed: MidMove | undefined } {
  if (!move || isWide(quote)) return { signal: null, confirmed: undefined };
  if (before?.move !== move || before.at > quote.at)
    return { signal: { move, at: quote.at }, confirmed: undefined };
  return quote.at - before.at >= OBSERVATIONS_APART
    ? { signal: null, confirmed: move }
    : { signal: before, confirmed: undefined };
}

export interface MarketQuote {
  readonly market: Market;
  readonly quote: Quote;
}
