import { type Decimal, max, ZERO } from "../../kernel/decimal.ts";
import { baseHeld } from "../ledger/booking.ts";
import { totalBase } from "../state/lots.ts";
import type { GridState, Slot } from "../state/state.ts";

/** Base that slots have sold beyond what they held: of orders found after a restore, when their grid had moved since. */
function owedBase({ slots, idle }: Pick<GridState, "slots" | "idle">): Decimal {
  const owed = slots.reduce((sum, slot) => sum + max(ZERO, -baseHeld(slot)), ZERO);
  return owed - totalBase(idle);
}

/** Slots that keep what they hold until what others owe is bought back, from the last of `free` on. */
export function keptBack(
  state: Pick<GridState, "slots" | "idle">,
  free: readonly Slot[],
): ReadonlySet<number> {
  const kept = new Set<number>();
  let owed = owedBase(state);
  for (const slot of [...free].reverse()) {
    if (owed <= ZERO) return kept;
    if (baseHeld(slot) <= ZERO) continue;
    kept.add(slot.index);
    owed -= baseHeld(slot);
  }
  return kept;
}
