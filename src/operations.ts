import { accountOperations } from "./account/operations/balances.ts";
import { auditOperations } from "./audit/operations/audit.ts";
import { backtestOperation } from "./backtest/operations/backtest.ts";
import { suggestOperation } from "./backtest/operations/past.ts";
import { compareOperations } from "./compare/operations/compare.ts";
import { keyOperations, tokenOperations } from "./controls/operations/access.ts";
import { limitsOperations } from "./controls/operations/limits.ts";
import { killOperations } from "./controls/operations/panic.ts";
import { dexOperations } from "./dex/operations/price.ts";
import { historyOperations } from "./history/operations/history.ts";
import { STRATEGY_KINDS, type StrategyKind } from "./kinds.ts";
import type { Lives } from "./lifecycle/life.ts";
import { changeOperations } from "./lifecycle/operations/changes.ts";
import { editOperations } from "./lifecycle/operations/edit.ts";
import { listDefinitions, listStrategies } from "./lifecycle/operations/list.ts";
import { startOperations } from "./lifecycle/operations/start.ts";
import { getStrategy } from "./lifecycle/operations/status.ts";
import { liquidityOperation } from "./liquidity/operations/agreement-report.ts";
import { agreementOperations } from "./liquidity/operations/agreements.ts";
import { watchedPairs } from "./liquidity/operations/report.ts";
import { marketOperations } from "./market/operations/public-data.ts";
import { channelOperations } from "./notify/operations/channels.ts";
import type { Operation } from "./operation.ts";
import { orderOperations } from "./orders/operations/orders.ts";
import { planOperations } from "./plans/operations/plans.ts";
import type { StrategyDefinitions } from "./ports/definition.ts";
import { qualityOperation } from "./quality/operations/quality.ts";
import { reportOperations } from "./report/operations/report.ts";

/**
 * Returns every use case, in the order of the specification. `ids` are the configured exchanges, `definitions` the
 * loaded strategies.
 */
export const createOperations = (
  ids: readonly string[],
  definitions: StrategyDefinitions = [],
  kinds: readonly StrategyKind[] = STRATEGY_KINDS,
): readonly Operation[] => [
  ...marketOperations(ids),
  ...accountOperations(ids),
  ...orderOperations(ids),
  ...kinds.flatMap((kind) => operationsOf(kind, ids, definitions)),
  listDefinitions(kinds, definitions),
  ...startOperations(ids, kinds, definitions),
  ...editOperations(kinds, definitions),
  listStrategies(kinds),
  ...changeOperations(livesOf(kinds)),
  getStrategy(kinds),
  ...historyOperations(kinds.map(({ name }) => name)),
  backtestOperation(ids, definitions),
  suggestOperation(ids),
  ...dexOperations(),
  ...compareOperations(ids),
  ...killOperations,
  ...limitsOperations,
  ...tokenOperations,
  ...keyOperations(ids),
  ...channelOperations,
  ...planOperations,
  ...reportOperations,
  qualityOperation,
  ...agreementOperations(ids),
  liquidityOperation(ids),
  watchedPairs,
  ...auditOperations,
];

const operationsOf = (
  kind: StrategyKind,
  ids: readonly string[],
  definitions: StrategyDefinitions,
): readonly Operation[] =>
  kind.operations(ids, definitions).map((operation) => (kind.tag ? withTag(operation, kind.tag) : operation));

const livesOf =
  (kinds: readonly StrategyKind[]): Lives =>
  (name) => {
    const kind = kinds.find((one) => one.name === name);
    if (!kind) throw new Error(`this version of edgemaker has no strategy kind ${name}`);
    return kind.life;
  };

/** Adds a tag, without creating the schemas. */
const withTag = (operation: Operation, tag: Operation["tag"]): Operation =>
  Object.defineProperties({ tag }, Object.getOwnPropertyDescriptors(operation)) as unknown as Operation;
