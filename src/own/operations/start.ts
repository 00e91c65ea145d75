import type { PositionKind } from "../../engine/operations/reads.ts";
import {
  budgetFor,
  prepareStrategyStart,
  type ReadyStart,
  readPricesElsewhere,
  readStart,
  type StartReads,
} from "../../engine/operations/start.ts";
import { completedSeries } from "../../engine/pass/observe-markets.ts";
import { describePositionUse } from "../../engine/position/position.ts";
import { type Decimal, ZERO } from "../../kernel/decimal.ts";
import { AppError } from "../../kernel/errors.ts";
import { pluralize } from "../../kernel/plain-text.ts";
import { readPositionExposure, readStandings } from "../../limits/operations/exposed-reads.ts";
import { accountKey } from "../../model/account.ts";
import type { Preview } from "../../model/proposal.ts";
import { checkHolds } from "../../model/shown-plan.ts";
import { type Operation, operation } from "../../operation.ts";
import type { AnyStrategyDefinition, StrategyDefinitions } from "../../ports/definition.ts";
import type { Deps } from "../../ports/deps.ts";
import type { StrategyLife } from "../../ports/life.ts";
import { asOwnStrategy, ownStrategyKind } from "../kind.ts";
import { candleNeeds, requirementOf } from "../pass/ask.ts";
import {
  ONE_SIDED,
  type PlanInputs,
  type PlannedOwnStrategy,
  plannedOwnStrategyOut,
  planOwnStrategy,
  runningOut,
  warningsOf,
} from "../planned-start.ts";
import {
  type OwnStrategyRequest,
  ownStrategyInput,
  ownStrategyPreviewInput,
  ownStrategyRequest,
  PlannedOwnStrategyShape,
  StartedOwnStrategyShape,
} from "../schema/shapes.ts";
import { plannedOwnStrategyView } from "../schema/view.ts";
import { newOwnStrategyState, type OwnStrategy } from "../state.ts";

interface ReadyOwnStrategy {
  readonly request: OwnStrategyRequest;
  readonly place: OwnStrategyPlace;
  readonly plan: PlannedOwnStrategy;
}

async function readyStart(
  deps: Deps,
  definition: AnyStrategyDefinition,
  given: Readonly<Record<string, unknown>>,
  actor: string,
): Promise<ReadyOwnStrategy> {
  const request = await ownStrategyRequest(definition, given);
  const ownStrategyPlace = await readOwnStrategyPlace(deps, definition, request, actor);
  return {
    request,
    place: ownStrategyPlace,
    plan: await planOwnStrategy(definition, request, budgetFor(request, ownStrategyPlace), ownStrategyPlace),
  };
}

/** Returns the price at which its base is booked. Throws if the plan is outdated or its function fails. */
function startPriceOf({ plan }: ReadyOwnStrategy, shown: string | undefined): Decimal {
  checkHolds(plan.shown, shown);
  if (plan.mid === null) throw new AppError("Start failed", ONE_SIDED);
  if (plan.fault !== null)
    throw new AppError("Start failed", `the strategy fails: ${plan.fault}`, { code: "strategy_failed" });
  return plan.mid;
}

async function preparedStart(
  deps: Deps,
  definition: AnyStrategyDefinition,
  { planHash, ...given }: Readonly<Record<string, unknown>>,
  actor: string,
): Promise<ReadyStart<OwnStrategy>> {
  const ready = await readyStart(deps, definition, given, actor);
  const { request, place: reads, plan } = ready;
  return {
    place: request,
    reads,
    version: ownStrategyKind([]).version,
    prefix: plan.config.definition,
    config: plan.config,
    stateAt: (price) => ({ ...newOwnStrategyState(price), unsold: ZERO }),
    mid: plan.mid ?? undefined,
    startPrice: () => startPriceOf(ready, planHash as string | undefined),
    preview: () => previewOfPlan(ready),
    warnings: warningsOf(plan, reads),
  };
}

