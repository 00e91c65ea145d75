/** The module that tests of users' own strategies import as `edgemaker/testing`. */

export {
  type BacktestOutcome,
  backtestStrategy as backtest,
  type StrategyPast,
  type TestedFill,
  type TestMarketRules,
} from "../../src/backtest/position/testing.ts";
export {
  type SimulationInput,
  type SimulationResult,
  simulateStrategy as simulate,
} from "../host/simulation.ts";
