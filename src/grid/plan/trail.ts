import type { Decimal } from "../../kernel/decimal.ts";
import type { Funds } from "../../model/intent.ts";
import type { Market } from "../../model/market.ts";
import { lotsFor } from "../../model/minimum.ts";
import { need } from "../../model/need.ts";
import { levelAt } from "../ladder/levels.ts";
import { draw, emptied, releaseInventory } from "../ledger/draw.ts";
import type { GridConfig } from "../state/config.ts";
import type { GridState, Slot } from "../state/state.ts";

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
  const next: Slot = {
    ...emptied(slot),
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
