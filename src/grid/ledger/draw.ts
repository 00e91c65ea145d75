import { type Decimal, div, max, mul, ONE, snap, ZERO } from "../../kernel/decimal.ts";
import type { Market } from "../../model/market.ts";
import { lotsFor, meetsMinimum } from "../../model/minimum.ts";
import type { GridConfig } from "../state/config.ts";
import { takeLots, totalBase, withLot } from "../state/lots.ts";
import type { GridState, Slot } from "../state/state.ts";
import { lotOf, unsoldBase } from "./booking.ts";

/** Moves base between slots and the idle lots without a trade; its cost moves with it. */

/** Moves the base of these slots to the idle lots. */
export function releaseInventory(state: GridState, isGiven: (slot: Slot) => boolean): GridState {
  const given = state.slots.filter(
    (slot) => isGiven(slot) && (unsoldBase(slot) !== ZERO || slot.cost !== ZERO),
  );
  if (given.length === 0) return state;
  const idle = given.reduce((lots, slot) => withLot(lots, lotOf(slot)), state.idle);
  return { ...state, idle, slots: state.slots.map((slot) => (given.includes(slot) ? emptied(slot) : slot)) };
}

export function emptied(slot: Slot): Slot {
  const { sellAt: _, ...rest } = slot;
  return { ...rest, bought: ZERO, base: ZERO, cost: ZERO, sold: ZERO, first: false };
}

/** Returns the lowest price, in whole ticks, at which a sale covers the cost of the base and the fee. */
const payingPrice = ({ base, cost }: { base: Decimal; cost: Decimal }, market: Market): Decimal =>
  snap(div(cost, mul(base, ONE - max(market.maker, market.taker), "down"), "up"), market.tick, "up");

/**
 * Gives idle base to an empty slot, cheapest lots first, if there is enough for a whole order. The slot sells it at
 * its upper price, or at a higher price that covers the cost if losses are not allowed.
 */
export function draw(state: GridState, slot: Slot, config: GridConfig, market: Market): GridState {
  const amount = lotsFor(market, slot.size, slot.upper);
  if (
    unsoldBase(slot) !== ZERO ||
    amount > totalBase(state.idle) ||
    !meetsMinimum(market, slot.upper, amount)
  )
    return state;
  const { drawn, rest } = takeLots(state.idle, amount);
  const sellAt = config.allowLoss ? slot.upper : max(slot.upper, payingPrice(drawn, market));
  const filled: Slot = {
    ...emptied(slot),
    side: "sell",
    base: drawn.base,
    cost: drawn.cost,
    first: drawn.first,
    ...(sellAt > slot.upper ? { sellAt } : {}),
  };
  return { ...state, idle: rest, slots: state.slots.map((one) => (one === slot ? filled : one)) };
}

/** Gives idle base to all empty selling slots, lowest first. */
export const drawAll = (state: GridState, config: GridConfig, market: Market): GridState =>
  state.slots
    .filter(({ side }) => side === "sell")
    .sort((a, b) => (a.upper < b.upper ? -1 : 1))
    .reduce((now, { index }) => {
      const slot = now.slots.find((slot) => slot.index === index);
      return slot ? draw(now, slot, config, market) : now;
    }, state);
