/** Which orders of the lacking levels leave in this pass: each in a slot of its side. */
import { waitsToPlace } from "../../engine/decide/limited.ts";
import { type Desk, heldBack, placeOrder, type Supply } from "../../engine/position/place.ts";
import type { Side } from "../../model/market.ts";
import type { SlotState } from "../../model/strategy.ts";
import type { QuoteLevel } from "../levels.ts";
import { isBidSlot } from "../state/state.ts";

const ofSide = (side: Side) => (slot: SlotState) => isBidSlot(slot) === (side === "buy");

/** Slots of a side without an order: those that may have one, and those that wait after a refusal. */
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

/** The nearest level first. A slot that the venue has refused keeps one level waiting: no other is tried in its place. */
export function placeSide(side: Side, lacking: readonly QuoteLevel[], desk: Desk, before: Supply): Supply {
  const { ready, waiting } = freeSlots(side, before.slots, desk);
  const wanted = lacking.slice(0, Math.max(0, lacking.length - waiting.length));
  const held = waiting.slice(0, lacking.length - wanted.length).map((slot) => heldBack(slot, desk.strategy));
  let supply: Supply = { ...before, refused: [...before.refused, ...held] };
  for (const [place, level] of wanted.entries()) {
    const slot = ready[place];
    if (slot) supply = placeOrder(level, slot, desk, supply);
  }
  return supply;
}
