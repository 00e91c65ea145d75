import * as z from "zod";
import { stalledFor, stalledNotices } from "../../engine/pass/stalled.ts";
import { positionAccounts } from "../../engine/position/ledger.ts";
import { text, wire } from "../../kernel/decimal.ts";
import { AppError } from "../../kernel/errors.ts";
import { idField } from "../../kernel/fields.ts";
import { parseAccountKey } from "../../model/account.ts";
import type { Order } from "../../model/order.ts";
import { type Operation, operation } from "../../operation.ts";
import type { AnyStrategyDefinition, StrategyDefinitions } from "../../ports/definition.ts";
import type { Deps } from "../../ports/deps.ts";
import type { StrategyView } from "../../ports/stores/strategy-store.ts";
import { asDeclared, declaredKind, isDeclared } from "../kind.ts";
import { DeclaredListShape, DeclaredStatusesShape } from "../schema/shapes.ts";
import { declaredStatusView } from "../schema/view.ts";
import { declaredOrderOut, runningOut } from "../start/planned.ts";
import { type DeclaredStrategy, versionOf } from "../state.ts";

export type DeclaredView = StrategyView<DeclaredStrategy>;

const declaredAmong = (views: readonly StrategyView[]): DeclaredView[] =>
  views
    .filter(({ strategy }) => isDeclared(strategy))
    .map((view) => ({ ...view, strategy: asDeclared(view.strategy) }));

export async function declaredView({ store }: Deps, id: string): Promise<DeclaredView> {
  const [view] = declaredAmong(await store.strategies({ id }));
  if (!view) throw new AppError("Not found", `there is no strategy ${id}`);
  return view;
}

const running = async ({ store }: Deps): Promise<DeclaredView[]> =>
  declaredAmong(await store.strategies({ stopped: false, kind: declaredKind([]).name }));

const listedDeclared = (deps: Deps, view: DeclaredView, killed: boolean) => {
  const { id, account, symbol, status, startedAt, state, config } = view.strategy;
  const { exchange, kind } = parseAccountKey(account);
  const isKilled = killed && status !== "stopped";
  return {
    ...{ id, dryRun: kind === "dry", strategy: config.definition, exchange, symbol, status, startedAt },
    stalled: stalledFor(view, deps.interval) > 0,
    notices: [
      ...state.notices,
      ...stalledNotices(view, deps.interval),
      ...(isKilled
        ? [{ code: "killed", message: "the kill switch is on: nothing is placed until it is off" }]
        : []),
    ].map((one) => ({ ...one })),
  };
};

const OPEN: readonly Order["state"][] = ["submitted", "open", "partially_filled"];

function statusOut(deps: Deps, view: DeclaredView, orders: readonly Order[], killed: boolean) {
  const { strategy, memory } = view;
  const { id, symbol, phase, wants, status, config, state, lastError } = strategy;
  const { stalled: _, ...listed } = listedDeclared(deps, view, killed);
  const mark = memory.marks[symbol]?.mid;
  const { realized, total, position, averageCost, filledOrders } = positionAccounts(strategy, mark);
  return {
    ...listed,
    ...runningOut(listed.exchange, symbol, config),
    phase: wants === "stop" && status !== "stopped" ? "stopping" : phase,
    orders: orders
      .filter((order) => order.strategy === id && OPEN.includes(order.state))
      .map((order) =>
        declaredOrderOut({ ...order, id: state.ids[order.slot] ?? "", amount: order.amount - order.filled }),
      ),
    filledOrders,
    profit: wire(realized),
    totalProfit: mark === undefined ? null : wire(total),
    position: text(position),
    averageCost: averageCost === null ? null : wire(averageCost),
    refused: state.refused.map(({ slot, ...refusal }) => ({ id: state.ids[slot] ?? "", ...refusal })),
    lastStepAt: view.steppedAt,
    lastError: lastError ?? view.accountError,
  };
}

const READS_STRATEGIES = {
  effect: "read",
  access: "token",
  failure: "Internal error",
  mcp: { isSelfContained: true },
} as const;

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
  input: () =>
    z.object({
      id: idField("Invalid request").optional().describe("Strategy id; default: all running ones"),
    }),
  output: DeclaredStatusesShape,
  async run(deps, { id }) {
    const views = id === undefined ? await running(deps) : [await declaredView(deps, id)];
    const account = id === undefined ? undefined : views[0]?.strategy.account;
    const orders = await deps.store.unsettledOrders(account);
    const killed = await deps.store.killed();
    return { strategies: views.map((view) => statusOut(deps, view, orders, killed)), count: views.length };
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
      const views = await running(deps);
      return {
        strategies: views.map((view) => listedDeclared(deps, view, killed)),
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
