/** What rests against what should: each id has a slot, and each slot at most one order. */
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
  /** Wishes that have no order, each with its slot. */
  readonly lacking: readonly { readonly wish: NamedWish; readonly slot: SlotState }[];
  /** Of a wish whose order was refused, and is not tried yet. */
  readonly waiting: readonly SlotState[];
  /** Orders that nothing wants as they are. */
  readonly misplaced: readonly Order[];
}

/** An id's next order waits until the one before it has ended, so that no more than was declared can fill. */
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

/** The slot that had the id keeps it; a new id takes one that is free, with what it waits for, or a new one. */
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
