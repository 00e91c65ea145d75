import {
  budgetFor,
  readPricesElsewhere,
  readStart,
  readyPosition,
  type StartReads,
} from "../../engine/operations/start.ts";
import { completedSeries } from "../../engine/pass/observe-markets.ts";
import { describePositionUse } from "../../engine/position/position.ts";
import { ZERO } from "../../kernel/decimal.ts";
import { AppError } from "../../kernel/errors.ts";
import { readPositionExposure, readStandings } from "../../limits/operations/exposed-reads.ts";
import { accountKey } from "../../model/account.ts";
import type { ConfigForm } from "../../ports/config-form.ts";
import type { AnyStrategyDefinition } from "../../ports/definition.ts";
import type { Deps } from "../../ports/deps.ts";
import type { PlanReader, ReadyStart, StartRequest, StrategyLife } from "../../ports/life.ts";
import { asOwnStrategy, ownStrategyKind } from "../kind.ts";
import { candleNeeds, findDefinition, requirementOf } from "../pass/ask.ts";
import {
  ONE_SIDED,
  ownFacts,
  type PlanInputs,
  type PlannedOwnStrategy,
  planOwnStrategy,
  warningsOf,
} from "../planned-start.ts";
import { checkedOptions, OwnPlanShape, ownConfig } from "../schema/shapes.ts";
import { ownPlanLines } from "../schema/view.ts";
import { newOwnStrategyState, type OwnStrategy } from "../state.ts";

/** Reads what a definition needs, and plans it. Throws AppError if the config's rules fail. */
async function readOwnStart(
  deps: Deps,
  request: StartRequest,
  { actor, isShown, definitions }: PlanReader,
): Promise<ReadyStart> {
  const definition = findDefinition(definitions, request.definition);
  if (!definition) throw new AppError("Not found", `there is no strategy ${request.definition}`);
  const options = await checkedOptions(definition, request.config);
  const reads = await readOwnStrategyPlace(deps, definition, request, actor);
  const plan = await planOwnStrategy(definition, { ...request, options }, budgetFor(request, reads), reads);
  return readyPosition<OwnStrategy>(deps, {
    reads,
    version: ownStrategyKind([]).version,
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

type OwnStrategyPlace = PlanInputs & StartReads;

async function readOwnStrategyPlace(
  deps: Deps,
  definition: AnyStrategyDefinition,
  request: StartRequest,
  actor: string,
): Promise<OwnStrategyPlace> {
  const { symbol } = request;
  const reads = await readStart(deps, request);
  const { venue, book } = reads;
  const candles = candleNeeds(definition).map(async (need) => {
    const other = need.exchange === undefined ? venue : deps.venue(need.exchange);
    const range = { span: need.span, limit: need.count + 2 };
    return completedSeries(await other.candles(need.symbol ?? symbol, range), requirementOf(need), book.at);
  });
  const reference = definition.reference ? deps.reference : undefined;
  return {
    ...reads,
    account: accountKey(venue.account),
    timing: venue.timing,
    standings: await readStandings(deps, venue.account, actor),
    requested: {
      candles: await Promise.all(candles),
      elsewhere: await readPricesElsewhere(reference, reads, symbol),
    },
  };
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

/** The life of a strategy that a user wrote. */
export const ownStrategyLife: StrategyLife = {
  onPause: "cancel",
  forms: (definitions) => definitions.map(ownForm),
  readStart: readOwnStart,
  readUse: async (_deps, strategy) => asOwnStrategy(strategy).config.budget,
  readExposure: (deps, strategy) => readPositionExposure(deps, asOwnStrategy(strategy)),
  describeUse: (strategy) => describePositionUse(asOwnStrategy(strategy)),
  planDetails: OwnPlanShape,
  planLines: ownPlanLines,
};
