import { ZERO } from "../../kernel/decimal.ts";
import type { Market } from "../../model/market.ts";
import type { GridConfig } from "../state/config.ts";
import type { GridState, Slot } from "../state/state.ts";
import { ascends, levelAt } from "./levels.ts";

/** A grid with its slots. */
interface LaidGrid {
  readonly config: GridConfig;
  readonly state: Pick<GridState, "slots">;
  readonly market: Market;
}

/** Returns the slots that a trailing grid can add to its initial ones. */
export function followed({ config, state, market }: LaidGrid): Slot[] {
  const { trail } = config;
  const [model] = state.slots;
  if (!trail || !model) return [];
  const at = (i: number) => levelAt(config, i, market.tick);
  const slots: Slot[] = [];
  const add = (i: number): boolean => {
    const [lower, upper] = [at(i), at(i + 1)];
    if (!ascends([lower, upper]) || lower <= ZERO) return false;
    slots.push({ ...model, lower, upper, size: config.orderSize, side: "buy", base: ZERO });
    return slots.length < MOST_FOLLOWED;
  };
  const { down, up } = trail;
  for (let i = -1; down !== undefined && at(i) >= down; i--) if (!add(i)) break;
  for (let i = config.gridLevels; up !== undefined && at(i + 1) <= up; i++) if (!add(i)) break;
  return slots;
}

/** Maximum number of slots to sum; a bound beyond it is meaningless and slow to compute. */
const MOST_FOLLOWED = 10_000;
