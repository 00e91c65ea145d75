/** Compares open orders with declared ones: each id has a slot, and each slot at most one order. */
import { waitsToPlace } from "../../engine/decide/limited.ts";
import { standsFor, type Tolerance } from "../../engine/position/tolerance.ts";
import { isFinal } from "../../engine/reconcile/order-life.ts";
import type { Order } from "../../model/order.ts";
import type { SlotState } from "../../model/strategy.ts";
import type { DeclaredState } from "../state.ts";
import type { NamedWish } from "./ask.ts";

export interface Arranged {
  readonly slots: readonly SlotState[];
  readonly ids: readonly string[];
  /** Declared orders that are not open, each with its slot. */
  readonly lacking: readonly { readonly wish: NamedWish; readonly slot: SlotState }[];
  /** Slots of declared orders that were refused and wait for a retry. */
  readonly waiting: readonly SlotState[];
  /** Open orders that match no declared one. */
  readonly misplaced: readonly Order[];
}

/**
 * Matches orders with slots. The next order of an id waits until the previous one has ended, so no more than declared
 * can fill.
 */
export function arrange(
  { slots, ids }: Pick<DeclaredState, "slots" | "ids">,
  wishes: readonly NamedWish[],
  live: readonly Order[],
  {
    tolerance,
    now,
    version,
  }: { readonly tolerance: Tolerance; readonly now: number; readonly version: number },
): Arranged {
  const named = nameSlots({ slots, ids }, wishes, live);
  const kept = new Set<Order>();
  const lacking: { wish: NamedWish; slot: SlotState }[] = [];
  const waiting: SlotState[] = [];
  for (const wish of wishes) {
    const index = named.ids.indexOf(wish.id);
    const slot = named.slots[index];
    const busy = live.filter((order) => order.slot === index);
    for (const order of busy)
      if (standsFor({ ...order, left: order.amount - order.filled }, wish, tolerance)) kept.add(order);
    if (!slot || busy.length > 0) continue;
    if (waitsToPlace(slot, { now, version })) waiting.push(slot);
    else lacking.push({ wish, slot });
  }
  const misplaced = live.filter((order) => !kept.has(order) && !isFinal(order));
  return { ...named, lacking, waiting, misplaced };
}

/** Assigns ids to slots: an id keeps its slot; a new id gets a free one with its backoff, or a new one. */
function nameSlots(
  { slots, ids }: Pick<DeclaredState, "slots" | "ids">,
  wishes: readonly NamedWish[],
  live: readonly Order[],
): Pick<Arranged, "slots" | "ids"> {
  const fresh = wishes.filter(({ id }) => !ids.includes(id));
  if (fresh.length === 0) return { slots, ids };
  const used = new Set([...live.map(({ slot }) => slot), ...wishes.map(({ id }) => ids.indexOf(id))]);
  const [nextSlots, nextIds] = [[...slots], [...ids]];
  let index = 0;
  for (const { id } of fresh) {
    while (used.has(index)) index++;
    used.add(index);
    for (let added = nextSlots.length; added <= index; added++) {
      nextSlots.push({ index: added, retryAt: 0 });
      nextIds.push("");
    }
    nextIds[index] = id;
  }
  return { slots: nextSlots, ids: nextIds };
}
