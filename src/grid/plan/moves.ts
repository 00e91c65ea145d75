import { encode } from "../../kernel/codec.ts";
import { abs, type Decimal, max, min, mul, ONE } from "../../kernel/decimal.ts";
import { AppError } from "../../kernel/errors.ts";
import { midOf } from "../../kernel/spread.ts";
import { ageOf, MINUTE, type Millis } from "../../kernel/time.ts";
import type { Event } from "../../model/events.ts";
import { type BidAsk, lotsFor, type Market } from "../../model/market.ts";
import type { Funds } from "../../model/order.ts";
import { need, pendingEdit } from "../../model/strategy.ts";
import type { WakePrices } from "../../ports/kind.ts";
import { draw, drawAll, emptied, releaseInventory } from "../booking.ts";
import { checkMinimum } from "../ladder/check-rules.ts";
import { ascends, layAround, layOut, levelAt, levelsFrom, wideningOf } from "../ladder/levels.ts";
import type { GridConfig } from "../state/config.ts";
import type { GridState, GridStrategy, MidMove, Slot } from "../state/state.ts";

/** Returns the move that the mid price requires now. */
export function moveOf(
  config: GridConfig,
  state: GridState,
  { quote, tick }: { quote: BidAsk; tick: Decimal },
): MidMove | undefined {
  const mid = midOf(quote);
  const { centered } = config;
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
  const { rebuild, trail, firstBuy, signal, stopObserved, exit } = state;
  if (rebuild || trail.way || firstBuy || signal || stopObserved || exit || config.centered?.volatility)
    return undefined;
  if (config.centered) {
    const { lowest, highest } = rebuildEdges(config.centered, state);
    return { below: lowest, above: highest };
  }
  if (!config.trail) return {};
  const { up: above, down: below } = trailEnds(config, state, 1n);
  return { below, above };
}

export interface MarketQuote {
  readonly market: Market;
  readonly quote: BidAsk;
}

interface RebuildMarket {
  readonly market: Market;
  readonly quote: BidAsk;
}

function laid(config: GridConfig, state: GridState, { market, quote }: RebuildMarket) {
  const { centered, orderSize } = config;
  const mid = midOf(quote);
  if (!centered) {
    const levels = levelsFrom(config, market.tick);
    return { center: mid, levels, slots: layOut(levels, orderSize, mid), widening: ONE };
  }
  const widening = centered.volatility
    ? (wideningOf(centered.volatility, state, quote.at) ?? state.widening)
    : ONE;
  const around = { config: centered, orderSize, mid, widening, tick: market.tick };
  return { ...layAround(around), widening };
}

