import { fundPaper } from "../../engine/pass/paper-start.ts";
import { describeStart } from "../../engine/pass/start-message.ts";
import { stepNow } from "../../engine/pass/tick.ts";
import type { Decimal } from "../../kernel/decimal.ts";
import { AppError, noLongerHolds } from "../../kernel/errors.ts";
import { splitPair } from "../../kernel/pair.ts";
import { NO_STOP } from "../../kernel/stop-flags.ts";
import { exitsOnLoss } from "../../limits/exposure.ts";
import { positionExposure } from "../../limits/position.ts";
import { parseAccountKey } from "../../model/account.ts";
import { type Exposure, type Preview, TRADES_NOTHING } from "../../model/proposal.ts";
import type { Strategy } from "../../model/strategy.ts";
import { byOf, type Call, type Operation, operation } from "../../operation.ts";
import type { AnyStrategyDefinition } from "../../ports/definition.ts";
import type { Deps } from "../../ports/deps.ts";
import { killRefusal } from "../../ports/kill-here.ts";
import { asDeclared, declaredKind } from "../kind.ts";
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
  runningOut,
  warningsOf,
} from "../start/planned.ts";
import { newDeclaredState } from "../state.ts";
import { type DeclaredPlace, declaredBudget, readDeclaredPlace } from "./plan-reads.ts";

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
    plan: planDeclared(definition, request, declaredBudget(request, declaredPlace), declaredPlace),
  };
}

/** Returns the price at which its base is booked. Throws if the plan is outdated or its function fails. */
function startPriceOf({ plan }: ReadyDeclared, shown: string | undefined): Decimal {
  if (shown !== undefined && !isShownPlan(plan, shown)) throw noLongerHolds();
  if (plan.mid === null) throw new AppError("Start failed", ONE_SIDED);
  if (plan.fault !== null) throw new AppError("Start failed", `the strategy fails: ${plan.fault}`);
  return plan.mid;
}

async function createDeclared(
  deps: Deps,
  ready: ReadyDeclared,
  startPrice: Decimal,
  call: Call,
): Promise<Strategy> {
  const { request, place: declaredPlace, plan } = ready;
  await fundPaper(deps, request, declaredPlace.venue);
  const { base, quote } = splitPair(request.symbol);
  const { name, version } = declaredKind([]);
  const strategy = await deps.store.createStrategy(
    {
      ...{ kind: name, version, config: plan.config, state: newDeclaredState(startPrice) },
      ...{ wants: "run", ...NO_STOP, status: "running", phase: "starting", lastError: null, stoppedAt: null },
      prefix: `${plan.config.definition}-${request.exchange}-${base}-${quote}`,
      ...{ account: declaredPlace.account, symbol: request.symbol },
      startedAt: deps.marketTime(declaredPlace.venue.account, declaredPlace.now),
      request: call.requestKey ?? null,
    },
    byOf(call),
  );
  if (!strategy) throw killRefusal(deps.killHere, "nothing is started");
  return strategy;
}

/** Returns the strategy that an earlier attempt of the same request started. */
async function startedEarlier({ store }: Deps, { requestKey }: Call): Promise<Strategy | undefined> {
  if (requestKey === undefined) return undefined;
  const [view] = await store.strategies({ request: requestKey });
  return view?.strategy;
}

/** Reads and checks a start. A repeated request returns the strategy of the first one. */
async function prepareDeclared(
  deps: Deps,
  definition: AnyStrategyDefinition,
  { planHash, ...given }: Readonly<Record<string, unknown>>,
  call: Call,
) {
  const earlier = await startedEarlier(deps, call);
  if (earlier)
    return {
      preview: async () => earlierPreview(earlier),
      exposure: TRADES_NOTHING,
      strategies: [],
      act: () => startedOut(deps, earlier, []),
    };
  const ready = await readyStart(deps, definition, given, call.actor);
  const shown = planHash as string | undefined;
  return {
    async preview() {
      startPriceOf(ready, shown);
      return previewOfPlan(ready);
    },
    exposure: ready.request.dryRun ? TRADES_NOTHING : declaredExposure(ready),
    strategies: [],
    check() {
      if (ready.place.killed) throw killRefusal(deps.killHere, "nothing is started");
      startPriceOf(ready, shown);
    },
    async act() {
      const strategy = await createDeclared(deps, ready, startPriceOf(ready, shown), call);
      return startedOut(deps, strategy, warningsOf(ready.plan, ready.place));
    },
  };
}

function declaredExposure({ plan, place: declaredPlace }: ReadyDeclared): Exposure {
  const { market, standings } = declaredPlace;
  const limits = standings.all[0]?.limits ?? {};
  const state = newDeclaredState(plan.mid ?? 0n);
  return positionExposure(
    { symbol: market.symbol, config: plan.config, state, phase: "starting" },
    { mid: plan.mid ?? undefined, buys: [], exitsOnLoss: exitsOnLoss(limits, market.quote) },
  );
}

const earlierPreview = ({ id }: Strategy): Preview => ({
  what: `${id} was started by an earlier attempt of this request`,
  cost: "nothing more",
  worstCase: "nothing more is started",
  limits: [],
});

function previewOfPlan({ plan, request, place: declaredPlace }: ReadyDeclared): Preview {
  const out = plannedDeclaredOut(plan, request, declaredPlace);
  const { base, quote } = declaredPlace.market;
  const onPaper = request.dryRun ? " (paper trading)" : "";
  return {
    what: `start ${out.strategy} on ${out.symbol} at ${out.exchange}${onPaper}: ${out.orders.length} orders now`,
    cost: `up to ${out.budget.quote} ${quote} and ${out.budget.base} ${base} of the account's own are used`,
    worstCase: out.worstCase,
    limits: out.warnings.map(({ message }) => message),
    holds: { planHash: plan.hash },
  };
}

async function startedOut(deps: Deps, { id, account }: Strategy, warnings: ReturnType<typeof warningsOf>) {
  const ref = parseAccountKey(account);
  const venue = deps.venueOf(ref);
  const pass = venue && (await stepNow(deps, venue));
  const [view] = await deps.store.strategies({ id });
  if (!view) throw new AppError("Not found", `there is no strategy ${id}`);
  const strategy = asDeclared(view.strategy);
  const { status, phase, config, symbol } = strategy;
  return {
    ...{ id, status, phase, message: describeStart(strategy, pass) },
    ...runningOut(ref.exchange, symbol, config),
    warnings,
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
    prepare: (deps, given, call) => prepareDeclared(deps, definition, given, call),
  });

/** Returns the preview and start operations of each definition. */
export const declaredStarts = (
  ids: readonly string[],
  definitions: readonly AnyStrategyDefinition[],
): Operation[] =>
  definitions.flatMap((definition) => [previewOperation(definition, ids), startOperation(definition, ids)]);
