import * as z from "zod";
import {
  listedStrategy,
  openOrdersOf,
  phaseOut,
  positionOut,
  READS_STRATEGIES,
  readStatusViews,
  statusInput,
} from "../../engine/operations/reads.ts";
import { runningViews } from "../../engine/operations/views.ts";
import { describeStream } from "../../engine/pass/streams/down.ts";
import type { Order } from "../../model/order.ts";
import { type Operation, operation } from "../../operation.ts";
import type { AnyStrategyDefinition, StrategyDefinitions } from "../../ports/definition.ts";
import type { Deps } from "../../ports/deps.ts";
import type { StrategyView } from "../../ports/stores/strategy-store.ts";
import { DeclaredListShape, DeclaredStatusesShape } from "../schema/shapes.ts";
import { declaredStatusView } from "../schema/view.ts";
import { declaredOrderOut, runningOut } from "../start/planned.ts";
import { type DeclaredStrategy, versionOf } from "../state.ts";
import { OWN_STRATEGIES } from "./own-strategies.ts";

function statusOut(
  deps: Deps,
  view: StrategyView<DeclaredStrategy>,
  { orders, killed }: { readonly orders: readonly Order[]; readonly killed: boolean },
) {
  const { strategy, memory } = view;
  const { id, symbol, config, state, lastError } = strategy;
  const { stalled: _, ...listed } = listedStrategy(deps, view, killed, {});
  return {
    ...listed,
    ...runningOut(listed.exchange, symbol, config),
    phase: phaseOut(strategy),
    orders: openOrdersOf(orders, id).map((order) =>
      declaredOrderOut({ ...order, id: state.ids[order.slot] ?? "" }),
    ),
    state: state.memory === null ? null : JSON.parse(state.memory.json),
    ...positionOut(strategy, memory.marks[symbol]?.mid),
    refused: state.refused.map(({ slot, ...refusal }) => ({ id: state.ids[slot] ?? "", ...refusal })),
    lastStepAt: view.steppedAt,
    stream: describeStream(strategy.account, deps.streamReport?.()),
    lastError: lastError ?? view.accountError,
  };
}

const strategyStatus = operation({
  ...READS_STRATEGIES,
  name: "get_strategy_status",
  summary: "Show your own strategies with their orders and P&L",
  http: { route: "GET /strategy/declared/status", from: "query" },
  cli: {
    path: "strategy status",
    positional: ["id"],
    watch: true,
    view: declaredStatusView,
    examples: ["edgemaker strategy status --watch"],
  },
  input: statusInput,
  output: DeclaredStatusesShape,
  async run(deps, { id }) {
    const { views, ...around } = await readStatusViews(deps, OWN_STRATEGIES, id);
    return { strategies: views.map((view) => statusOut(deps, view, around)), count: views.length };
  },
});

const listStrategies = (definitions: StrategyDefinitions) =>
  operation({
    ...READS_STRATEGIES,
    name: "list_strategies",
    summary: "List your own strategies: those that run, and those that can be started",
    http: { route: "GET /strategy/declared/list", from: "query" },
    cli: { path: "strategy list" },
    input: () => z.object({}),
    output: DeclaredListShape,
    async run(deps) {
      const killed = await deps.store.killed();
      const views = await runningViews(deps, OWN_STRATEGIES);
      return {
        strategies: views.map((view) =>
          listedStrategy(deps, view, killed, { strategy: view.strategy.config.definition }),
        ),
        count: views.length,
        loaded: definitions.map((definition) => ({
          ...{ name: definition.name, summary: definition.summary ?? null, version: versionOf(definition) },
          config: configSchema(definition),
        })),
      };
    },
  });

const configSchema = ({ config }: AnyStrategyDefinition): Record<string, unknown> => ({
  ...z.toJSONSchema(config, { io: "input", unrepresentable: "any" }),
});

export const declaredReads = (definitions: StrategyDefinitions): Operation[] => [
  strategyStatus,
  listStrategies(definitions),
];
