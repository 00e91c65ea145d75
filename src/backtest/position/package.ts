/** The module that tests of users' own strategies import as `edgemaker/testing`. */
export {
  type BacktestOutcome,
  backtestStrategy as backtest,
  type StrategyPast,
  type TestedFill,
  type TestMarketRules,
} from "./testing.ts";