/** Returns why the new grid cannot be placed; undefined if it can. Runs before anything is canceled. */
export function obstacle(config: GridConfig, state: GridState, inputs: RebuildMarket): string | undefined {
  const { levels, slots } = laid(config, state, inputs);
  if (!ascends(levels)) return "two of the new levels fall on one price";
  try {
    checkMinimum(slots, inputs.market, {
      name: config.centered ? "size" : "orderSize",
      size: config.orderSize,
    });
    return undefined;
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
}

/**
 * Rebuilds the grid around the mid price after all its orders ended. The slots' base keeps its cost: it goes to the
 * new selling slots, and the rest becomes idle.
 */
export function layOutAnew(config: GridConfig, state: GridState, inputs: RebuildMarket): GridState {
  const { center, slots, widening } = laid(config, state, inputs);
  const emptied = releaseInventory(state, () => true);
  const fresh: GridState = {
    ...emptied,
    generation: state.rebuild?.generation ?? state.generation + 1,
    slots,
    center,
    laidAt: inputs.quote.at,
    widening,
    rebuild: null,
    // Steps count from the bounds of the configuration, which are those of the new levels.
    trail: { way: null, steps: 0 },
    firstBuy: config.centered ? emptied.firstBuy : null,
    refused: [],
  };
  return drawAll(fresh, config, inputs.market);
}

/*
 * A user's change of a running grid. It works like a rebuild of a centered grid: every order of the old levels ends
 * before a new one is placed, in a new generation, and the base keeps its cost.
 */

const ladderText = (config: GridConfig): string => {
  const { lowerPrice, upperPrice, gridLevels, orderSize, gridSpacing, spacingModel, centered } = config;
  const range = centered ? null : [lowerPrice, upperPrice, gridLevels, gridSpacing, spacingModel ?? "linear"];
  return encode([range, orderSize, centered]);
};

/** Returns whether two configurations have different levels or sizes; then the slots are rebuilt. */
export const movesLadder = (gridConfig: GridConfig, other: GridConfig): boolean =>
  ladderText(gridConfig) !== ladderText(other);

/** Begins a change: at once if the levels stay, otherwise with the cancels of a rebuild. */
export function beginEdit(strategy: GridStrategy, marketQuote: MarketQuote): GridStrategy {
  const edit = pendingEdit(strategy);
  const { config, state, phase } = strategy;
  if (!edit || state.exit || phase === "starting") return strategy;
  if (!movesLadder(config, edit)) return { ...strategy, config: edit, state: withEditsNoted(strategy) };
  if (state.rebuild) return strategy;
  // Checked before anything is canceled.
  if (obstacle(edit, state, marketQuote) !== undefined)
    return { ...strategy, state: withEditsNoted(strategy) };
  return { ...strategy, state: { ...state, signal: null, rebuild: { generation: state.generation + 1 } } };
}

/** Returns the configuration of the next slots; undefined while none can be built. */
export function configToLay(strategy: GridStrategy, marketQuote: MarketQuote): GridConfig | undefined {
  const { config, state } = strategy;
  const configs = [pendingEdit(strategy), config];
  return configs.find((one) => one && obstacle(one, state, marketQuote) === undefined);
}

/** Marks all requested changes as processed. */
export const withEditsNoted = ({ state, edits = 0 }: Pick<GridStrategy, "state" | "edits">): GridState =>
  edits === (state.edits ?? 0) ? state : { ...state, edits };

/** Events for the result of a change that this pass processed. */
export function editEvents(
  before: GridStrategy,
  after: GridStrategy,
  marketQuote: MarketQuote,
  at: Millis,
): Event[] {
  const edit = pendingEdit(before);
  if (!edit || pendingEdit(after)) return [];
  const why = after.config === edit ? undefined : obstacle(edit, before.state, marketQuote);
  const message =
    after.config === edit
      ? "the change is made"
      : `the change was not made: ${why ?? "another change came first"}`;
  return [{ account: after.account, strategy: after.id, at, kind: "edited", message }];
}

/** Returns the slot that moves: the lowest if the grid moves up, the highest if it moves down. */
export const leaving = ({ slots, trail }: GridState): Slot | undefined =>
  trail.way === null
    ? undefined
    : slots.reduce((found, slot) =>
        (trail.way === "up" ? slot.lower < found.lower : slot.lower > found.lower) ? slot : found,
      );

/** Returns whether there is free quote for the buy of a slot added below. */
export function affords(
  config: GridConfig,
  state: GridState,
  market: Market,
  funds: Funds | undefined,
): boolean {
  const price = levelAt(config, state.trail.steps - 1, market.tick);
  const order = { side: "buy" as const, price, amount: lotsFor(market, config.orderSize, price) };
  const { asset, amount } = need(market, order);
  return funds !== undefined && amount <= (funds[asset] ?? 0n);
}

/**
 * Moves the grid by one step when the moving slot has no order. The slot's base becomes idle, and the slot reappears
 * at the other end under its number. There it sells idle base if there is enough for a whole order, otherwise it
 * buys.
 */
export function shiftOneStep(config: GridConfig, state: GridState, market: Market): GridState {
  const slot = leaving(state);
  if (!slot) return state;
  const isUp = state.trail.way === "up";
  const steps = state.trail.steps + (isUp ? 1 : -1);
  const first = isUp ? config.gridLevels - 1 + steps : steps;
  const bounds = (i: number): Decimal => levelAt(config, i, market.tick);
  const given = releaseInventory(state, (one) => one === slot);
  // It may sell idle base that was bought before any profit was reinvested.
  const { grown: _, ...plain } = emptied(slot);
  const next: Slot = {
    ...plain,
    size: config.orderSize,
    lower: bounds(first),
    upper: bounds(first + 1),
    side: "buy",
    cycles: 0,
  };
  const placed: GridState = {
    ...given,
    slots: given.slots.map((one) => (one.index === slot.index ? next : one)),
    trail: { way: null, steps },
  };
  return draw(placed, next, config, market);
}
