import type * as z from "zod";
import { configSchemaOf } from "../engine/operations/shapes.ts";
import { text, texts } from "../kernel/decimal.ts";
import { BUYS_ON } from "../model/kill.ts";
import type { KindReading } from "../ports/kind-reading.ts";
import { conditionsOf } from "./operations/status.ts";
import { confidenceOut, slotOut, unbookedBalanceChanges } from "./schema/accounting.ts";
import { centeredConfig, rangeConfig } from "./schema/input.ts";
import { gridRangeText } from "./schema/range-view.ts";
import { currentRange, GridDetailsShape, investmentOf } from "./schema/shapes.ts";
import { layoutOut } from "./schema/status-answer.ts";
import { gridSettingsOf } from "./start/as-requested.ts";
import { rangeNow } from "./state/range.ts";
import { type GridStrategy, STORED_GRID } from "./state/state.ts";

/** What grids add to the list and the status. */
export const gridReading: KindReading<GridStrategy> = {
  word: "grid",
  killed: BUYS_ON,
  definitions: () => [
    {
      name: "grid",
      title: "Grid",
      summary: "Buy below and sell above at the levels of a range, or around the market (centered)",
      builtIn: true,
      version: STORED_GRID.version,
      config: { anyOf: [rangeConfig(), centeredConfig()].map(configSchemaOf) },
    },
  ],
  definitionOf: () => "grid",
  startedWith: (strategy) => ({ capital: investmentOf(strategy), price: strategy.state.startPrice }),
  settingsOf: ({ config }) => ({ config: gridSettingsOf(config) }),
  rangeOf: ({ state }) => rangeNow(state),
  noticesOf: conditionsOf,
  details: GridDetailsShape,
  detailsOf(view) {
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
  linesOf({ symbol, details }) {
    const grid = details as z.output<ReturnType<typeof GridDetailsShape>>;
    return { ...gridRangeText(grid, symbol.split("/")[1]), cycles: String(grid.cycles) };
  },
};
