/** What the tests of a user's own strategies import as `edgemaker/testing`. */
export {
  type BacktestOutcome,
  backtestStrategy as backtest,
  type StrategyPast,
  type TestedFill,
  type TestMarketRules,
} from "./testing.ts";
