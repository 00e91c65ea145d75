import { accountOperations } from "./account/operations/balances.ts";
import { auditOperations } from "./audit/operations/audit.ts";
import { backtestOperation } from "./backtest/operations/backtest.ts";
import { suggestOperation } from "./backtest/operations/past.ts";
import { compareOperations } from "./compare/operations/compare.ts";
import { keyOperations, tokenOperations } from "./controls/operations/access.ts";
import { limitsOperations } from "./controls/operations/limits.ts";
import { killOperations } from "./controls/operations/panic.ts";
import { dexOperations } from "./dex/operations/price.ts";
import { gridOperations } from "./grid/operations/grids.ts";
import { historyOperations } from "./history/operations/history.ts";
import { kindsWith } from "./kinds.ts";
import { changeOperations } from "./lifecycle/operations/changes.ts";
import { editOperations } from "./lifecycle/operations/edit.ts";
import { listDefinitions, listStrategies } from "./lifecycle/operations/list.ts";
import { prepareStart, startOperations } from "./lifecycle/operations/start.ts";
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
import type { Kind } from "./ports/kind.ts";
import { qualityOperation } from "./quality/operations/quality.ts";
import { reportOperations } from "./report/operations/report.ts";

/**
 * Returns every use case, in the order of the specification. `ids` are the configured exchanges, `definitions` the
 * loaded strategies.
 */
export const createOperations = (
  ids: readonly string[],
  definitions: StrategyDefinitions = [],
  kinds: readonly Kind[] = kindsWith(definitions),
): readonly Operation[] => [
  ...marketOperations(ids),
  ...accountOperations(ids),
  ...orderOperations(ids),
  ...gridOperations(ids, prepareStart),
  listDefinitions(kinds),
  ...startOperations(ids, kinds),
  ...editOperations(kinds),
  listStrategies,
  ...changeOperations,
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
