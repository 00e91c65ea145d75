import { prepareStrategyStart, type ReadyStart } from "../../engine/operations/start.ts";
import { budgetFor } from "../../engine/operations/start-reads.ts";
import type { Decimal } from "../../kernel/decimal.ts";
import { AppError, noLongerHolds } from "../../kernel/errors.ts";
import { pluralize } from "../../kernel/pluralize.ts";
import type { Preview } from "../../model/proposal.ts";
import { type Operation, operation } from "../../operation.ts";
import type { AnyStrategyDefinition } from "../../ports/definition.ts";
import type { Deps } from "../../ports/deps.ts";
import { declaredKind } from "../kind.ts";
import {
  type DeclaredRequest,
  declaredInput,
  declaredPreviewInput,
  declaredRequest,
} from "../schema/input.ts";
import { PlannedDeclaredShape, StartedDeclaredShape } from "../schema/shapes.ts";
import { plannedDeclaredView } from "../schema/view.ts";
import {
  isShownPlan,
  ONE_SIDED,
  type PlannedDeclared,
  planDeclared,
  plannedDeclaredOut,
  warningsOf,
} from "../start/planned.ts";
import { type DeclaredStrategy, newDeclaredState } from "../state.ts";
import { OWN_STRATEGIES } from "./own-strategies.ts";
import { type DeclaredPlace, readDeclaredPlace } from "./plan-reads.ts";

interface ReadyDeclared {
  readonly request: DeclaredRequest;
  readonly place: DeclaredPlace;
  readonly plan: PlannedDeclared;
}

async function readyStart(
  deps: Deps,
  definition: AnyStrategyDefinition,
  given: Readonly<Record<string, unknown>>,
  actor: string,
): Promise<ReadyDeclared> {
  const request = declaredRequest(definition, given);
  const declaredPlace = await readDeclaredPlace(deps, definition, request, actor);
  return {
    request,
    place: declaredPlace,
    plan: planDeclared(definition, request, budgetFor(request, declaredPlace), declaredPlace),
  };
}

/** Returns the price at which its base is booked. Throws if the plan is outdated or its function fails. */
function startPriceOf({ plan }: ReadyDeclared, shown: string | undefined): Decimal {
  if (shown !== undefined && !isShownPlan(plan, shown)) throw noLongerHolds();
  if (plan.mid === null) throw new AppError("Start failed", ONE_SIDED);
  if (plan.fault !== null) throw new AppError("Start failed", `the strategy fails: ${plan.fault}`);
  return plan.mid;
}

async function preparedStart(
  deps: Deps,
  definition: AnyStrategyDefinition,
  { planHash, ...given }: Readonly<Record<string, unknown>>,
  actor: string,
): Promise<ReadyStart<DeclaredStrategy>> {
  const ready = await readyStart(deps, definition, given, actor);
  const { request, place: reads, plan } = ready;
  return {
    place: request,
    reads,
    version: declaredKind([]).version,
    prefix: plan.config.definition,
    config: plan.config,
    stateAt: newDeclaredState,
    mid: plan.mid ?? undefined,
    startPrice: () => startPriceOf(ready, planHash as string | undefined),
    preview: () => previewOfPlan(ready),
    warnings: warningsOf(plan, reads),
  };
}

function previewOfPlan({ plan, request, place: declaredPlace }: ReadyDeclared): Preview {
  const out = plannedDeclaredOut(plan, request, declaredPlace);
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
    holds: { planHash: plan.hash },
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
      view: plannedDeclaredView,
      examples: [`edgemaker strategy preview ${definition.name} ${EXAMPLE_PLACE}`],
    },
    input: () => declaredPreviewInput(definition, ids),
    output: PlannedDeclaredShape,
    async run(deps, given, { actor }) {
      const { plan, request, place: declaredPlace } = await readyStart(deps, definition, given, actor);
      return plannedDeclaredOut(plan, request, declaredPlace);
    },
  });

const startOperation = (definition: AnyStrategyDefinition, ids: readonly string[]) =>
  operation({
    name: operationName("start", definition),
    summary: definition.summary ?? `Start the strategy ${definition.name}`,
    effect: "trade",
    ...STARTS_STRATEGY,
    http: { route: `POST /strategy/declared/${definition.name}`, from: "body", idempotent: true },
    cli: {
      path: `strategy start ${definition.name}`,
      steps: true,
      examples: [`edgemaker strategy start ${definition.name} ${EXAMPLE_PLACE}`],
    },
    input: () => declaredInput(definition, ids),
    output: StartedDeclaredShape,
    prepare: (deps, given, call) =>
      prepareStrategyStart(deps, OWN_STRATEGIES, call, () =>
        preparedStart(deps, definition, given, call.actor),
      ),
  });

/** Returns the preview and start operations of each definition. */
export const declaredStarts = (
  ids: readonly string[],
  definitions: readonly AnyStrategyDefinition[],
): Operation[] =>
  definitions.flatMap((definition) => [previewOperation(definition, ids), startOperation(definition, ids)]);
