import { configSchemaOf } from "../engine/operations/shapes.ts";
import { BUYS_ON } from "../model/kill.ts";
import type { KindReading } from "../ports/kind-reading.ts";
import { gridKind } from "./kind.ts";
import { conditionsOf } from "./operations/status.ts";
import { centeredPreviewInput, rangePreviewInput } from "./schema/input.ts";
import { investmentOf } from "./schema/shapes.ts";
import type { GridStrategy } from "./state/state.ts";

/** What grids add to the list and the status. */
export const gridReading: KindReading<GridStrategy> = {
  word: "grid",
  killed: BUYS_ON,
  definitions: (ids) => [
    {
      name: "grid",
      title: "Grid",
      summary: "Buy below and sell above at the levels of a range, or around the market (centered)",
      builtIn: true,
      version: gridKind.version,
      config: { anyOf: [rangePreviewInput(ids), centeredPreviewInput(ids)].map(configSchemaOf) },
    },
  ],
  definitionOf: () => "grid",
  startedWith: (strategy) => ({ capital: investmentOf(strategy), price: strategy.state.startPrice }),
  noticesOf: conditionsOf,
};
