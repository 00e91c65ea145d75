/** Assigns missing levels to slots of their side, and selects the orders of this pass. */
import { waitsToPlace } from "../../engine/decide/limited.ts";
import { type Desk, delayedRefusal, placeOrder, type Supply } from "../../engine/position/place.ts";
import type { Side } from "../../model/market.ts";
import type { SlotState } from "../../model/strategy.ts";
import type { QuoteLevel } from "../levels.ts";
import { isBidSlot } from "../state/state.ts";

const ofSide = (side: Side) => (slot: SlotState) => isBidSlot(slot) === (side === "buy");

/** Returns the slots of a side without an order: those that can have one, and those that wait after a refusal. */
export function freeSlots(
  side: Side,
  slots: readonly SlotState[],
  { live, context }: Pick<Desk, "live" | "context">,
) {
  const busy = new Set(live.map(({ slot }) => slot));
  const { now, bounds } = context;
  const free = slots.filter((slot) => ofSide(side)(slot) && !busy.has(slot.index));
  const waits = (slot: SlotState) => waitsToPlace(slot, { now, version: bounds.standings.version });
  return { ready: free.filter((slot) => !waits(slot)), waiting: free.filter(waits) };
}

/**
 * Places the nearest level first. A slot that the exchange rejected keeps its level waiting; no other slot tries that
 * level.
 */
export function placeSide(side: Side, lacking: readonly QuoteLevel[], desk: Desk, before: Supply): Supply {
  const { ready, waiting } = freeSlots(side, before.slots, desk);
  const toPlace = lacking.slice(0, Math.max(0, lacking.length - waiting.length));
  const delayed = waiting
    .slice(0, lacking.length - toPlace.length)
    .map((slot) => delayedRefusal(slot, desk.strategy));
  let supply: Supply = { ...before, refused: [...before.refused, ...delayed] };
  for (const [index, level] of toPlace.entries()) {
    const slot = ready[index];
    if (slot) supply = placeOrder(level, slot, desk, supply);
  }
  return supply;
}
