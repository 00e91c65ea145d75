import { requestedEndings } from "../engine/operations/ending-fields.ts";
import { configSchemaOf } from "../engine/operations/shapes.ts";
import { budgetSettings, startOfPosition } from "../engine/position/position.ts";
import { text } from "../kernel/decimal.ts";
import type { KindReading } from "../ports/kind-reading.ts";
import { OwnDetailsShape } from "./schema/shapes.ts";
import { ownLines } from "./schema/view.ts";
import { type OwnStrategy, versionOf } from "./state.ts";

/** What users' own strategies add to the list and the status. */
export const ownReading: KindReading<OwnStrategy> = {
  word: "strategy",
  killed: "nothing is placed until it is off",
  definitions: (loaded) =>
    loaded.map((definition) => ({
      name: definition.name,
      title: definition.name,
      summary: definition.summary ?? null,
      builtIn: false,
      version: versionOf(definition),
      config: configSchemaOf(definition.config),
    })),
  definitionOf: ({ config }) => config.definition,
  startedWith: startOfPosition,
  settingsOf: ({ config: { options, budget, ...endings } }) => ({
    config: { ...options, ...requestedEndings(endings) },
    ...budgetSettings(budget),
  }),
  orderId: ({ state }, slot) => state.ids[slot] ?? "",
  details: OwnDetailsShape,
  detailsOf: ({ strategy: { config, state } }) => ({
    kind: "strategy",
    config: { ...config.options },
    budget: { base: text(config.budget.base), quote: text(config.budget.quote) },
    state: state.memory === null ? null : JSON.parse(state.memory.json),
    notes: state.notes ?? {},
  }),
  linesOf: ownLines,
};
