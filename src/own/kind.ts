import { requestedEndings } from "../engine/operations/ending-fields.ts";
import { configSchemaOf } from "../engine/operations/shapes.ts";
import { bookTrade, budgetSettings, POSITION_KIND } from "../engine/position/position.ts";
import { text } from "../kernel/decimal.ts";
import type { Pair } from "../kernel/pair.ts";
import { readPositionExposure } from "../limits/operations/exposed-reads.ts";
import type { Fill, Order } from "../model/order.ts";
import type { AnyStrategyDefinition, StrategyDefinitions } from "../ports/definition.ts";
import type { Kind, KindDefinition } from "../ports/kind.ts";
import type { EditRequest } from "../ports/plan.ts";
import type { StrategyView } from "../ports/stores/store.ts";
import { readOwnEdit } from "./operations/edit.ts";
import { ownEditForm, ownForm, readOwnStart } from "./operations/start.ts";
import { candleNeeds, elsewhereNeed, findDefinition, requirementOf } from "./pass/ask.ts";
import { mayDeclare, runOwnStrategy } from "./pass/run.ts";
import { OwnDetailsShape, OwnPlanShape, ownConfig } from "./schema/shapes.ts";
import { ownLines, ownPlanLines } from "./schema/view.ts";
import {
  type OwnStrategy,
  type OwnStrategyConfig,
  type OwnStrategyState,
  STORED_OWN,
  versionOf,
} from "./state.ts";

/** Declared strategy: a user's function returns the orders that should be open. */
export const ownStrategyKind = (
  definitions: StrategyDefinitions | undefined,
  leavesUnknown = false,
): Kind<OwnStrategyConfig, OwnStrategyState> => ({
  ...STORED_OWN,
  ...POSITION_KIND,
  group: "strategy",
  summary: "Write, test, start and watch strategies of your own",
  definitions: (definitions ?? []).map(ownDefinition),
  bookFill: (state: OwnStrategyState, symbol: Pair, fill: Fill, slot: number) =>
    withNewFill(bookTrade(state, symbol, fill), fill, slot),
  isInRange: ({ fault }: OwnStrategyState) => fault === null,
  asksElsewhere: ({ definition }: OwnStrategyConfig) =>
    elsewhereNeed(findDefinition(definitions, definition)),
  candlesFor: ({ definition }: OwnStrategyConfig) =>
    candleNeeds(findDefinition(definitions, definition)).map(requirementOf),
  mayPlace: (strategy: OwnStrategy, context) => mayDeclare(definitions, strategy, context),
  leaves: (strategy: OwnStrategy) =>
    leavesUnknown && isUnknown(strategy, definitions)
      ? `the strategy ${strategy.config.definition} is not loaded here; set EDGEMAKER_STRATEGIES to its folder`
      : undefined,
  run: (strategy: OwnStrategy, live: readonly Order[], context) =>
    runOwnStrategy(
      leavesUnknown && isUnknown(strategy, definitions) ? undefined : definitions,
      strategy,
      live,
      context,
    ),
  readStart: (deps, request, reader) => readOwnStart(definitions, deps, request, reader),
  readEdit: (deps, request: EditRequest<OwnStrategy>, reader) =>
    readOwnEdit(definitions, deps, request, reader),
  editWaitsFor: "orders",
  readExposure: (deps, strategy: OwnStrategy) => readPositionExposure(deps, strategy),
  definitionOf: ({ config }: OwnStrategy) => config.definition,
  settingsOf: ({ config: { options, budget, ...endings } }: OwnStrategy) => ({
    config: { ...options, ...requestedEndings(endings) },
    ...budgetSettings(budget),
  }),
  orderId: ({ state }: OwnStrategy, slot) => state.ids[slot] ?? "",
  planDetails: OwnPlanShape,
  planLines: ownPlanLines,
  statusDetails: OwnDetailsShape,
  statusDetailsOf: ({ strategy: { config, state } }: StrategyView<OwnStrategy>) => ({
    kind: "strategy",
    config: { ...config.options },
    budget: { base: text(config.budget.base), quote: text(config.budget.quote) },
    state: state.memory === null ? null : JSON.parse(state.memory.json),
    notes: state.notes ?? {},
  }),
  statusLines: ownLines,
});

/** What can be started of a user's definition. */
const ownDefinition = (definition: AnyStrategyDefinition): KindDefinition => ({
  name: definition.name,
  title: definition.name,
  summary: definition.summary ?? null,
  builtIn: false,
  version: versionOf(definition),
  fileHashes: definition.fileHashes,
  schema: () => configSchemaOf(ownConfig(definition)),
  forms: [ownForm(definition)],
  editForm: ownEditForm(definition),
});

const isUnknown = ({ config }: OwnStrategy, definitions: StrategyDefinitions | undefined): boolean =>
  findDefinition(definitions, config.definition) === undefined;

const withNewFill = (
  state: OwnStrategyState,
  { side, price, amount, at }: Fill,
  slot: number,
): OwnStrategyState => ({
  ...state,
  fills: [...state.fills, { id: state.ids[slot] || null, side, price, amount, at }],
});