function previewOfPlan({ plan, request, place: declaredPlace }: ReadyOwnStrategy): Preview {
  const out = plannedOwnStrategyOut(plan, request, declaredPlace);
  const { base, quote } = declaredPlace.market;
  const onPaper = request.dryRun ? " (paper trading)" : "";
  return {
    what: `start ${out.strategy} on ${out.symbol} at ${out.exchange}${onPaper}: ${pluralize(out.orders.length, "order")} now`,
    cost: `up to ${out.budget.quote} ${quote} and ${out.budget.base} ${base} of the account's own are used`,
    worstCase: out.worstCase,
    limits: [
      ...out.refused.map(({ id, reason, detail }) => `${id} would not be placed now: ${detail ?? reason}`),
      ...out.warnings.map(({ message }) => message),
    ],
    holds: { planHash: out.planHash },
  };
}

/** Returns the operation name of a definition for agents, documents and commands. */
const operationName = (verb: string, { name }: AnyStrategyDefinition) =>
  `${verb}_strategy_${name.replaceAll("-", "_")}`;

const EXAMPLE_PLACE = "--exchange kraken --symbol BTC/USDT";
const STARTS_STRATEGY = { access: "token", failure: "Start failed" } as const;

const previewOperation = (definition: AnyStrategyDefinition, ids: readonly string[]) =>
  operation({
    name: operationName("preview", definition),
    summary: `Show the orders and worst case of the strategy ${definition.name}`,
    effect: "read",
    ...STARTS_STRATEGY,
    http: { route: `POST /strategy/declared/${definition.name}/preview`, from: "body" },
    cli: {
      path: `strategy preview ${definition.name}`,
      view: plannedOwnStrategyView,
      examples: [`edgemaker strategy preview ${definition.name} ${EXAMPLE_PLACE}`],
    },
    input: () => ownStrategyPreviewInput(definition, ids),
    output: PlannedOwnStrategyShape,
    async run(deps, given, { actor }) {
      const { plan, request, place: declaredPlace } = await readyStart(deps, definition, given, actor);
      return plannedOwnStrategyOut(plan, request, declaredPlace);
    },
  });

/** Users' own strategies, as the operations of all kinds with one position name them. */
const OWN_STRATEGIES: PositionKind<OwnStrategy, ReturnType<typeof runningOut>> = {
  name: ownStrategyKind([]).name,
  as: asOwnStrategy,
  missing: (id) => `there is no strategy ${id}`,
  idle: "nothing is started",
  requested: runningOut,
};

const startOperation = (definition: AnyStrategyDefinition, ids: readonly string[]) =>
  operation({
    name: operationName("start", definition),
    summary: definition.summary ?? `Start the strategy ${definition.name}`,
    effect: "trade",
    ...STARTS_STRATEGY,
    refusal: "strategy_failed",
    http: { route: `POST /strategy/declared/${definition.name}`, from: "body", idempotent: true },
    cli: {
      path: `strategy start ${definition.name}`,
      steps: true,
      examples: [`edgemaker strategy start ${definition.name} ${EXAMPLE_PLACE}`],
    },
    input: () => ownStrategyInput(definition, ids),
    output: StartedOwnStrategyShape,
    prepare: (deps, given, call) =>
      prepareStrategyStart(deps, OWN_STRATEGIES, call, () =>
        preparedStart(deps, definition, given, call.actor),
      ),
  });

/** Returns the preview and start operations of each definition. */
export const ownStrategyStarts = (
  ids: readonly string[],
  definitions: readonly AnyStrategyDefinition[],
): Operation[] =>
  definitions.flatMap((definition) => [previewOperation(definition, ids), startOperation(definition, ids)]);

type OwnStrategyPlace = PlanInputs & StartReads;

async function readOwnStrategyPlace(
  deps: Deps,
  definition: AnyStrategyDefinition,
  request: OwnStrategyRequest,
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

/** Operations of users' own strategies: those of each loaded definition, and those for all running ones. */
export const ownStrategyOperations = (
  ids: readonly string[],
  definitions: StrategyDefinitions,
): readonly Operation[] => ownStrategyStarts(ids, definitions);

/** The life of a strategy that a user wrote. */
export const ownStrategyLife: StrategyLife = {
  onPause: "cancel",
  readExposure: (deps, strategy) => readPositionExposure(deps, asOwnStrategy(strategy)),
  describeUse: (strategy) => describePositionUse(asOwnStrategy(strategy)),
};
