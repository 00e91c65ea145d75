import { endingConfig, splitEndings } from "../../engine/operations/ending-fields.ts";
import { budgetFor, readStart, readyPosition } from "../../engine/operations/start.ts";
import { ZERO } from "../../kernel/decimal.ts";
import { AppError } from "../../kernel/errors.ts";
import type { ConfigForm } from "../../ports/config-form.ts";
import type { AnyStrategyDefinition, StrategyDefinitions } from "../../ports/definition.ts";
import type { StrategyDeps } from "../../ports/kind.ts";
import type { PlanReader, ReadyStart, StartRequest } from "../../ports/plan.ts";
import { findDefinition } from "../pass/ask.ts";
import {
  ONE_SIDED,
  ownFacts,
  type PlannedOwnStrategy,
  planOwnStrategy,
  warningsOf,
} from "../planned-start.ts";
import { checkedOptions, ownConfig, ownEditConfig } from "../schema/shapes.ts";
import { newOwnStrategyState, type OwnStrategy, STORED_OWN } from "../state.ts";
import { readOwnStrategyPlace } from "./readings.ts";

/** Reads what a definition needs, and plans it. Throws AppError if the config's rules fail. */
export async function readOwnStart(
  definitions: StrategyDefinitions | undefined,
  deps: StrategyDeps,
  request: StartRequest,
  { actor, isShown }: PlanReader,
): Promise<ReadyStart> {
  const definition = findDefinition(definitions, request.definition);
  if (!definition) throw new AppError("Not found", `there is no strategy ${request.definition}`);
  const { endings, own } = splitEndings(request.config);
  const options = await checkedOptions(definition, own);
  const reads = await readOwnStrategyPlace(deps, definition, await readStart(deps, request), actor);
  const plan = await planOwnStrategy(
    definition,
    { ...request, options, endings: endingConfig(endings) },
    budgetFor(request, reads),
    reads,
  );
  return readyPosition<OwnStrategy>(deps, {
    reads,
    version: STORED_OWN.version,
    prefix: plan.config.definition,
    config: plan.config,
    stateAt: (price) => ({ ...newOwnStrategyState(price), unsold: ZERO }),
    mid: plan.mid ?? undefined,
    startPrice: () => startPriceOf(plan),
    shown: plan.shown,
    facts: () => ownFacts(plan, reads),
    warnings: warningsOf(plan, reads),
    isShown,
  });
}

/** Returns the price at which its base is booked. Throws if its function fails, or without a price. */
function startPriceOf({ mid, fault }: PlannedOwnStrategy) {
  if (mid === null) throw new AppError("Start failed", ONE_SIDED);
  if (fault !== null)
    throw new AppError("Start failed", `the strategy fails: ${fault}`, { code: "strategy_failed" });
  return mid;
}

/** What can be started of a user's definition. */
export const ownForm = (definition: AnyStrategyDefinition): ConfigForm => ({
  definition: definition.name,
  word: definition.name,
  what: `the strategy ${definition.name}`,
  synonym: (verb) => `strategy ${verb} ${definition.name}`,
  config: () => ownConfig(definition),
  takesBudget: true,
  example: "--exchange kraken --symbol BTC/USDT",
});

/** What can change in a running strategy of a user's definition. */
export const ownEditForm = (definition: AnyStrategyDefinition): ConfigForm => ({
  ...ownForm(definition),
  config: () => ownEditConfig(definition),
  example: `${definition.name}-kraken-BTC-USDT-1767225600000`,
});
