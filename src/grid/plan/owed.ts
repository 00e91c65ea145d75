import { type Decimal, max, ZERO } from "../../kernel/decimal.ts";
import { unsoldBase } from "../ledger/booking.ts";
import { totalBase } from "../state/lots.ts";
import type { GridState, Slot } from "../state/state.ts";

/** Returns base that slots sold beyond what they had, in orders found after a restore, when the grid had moved. */
function owedBase({ slots, idle }: Pick<GridState, "slots" | "idle">): Decimal {
  const owed = slots.reduce((sum, slot) => sum + max(ZERO, -unsoldBase(slot)), ZERO);
  return owed - totalBase(idle);
}

/** Returns slots that keep their base until the base owed by others is bought back, from the last one of `free` on. */
export function keptBack(
  state: Pick<GridState, "slots" | "idle">,
  free: readonly Slot[],
): ReadonlySet<number> {
  const kept = new Set<number>();
  let owed = owedBase(state);
  for (const slot of [...free].reverse()) {
    if (owed <= ZERO) return kept;
    if (unsoldBase(slot) <= ZERO) continue;
    kept.add(slot.index);
    owed -= unsoldBase(slot);
  }
  return kept;
}
