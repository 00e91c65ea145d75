import {
  type EndingEdits,
  editedEndings,
  endingChanges,
  splitEndings,
} from "../../engine/operations/ending-fields.ts";
import { readMarketFor } from "../../engine/operations/start.ts";
import { readForChange, venueForChange } from "../../engine/operations/start-reads.ts";
import { budgetLeft } from "../../engine/position/position.ts";
import { AppError } from "../../kernel/errors.ts";
import { readPositionExposure } from "../../limits/operations/exposed-reads.ts";
import { pendingEdit } from "../../model/strategy.ts";
import type { StrategyDefinitions } from "../../ports/definition.ts";
import type { StrategyDeps } from "../../ports/kind.ts";
import type { EditRequest, PlanReader, ReadyEdit } from "../../ports/plan.ts";
import { findDefinition, runnableOf } from "../pass/ask.ts";
import { approvedOwnEdit, optionChanges, planOwnEdit } from "../planned-edit.ts";
import { ownFacts, warningsOf } from "../planned-start.ts";
import { checkedOptions } from "../schema/shapes.ts";
import type { OwnStrategy, OwnStrategyConfig } from "../state.ts";
import { readOwnStrategyPlace } from "./readings.ts";

/** Checks a change by the rules of its definition; only its plan reads the market. */
export async function readOwnEdit(
  definitions: StrategyDefinitions | undefined,
  deps: StrategyDeps,
  { strategy, config: given }: EditRequest<OwnStrategy>,
  { actor }: PlanReader,
): Promise<ReadyEdit> {
  const before = pendingEdit(strategy) ?? strategy.config;
  const { definition, config } = await changedConfig(strategy, before, { given, definitions });
  return {
    changes: [...optionChanges(before.options, config.options), ...endingChanges(before, config)],
    warnings: [],
    shown: approvedOwnEdit(strategy, config),
    exposure: () => readPositionExposure(deps, { ...strategy, config }),
    config: async () => config,
    async plan() {
      const { account, symbol, id } = strategy;
      const venue = venueForChange(deps, account);
      const reads = await readForChange(venue, async () => {
        const place = { venue, symbol, balances: await venue.balances(), beside: id };
        return readOwnStrategyPlace(deps, definition, await readMarketFor(deps, place), actor);
      });
      const orders = await deps.store.unsettledOrders(account);
      const planned = await planOwnEdit(definition, strategy, config, { ...reads, orders });
      const uses = budgetLeft(strategy);
      const shown = { ...planned, config: { ...config, budget: uses }, unlimited: [] };
      return {
        market: reads.market,
        killed: reads.killed,
        uses,
        warnings: warningsOf({ ...shown, highest: strategy.state.highest }, reads),
        kept: planned.kept,
        cancelled: planned.cancelled,
        facts: () => ownFacts(shown, reads),
      };
    },
  };
}

interface ChangedOptions {
  readonly given: EditRequest["config"];
  readonly definitions: StrategyDefinitions | undefined;
}

/** Returns the config after a change. Throws AppError if the definition is missing or refuses it. */
async function changedConfig(
  strategy: OwnStrategy,
  before: OwnStrategyConfig,
  { given, definitions }: ChangedOptions,
) {
  const definition = findDefinition(definitions, before.definition);
  if (!definition) throw new AppError("Not found", `there is no strategy ${before.definition}`);
  const { endings, own } = splitEndings(given);
  const options = await checkedOptions(definition, { ...before.options, ...own });
  const config = { ...editedEndings(before, endings as EndingEdits), options };
  const runnable = runnableOf({ ...strategy, config }, definitions);
  if (typeof runnable === "string") throw new AppError("Conflict", `nothing is changed: ${runnable}`);
  return { definition, config };
}
