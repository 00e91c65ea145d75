import { upgraded } from "../engine/pass/upgrade.ts";
import type { Decimal } from "../kernel/decimal.ts";
import type { Order } from "../model/order.ts";
import type { Strategy } from "../model/strategy.ts";
import type { BuiltInKind, FoundOrder } from "../ports/kind.ts";
import type { StrategyView } from "../ports/stores/store.ts";
import {
  bookEnd,
  bookFill,
  costInAll,
  gridAccounts,
  gridPosition,
  movedByBooks,
  releaseInventory,
} from "./booking.ts";
import { forgottenBase, largestOrdersOf } from "./ladder/levels.ts";
import { countTry } from "./plan/first-buy.ts";
import { gridWakes } from "./plan/moves.ts";
import { reserveOf } from "./plan/next-orders.ts";
import { advanceRunning, outdated } from "./plan/run.ts";
import type { GridConfig, GridState, GridStrategy } from "./state/state.ts";

/** Grid strategy: orders at the levels of a range. What a slot buys, it sells one level higher. */
export const gridKind: BuiltInKind<GridConfig, GridState> = {
  name: "grid",
  version: 1,
  upgrade: (state) => state as GridState,
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
  holdings: (state: GridState) => ({ base: gridPosition(state), cost: costInAll(state) }),
  reserve: reserveOf,
  largestOrders: ({ slots }: GridState) => largestOrdersOf(slots),
  movedByBooks,
  accounts: gridAccounts,
  isInRange: ({ slots }: GridState, mid: Decimal) =>
    slots.some(({ lower }) => lower <= mid) && slots.some(({ upper }) => upper >= mid),
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

export const isGrid = (strategy: Strategy): strategy is GridStrategy => strategy.kind === gridKind.name;

/** Returns a strategy view as a grid's view. Throws for a strategy of another kind. */
export const asGridView = (view: StrategyView): StrategyView<GridStrategy> => ({
  ...view,
  strategy: asGrid(view.strategy),
});

/** Returns the grids among strategies of all kinds. */
export const gridViewsOf = (views: readonly StrategyView[]): readonly StrategyView<GridStrategy>[] =>
  views.filter(({ strategy }) => isGrid(strategy)).map(asGridView);

/** Returns a strategy as a grid. Throws for a strategy of another kind. */
export function asGrid(strategy: Strategy): GridStrategy {
  if (!isGrid(strategy)) throw new TypeError(`strategy ${strategy.id} is not a grid`);
  return upgraded(gridKind, strategy) as GridStrategy;
}
