import { digest } from "../../kernel/digest.ts";
import { AppError } from "../../kernel/errors.ts";
import { type Millis, SECOND } from "../../kernel/time.ts";
import { holdToToken, readExposure } from "../../limits/operations/exposures.ts";
import { PLAN_LIFE, type Preview } from "../../model/proposal.ts";
import { actWithin, type Call, type TradeOperation } from "../../operation.ts";
import type { PlanKey, PlanState } from "../../ports/stores/plan-store.ts";
import { type Answer, attempt, refusal } from "../run.ts";
import { agentLimitTexts, countPlan, isLimited, outgrown } from "./limit.ts";
import { type McpOptions, needsApproval } from "./options.ts";
import { ownerTexts } from "./owners.ts";

/** Maximum wait; clients cancel a request after a minute. */
const LONGEST_WAIT_FOR_APPROVAL: Millis = 45 * SECOND;
const BETWEEN_QUESTIONS: Millis = SECOND;

export interface CallRequest {
  readonly operation: TradeOperation;
  /** The parameters as given, and as parsed. */
  readonly given: Readonly<Record<string, unknown>>;
  readonly input: Readonly<Record<string, unknown>>;
  readonly call: Call & { readonly requestId: string };
}

/** Previews a call and stores the plan for a commit; nothing is executed. */
export const propose = (request: CallRequest, options: McpOptions): Promise<Answer> => {
  const { deps, caller } = options;
  return attempt(request.operation, deps, request.call.requestId, async () => {
    const { operation, given, input, call } = request;
    const prepared = await operation.prepare(deps, input, call);
    const owners = await ownerTexts(prepared, call, options);
    const { limits, ...shown } = await prepared.preview();
    const exposure = await readExposure(prepared.exposure);
    await holdToToken(deps, { actor: call.actor, counts: false }, { ...prepared, exposure });
    const preview = {
      ...shown,
      limits: [...owners, ...limits, ...(await agentLimitTexts(exposure, options))],
      exposure,
    };
    const id = `plan_${deps.local.randomText(20)}`;
    const { binding } = await planKeyOf(id, request, caller.key);
    const plan = { id, binding, actor: call.actor, tool: operation.name, input: given, preview };
    const expiresAt = await deps.store.addPlan({ ...plan, life: PLAN_LIFE });
    return {
      planId: id,
      expiresAt,
      preview: shownPlan(preview),
      next: nextStepOf(id, options),
    };
  });
};

const shownPlan = ({ what, cost, worstCase, limits }: Preview) => ({
  what,
  cost,
  worstCase,
  limits: [...limits],
});

const nextStepOf = (id: string, options: McpOptions): string =>
  needsApproval(options)
    ? `Nothing is done yet. Show this to the person, who must approve it with \`edgemaker plans approve ${id}\`; call again with the same parameters and this planId: the call waits for the approval.`
    : "Nothing is done yet. Show this to the person; when they agree, call again with the same parameters and this planId.";

/** Returns the plan's owner, operation and parameters as one text that a commit must match. */
async function planKeyOf(id: string, { operation, given }: CallRequest, owner: string): Promise<PlanKey> {
  return { id, binding: await digest([owner, operation.name, canonical(given)].join("\n")) };
}

const canonical = (value: unknown): string =>
  JSON.stringify(value, (_name, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );

interface Committing extends McpOptions {
  readonly signal: AbortSignal;
  readonly waiter: string;
}

/** Executes a plan once. A plan that was used, changed, refused, has expired or belongs to another token does nothing. */
export async function commit(request: CallRequest, planId: unknown, options: Committing): Promise<Answer> {
  if (typeof planId !== "string") return planRefused("unknown", request);
  const { deps, caller } = options;
  const key = await planKeyOf(planId, request, caller.key);
  const waits = needsApproval(options);
  const state = await untilSettled(key, waits, options);
  const preview = state === "free" ? await deps.store.consumePlan(key, waits) : undefined;
  if (!preview) return planRefused(state === "free" ? "used" : state, request);
  return attempt(request.operation, deps, request.call.requestId, () =>
    commitShown(request, preview, options, key),
  );
}

/** Prepares the call again: its current exposure is counted, and must not exceed the plan's. */
async function commitShown(
  { operation, input, call: request }: CallRequest,
  shown: Preview,
  options: McpOptions,
  { id }: PlanKey,
): Promise<unknown> {
  const { deps, settings } = options;
  const call = { ...request, requestKey: await digest(id), isLimited: isLimited(settings) };
  const prepared = await operation.prepare(deps, { ...input, ...shown.holds }, call);
  prepared.check?.();
  await ownerTexts(prepared, call, options);
  const exposure = await readExposure(prepared.exposure);
  const grown = outgrown(exposure, shown.exposure);
  if (grown) throw grown;
  // The token can end while its plan waits for an approval.
  if ((await options.isTokenValid?.()) === false)
    throw new AppError(
      "Unauthorized",
      "this API token has expired or was revoked while the plan waited; nothing was done",
    );
  await countPlan(exposure, options);
  return actWithin(deps, call, { ...prepared, exposure });
}

/**
 * Waits while the plan waits for approval. Canceling the request cancels its plan. If its client has disconnected, the
 * plan stays for the next call, because nobody would read what this one did.
 */
async function untilSettled(key: PlanKey, waits: boolean, options: Committing): Promise<PlanState> {
  const { deps, signal, left, waiter } = options;
  const requestedAt = deps.local.monotonic();
  for (;;) {
    const state = await deps.store.planState(key, { needsApproval: waits, waiter });
    if (signal.aborted) {
      await deps.store.giveUpPlan(waiter);
      return "refused";
    }
    if (left?.aborted) return state === "free" ? "waiting" : state;
    if (state !== "waiting" || deps.local.monotonic() - requestedAt > LONGEST_WAIT_FOR_APPROVAL) return state;
    await deps.local.sleep(BETWEEN_QUESTIONS);
  }
}

const WHY: Record<Exclude<PlanState, "free">, string> = {
  unknown:
    "this planId is unknown, or belongs to other parameters, another tool or another token; nothing was done",
  used: "this planId was already used by an earlier call, which has executed it or tried to",
  expired: "this planId has expired; nothing was done",
  refused: "a person refused this plan, or the waiting request was canceled; nothing was done",
  waiting: "this plan is not approved yet; nothing was done",
};

/** The next step, where a new preview would be wrong. */
const NEXT_STEP: Partial<Record<PlanState, string>> = {
  used: "Do not repeat the plan. Check list_orders, list_grids, list_quotes or list_strategies for what the earlier call did.",
  waiting: "Ask the person to approve it, then call again with the same planId.",
};

const planRefused = (state: Exclude<PlanState, "free">, { call }: CallRequest): Answer =>
  refusal(
    new AppError(state === "refused" ? "Forbidden" : "Conflict", WHY[state], {
      fields: NEXT_STEP[state] === undefined ? {} : { next: NEXT_STEP[state] },
    }),
    call.requestId,
  );
