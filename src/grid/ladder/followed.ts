import { ZERO } from "../../kernel/decimal.ts";
import type { Market } from "../../model/market.ts";
import type { GridConfig } from "../state/config.ts";
import type { GridState, Slot } from "../state/state.ts";
import { ascends, levelAt } from "./levels.ts";

/** A grid as it is laid out. */
interface LaidGrid {
  readonly config: GridConfig;
  readonly state: Pick<GridState, "slots">;
  readonly market: Market;
}

/** The slots to which a trailing grid can come beside those that it begins with. */
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

/** Beyond it a bound says nothing any more, and takes long to add up. */
const MOST_FOLLOWED = 10_000;
