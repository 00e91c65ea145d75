/** The module that tests of users' own strategies import as `edgemaker/testing`. */
import {
  type BacktestOutcome,
  backtestStrategy,
  type StrategyPast,
} from "../../src/backtest/position/testing.ts";
import type { AnyStrategyDefinition } from "../../src/ports/definition.ts";
import { type SimulationInput, type SimulationResult, simulateStrategy } from "../host/simulation.ts";
import { asOnServer, forbid } from "./as-on-server.ts";

export type { TestedFill, TestMarketRules } from "../../src/backtest/position/testing.ts";
export type { BacktestOutcome, SimulationInput, SimulationResult, StrategyPast };
export { backtestAsOnServer as backtest };

/** Runs a strategy over past prices, each call twice, with the code that trades. Throws for a config or prices that are not valid. */
function backtestAsOnServer(definition: AnyStrategyDefinition, past: StrategyPast): BacktestOutcome {
  const allow = forbid();
  try {
    return backtestStrategy(asOnServer(definition), past);
  } finally {
    allow();
  }
}

/** Runs a strategy in the sandbox with crashes, lost responses and failed reads. Throws for a config that is not valid. */
export async function simulate(
  definition: AnyStrategyDefinition,
  input: SimulationInput,
): Promise<SimulationResult> {
  const allow = forbid();
  try {
    return await simulateStrategy(asOnServer(definition), input);
  } finally {
    allow();
  }
}
