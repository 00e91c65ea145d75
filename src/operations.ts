import { accountOperations } from "./account/operations/balances.ts";
import { auditOperations } from "./audit/operations/events.ts";
import { backtestOperations } from "./backtest/operations/backtest.ts";
import { declaredBacktests } from "./backtest/operations/backtest-declared.ts";
import { quoteBacktestOperation } from "./backtest/operations/backtest-quote.ts";
import { replayOperation } from "./backtest/operations/replay.ts";
import { suggestOperation } from "./backtest/operations/suggest.ts";
import { compareOperations } from "./compare/operations/compare.ts";
import { keyOperations } from "./controls/operations/keys.ts";
import { killOperations } from "./controls/operations/kill.ts";
import { limitsOperations } from "./controls/operations/limits.ts";
import { renameStrategy } from "./controls/operations/names.ts";
import { tokenOperations } from "./controls/operations/tokens.ts";
import { declaredOperations } from "./declared/operations/declared.ts";
import { dexOperations } from "./dex/operations/price.ts";
import { gridOperations } from "./grid/operations/grids.ts";
import { declaredHistory, gridHistory, quoteHistory } from "./history/operations/history.ts";
import { agreementOperations } from "./liquidity/operations/agreements.ts";
import { watchedPairs } from "./liquidity/operations/pairs.ts";
import { liquidityOperation } from "./liquidity/operations/report.ts";
import { marketOperations } from "./market/operations/public-data.ts";
import { channelOperations } from "./notify/operations/channels.ts";
import type { Operation } from "./operation.ts";
import { orderOperations } from "./orders/operations/orders.ts";
import { planOperations } from "./plans/operations/plans.ts";
import type { StrategyDefinitions } from "./ports/definition.ts";
import { qualityOperation } from "./quality/operations/quality.ts";
import { quoteOperations } from "./quote/operations/quotes.ts";
import { reportOperations } from "./report/operations/report.ts";

/**
 * Returns every use case, in the order of the specification. `ids` are the configured exchanges, `definitions` the
 * loaded strategies.
 */
export const createOperations = (
  ids: readonly string[],
  definitions: StrategyDefinitions = [],
): readonly Operation[] => [
  ...marketOperations(ids),
  ...accountOperations(ids),
  ...orderOperations(ids),
  ...gridOperations(ids),
  ...gridHistory,
  ...quoteOperations(ids),
  ...quoteHistory,
  ...declaredOperations(ids, definitions),
  ...declaredHistory,
  renameStrategy,
  ...backtestOperations(ids),
  quoteBacktestOperation(ids),
  ...declaredBacktests(ids, definitions),
  replayOperation,
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
