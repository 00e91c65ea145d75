import { type Decimal, div, max, mul, ONE, snap, ZERO } from "../../kernel/decimal.ts";
import type { Market } from "../../model/market.ts";
import { lotsFor, meetsMinimum } from "../../model/minimum.ts";
import type { GridConfig } from "../state/config.ts";
import { takeLots, totalBase, withLot } from "../state/lots.ts";
import type { GridState, Slot } from "../state/state.ts";
import { baseHeld, lotOf } from "./booking.ts";

/** Base moves between slots and the idle lots without being traded: its cost goes with it. */

/** The state with what these slots hold among the idle lots. */
export function releaseInventory(state: GridState, isGiven: (slot: Slot) => boolean): GridState {
  const given = state.slots.filter(
    (slot) => isGiven(slot) && (baseHeld(slot) !== ZERO || slot.cost !== ZERO),
  );
  if (given.length === 0) return state;
  const idle = given.reduce((lots, slot) => withLot(lots, lotOf(slot)), state.idle);
  return { ...state, idle, slots: state.slots.map((slot) => (given.includes(slot) ? emptied(slot) : slot)) };
}

export function emptied(slot: Slot): Slot {
  const { sellAt: _, ...rest } = slot;
  return { ...rest, bought: ZERO, base: ZERO, cost: ZERO, sold: ZERO, first: false };
}

/** The least price, in whole ticks, at which selling so much pays what it cost and the fee of the sell. */
const payingPrice = ({ base, cost }: { base: Decimal; cost: Decimal }, market: Market): Decimal =>
  snap(div(cost, mul(base, ONE - max(market.maker, market.taker), "down"), "up"), market.tick, "up");

/**
 * Gives idle base to an empty slot, a whole order of it or nothing, cheapest lots first. What it holds is
 * sold at its upper price, or where it pays if that is higher and losses are not allowed.
 */
export function draw(state: GridState, slot: Slot, config: GridConfig, market: Market): GridState {
  const amount = lotsFor(market, slot.size, slot.upper);
  if (baseHeld(slot) !== ZERO || amount > totalBase(state.idle) || !meetsMinimum(market, slot.upper, amount))
    return state;
  const { taken, rest } = takeLots(state.idle, amount);
  const sellAt = config.allowLoss ? slot.upper : max(slot.upper, payingPrice(taken, market));
  const filled: Slot = {
    ...emptied(slot),
    side: "sell",
    base: taken.base,
    cost: taken.cost,
    first: taken.first,
    ...(sellAt > slot.upper ? { sellAt } : {}),
  };
  return { ...state, idle: rest, slots: state.slots.map((one) => (one === slot ? filled : one)) };
}

/** Idle base to all selling slots without any, the lowest first. */
export const drawAll = (state: GridState, config: GridConfig, market: Market): GridState =>
  state.slots
    .filter(({ side }) => side === "sell")
    .sort((a, b) => (a.upper < b.upper ? -1 : 1))
    .reduce((now, { index }) => {
      const slot = now.slots.find((one) => one.index === index);
      return slot ? draw(now, slot, config, market) : now;
    }, state);
