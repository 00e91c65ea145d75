import type * as z from "zod";
import { configSchemaOf } from "../engine/operations/shapes.ts";
import { sum, text, texts } from "../kernel/decimal.ts";
import { splitPair } from "../kernel/pair.ts";
import { BUYS_ON } from "../model/kill.ts";
import type { Order } from "../model/order.ts";
import { describeWaits } from "../model/refusal-text.ts";
import type { BuiltInKind, FoundOrder } from "../ports/kind.ts";
import type { StrategyView } from "../ports/stores/store.ts";
import { bookEnd, bookFill, gridBooks, releaseInventory } from "./booking.ts";
import { GRID_EDIT_FORM, GRID_FORMS } from "./forms.ts";
import { forgottenBase, largestOrdersOf } from "./ladder/levels.ts";
import { readGridEdit } from "./operations/edit.ts";
import { readResumeExposure } from "./operations/exposures.ts";
import { readGridStart, readGridUse } from "./operations/start.ts";
import { conditionsOf } from "./operations/status.ts";
import { countTry } from "./plan/first-buy.ts";
import { gridWakes } from "./plan/moves.ts";
import { reserveOf } from "./plan/next-orders.ts";
import { advanceRunning, outdated } from "./plan/run.ts";
import { confidenceOut, slotOut, unbookedBalanceChanges } from "./schema/accounting.ts";
import { GridPlanShape, gridPlanLines } from "./schema/plan.ts";
import { gridRangeText } from "./schema/range-view.ts";
import { currentRange, GridDetailsShape, investmentOf } from "./schema/shapes.ts";
import { layoutOut } from "./schema/status-answer.ts";
import { gridSettingsOf } from "./start/as-requested.ts";
import { isBetweenLevels, rangeNow } from "./state/range.ts";
import { type GridConfig, type GridState, type GridStrategy, STORED_GRID } from "./state/state.ts";

/** Grid strategy: orders at the levels of a range. What a slot buys, it sells one level higher. */
export const gridKind: BuiltInKind<GridConfig, GridState> = {
  ...STORED_GRID,
  group: "grid",
  summary: "Start, watch, change and stop grids",
  definitions: [
    {
      name: "grid",
      title: "Grid",
      summary: "Buy below and sell above at the levels of a range, or around the market (centered)",
      builtIn: true,
      version: STORED_GRID.version,
      schema: () => ({ anyOf: GRID_FORMS.map(({ config }) => configSchemaOf(config())) }),
      forms: GRID_FORMS,
      editForm: GRID_EDIT_FORM,
    },
  ],
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
  readStart: readGridStart,
  readEdit: readGridEdit,
  editWaitsFor: "orders",
  onPause: "keep",
  killed: BUYS_ON,
  readUse: readGridUse,
  readExposure: readResumeExposure,
  describeUse: ({ state, symbol }: GridStrategy) =>
    `up to ${text(sum(state.slots.map(({ size }) => size)))} ${splitPair(symbol).quote} in buys`,
  startedWith: (strategy: GridStrategy) => ({
    capital: investmentOf(strategy),
    price: strategy.state.startPrice,
  }),
  settingsOf: ({ config }: GridStrategy) => ({ config: gridSettingsOf(config) }),
  rangeOf: ({ state }: GridStrategy) => rangeNow(state),
  noticesOf: conditionsOf,
  lowerPriceOf: ({ state }: GridStrategy, slot) => state.slots.find(({ index }) => index === slot)?.lower,
  planDetails: GridPlanShape,
  planLines: gridPlanLines,
  statusDetails: GridDetailsShape,
  statusDetailsOf(view: StrategyView<GridStrategy>) {
    const { strategy } = view;
    const { ledger, slots } = strategy.state;
    return {
      kind: "grid",
      centered: strategy.config.centered !== undefined,
      ...layoutOut(strategy.config, text),
      ...currentRange(strategy, text),
      cycles: ledger.cycles,
      confidence: confidenceOut(view),
      otherChanges: texts(unbookedBalanceChanges(view)),
      slots: slots.map((slot) => slotOut(slot, text)),
    };
  },
  statusLines({ symbol, details, waiting }) {
    const grid = details as z.output<ReturnType<typeof GridDetailsShape>>;
    return {
      ...gridRangeText(grid, symbol.split("/")[1]),
      cycles: String(grid.cycles),
      waiting: describeWaits(
        waiting.map((one) => ({ ...one, slot: one.id })),
        grid.slots.map(({ slot, lowerPrice }) => ({ slot: String(slot), lowerPrice })),
      ),
    };
  },
};
