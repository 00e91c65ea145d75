import type { Order } from "../model/order.ts";
import type { BuiltInKind, FoundOrder } from "../ports/kind.ts";
import { bookEnd, bookFill, gridBooks, releaseInventory } from "./booking.ts";
import { forgottenBase, largestOrdersOf } from "./ladder/levels.ts";
import { countTry } from "./plan/first-buy.ts";
import { gridWakes } from "./plan/moves.ts";
import { reserveOf } from "./plan/next-orders.ts";
import { advanceRunning, outdated } from "./plan/run.ts";
import { isBetweenLevels } from "./state/range.ts";
import { type GridConfig, type GridState, type GridStrategy, STORED_GRID } from "./state/state.ts";

/** Grid strategy: orders at the levels of a range. What a slot buys, it sells one level higher. */
export const gridKind: BuiltInKind<GridConfig, GridState> = {
  ...STORED_GRID,
  bookFill,
  bookEnd: (state: GridState, order: Order) => bookEnd(countTry(state, order), order),
  beforeFound: ({ state, phase }: GridStrategy, found: FoundOrder) =>
    found.order.side === "sell" && phase === "starting" ? forgottenBase(state, found) : state,
  // The slot had changed sides since the backup: its order shows the side.
  afterFound: (state: GridState, { slot: index, side }: Order) => ({
    ...state,
    slots: state.slots.map((slot) => (slot.index === index ? { ...slot, side } : slot)),
  }),
  skipGenerations: ({ state, config }: GridStrategy, count: number) =>
    config.centered ? { ...state, rebuild: { generation: state.generation + count } } : state,
  release: (state: GridState) => releaseInventory(state, () => true),
  ...gridBooks,
  reserve: reserveOf,
  largestOrders: ({ slots }: GridState) => largestOrdersOf(slots),
  isInRange: isBetweenLevels,
  hasRange: true,
  reads: "ticker",
  mayPlace: ({ state: { rebuild, trail, firstBuy, signal, stopObserved = null } }: GridStrategy, { free }) =>
    free > 0 ||
    rebuild !== null ||
    trail.way !== null ||
    firstBuy !== null ||
    (signal ?? stopObserved) !== null,
  wakesAt: gridWakes,
  outdated,
  run: advanceRunning,
};
