import type { Tool } from "@modelcontextprotocol/sdk/types.js";
import { type Decimal, text } from "../../kernel/decimal.ts";
import { digest } from "../../kernel/digest.ts";
import { AppError } from "../../kernel/errors.ts";
import { splitPair } from "../../kernel/pair.ts";
import { dayOf, type Millis, SECOND } from "../../kernel/time.ts";
import { exposureText } from "../../limits/allowed.ts";
import { holdToToken, readExposure } from "../../limits/operations/exposures.ts";
import { byOf } from "../../model/events.ts";
import { type Exposure, type KnownExposure, PLAN_LIFE, type Preview } from "../../model/proposal.ts";
import type { Scope } from "../../model/token.ts";
import {
  actWithin,
  type Call,
  type Operation,
  type OthersThing,
  type PreparedCall,
  type TradeOperation,
} from "../../operation.ts";
import type { Deps } from "../../ports/deps.ts";
import type { StoreDeps } from "../../ports/kind.ts";
import type { PlanKey, PlanState } from "../../ports/stores/store.ts";
import { type Answer, attempt, refusal } from "../run.ts";

/** Maximum wait; clients cancel a request after a minute. */
const MAX_APPROVAL_WAIT_MS: Millis = 45 * SECOND;
const APPROVAL_CHECK_INTERVAL_MS: Millis = SECOND;

interface CallRequest {
  readonly operation: TradeOperation;
  /** The parameters as given, and as parsed. */
  readonly given: Readonly<Record<string, unknown>>;
  readonly input: Readonly<Record<string, unknown>>;
  readonly call: Call & { readonly requestId: string };
}

const shownPlan = ({ what, cost, worstCase, limits }: Preview) => ({
  what,
  cost,
  worstCase,
  limits: [...limits],
});

/** Returns whether a person must approve each plan before its commit, except plans of paper trading. */
export const needsApproval = ({ settings, deps }: Pick<McpOptions, "settings" | "deps">): boolean =>
  settings.confirm === undefined
    ? deps.exchanges.some(({ kind }) => kind !== "sandbox")
    : settings.confirm === "terminal";

const nextStepOf = (id: string, waits: boolean, { commandFlags = "" }: McpSettings): string =>
  waits
    ? `Nothing is done yet. Show this to the person, who must approve it with \`edgemaker plans approve ${id}${commandFlags}\`; call again with the same parameters and this planId: the call waits for the approval.`
    : "Nothing is done yet. Show this to the person; when they agree, call again with the same parameters and this planId.";

const canonical = (value: unknown): string =>
  JSON.stringify(value, (_name, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );

/** Returns the scope that counts the plans of one token, or all plans of a process with one client. */
const scopeOf = ({ caller }: Pick<McpOptions, "caller">): string => `agent:${caller.actor}`;

/** Returns whether a limit per plan or per day is set. */
const isLimited = ({ maxNotional, maxNotionalPerDay }: McpSettings): boolean =>
  (maxNotional?.size ?? 0) > 0 || (maxNotionalPerDay?.size ?? 0) > 0;

const usesText = (exposure: KnownExposure, asset: string): string =>
  `this could use ${text(exposure.counted)} ${asset} (${exposureText(exposure)})`;

/** The maximum of one plan is that of a day, unless the settings have another one. */
const dayLimit = ({ maxNotional, maxNotionalPerDay }: McpSettings, asset: string): Decimal | undefined =>
  maxNotionalPerDay?.get(asset) ?? maxNotional?.get(asset);

const forbidden = (message: string): AppError => new AppError("Forbidden", message);

const beyondDay = (what: string, { used, day }: { used: Decimal; day: Decimal }): AppError =>
  forbidden(
    `${what}; of the ${text(day)} that an agent's plans can use in one UTC day, ${text(used)} are used (EDGEMAKER_MCP_MAX_NOTIONAL, EDGEMAKER_MCP_MAX_NOTIONAL_PER_DAY)`,
  );

/** Previews a call and stores the plan for a commit; nothing is executed. */
export const propose = (request: CallRequest, options: McpOptions): Promise<Answer> => {
  const { deps, caller } = options;
  return attempt(request.operation, deps, request.call.requestId, async () => {
    const { operation, given, input, call } = request;
    const prepared = await operation.prepare(deps, input, call);
    const owners = await ownerTexts({ ...prepared, input }, call, options);
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
      next: nextStepOf(id, !preview.isPaper && needsApproval(options), options.settings),
    };
  });
};

/** Returns the plan's owner, operation and parameters as one text that a commit must match. */
async function planKeyOf(id: string, { operation, given }: CallRequest, owner: string): Promise<PlanKey> {
  return { id, binding: await digest([owner, operation.name, canonical(given)].join("\n")) };
}

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
  await ownerTexts({ ...prepared, input }, call, options);
  const exposure = await readExposure(prepared.exposure);
  const grown = exceedsPlan(exposure, shown.exposure);
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
    if (state !== "waiting" || deps.local.monotonic() - requestedAt > MAX_APPROVAL_WAIT_MS) return state;
    await deps.local.sleep(APPROVAL_CHECK_INTERVAL_MS);
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
  used: "Do not repeat the plan. Check list_orders and list_strategies for what the earlier call did.",
  waiting: "Ask the person to approve it, then call again with the same planId.",
};

const planRefused = (state: Exclude<PlanState, "free">, { call }: CallRequest): Answer =>
  refusal(
    new AppError(state === "refused" ? "Forbidden" : "Conflict", WHY[state], {
      fields: NEXT_STEP[state] === undefined ? {} : { next: NEXT_STEP[state] },
    }),
    call.requestId,
  );

/**
 * Returns what the agents' own limits leave for a plan and for the day, as text. Throws AppError if the plan exceeds
 * them, or if its exposure is unknown.
 */
async function agentLimitTexts(exposure: Exposure, options: McpOptions): Promise<readonly string[]> {
  const { settings } = options;
  if (exposure.trades === "nothing" || !isLimited(settings)) return [];
  if (exposure.trades === "known" && exposure.counted === 0n) return [];
  const { asset, amount, what } = usesOf(exposure);
  const [most, day] = [settings.maxNotional?.get(asset), dayLimit(settings, asset)];
  if (day === undefined)
    throw forbidden(`${what}, but agents have no budget for it; a person can set EDGEMAKER_MCP_MAX_NOTIONAL`);
  if (most !== undefined && amount > most)
    throw forbidden(`${what}; one plan can use at most ${text(most)} (EDGEMAKER_MCP_MAX_NOTIONAL)`);
  const used = await usedToday(options, asset);
  if (used + amount > day) throw beyondDay(what, { used, day });
  return [
    most === undefined ? what : `${what} of the ${text(most)} that one plan can use`,
    `agents can use ${text(day - used)} ${asset} more today (UTC)`,
  ];
}

/**
 * Counts a plan that is about to be executed toward its token's daily limit, once. Throws AppError if the limit would
 * be exceeded.
 */
async function countPlan(exposure: Exposure, options: McpOptions): Promise<void> {
  const { settings, deps } = options;
  await agentLimitTexts(exposure, options);
  if (exposure.trades !== "known" || !isLimited(settings)) return;
  const { asset, amount, what } = usesOf(exposure);
  const day = dayLimit(settings, asset) ?? null;
  const use = { scope: scopeOf(options), asset, notional: amount, most: day };
  if (await deps.store.useLimit(use)) return;
  throw beyondDay(what, { used: await usedToday(options, asset), day: day ?? 0n });
}

function usesOf(exposure: Exclude<Exposure, { readonly trades: "nothing" }>) {
  if (exposure.trades === "unknown")
    throw forbidden(
      `the amount that this can trade is unknown: ${exposure.why}; agents can only do what stays within their limit`,
    );
  const { quote: asset } = splitPair(exposure.symbol);
  return { asset, amount: exposure.counted, what: usesText(exposure, asset) };
}

async function usedToday({ deps, ...options }: McpOptions, asset: string): Promise<Decimal> {
  const scope = scopeOf(options);
  const { now, uses } = await deps.store.readLimits({ scopes: [scope], account: "", actor: "" });
  return uses.find((use) => use.day === dayOf(now) && use.asset === asset)?.notional ?? 0n;
}

/** Maximum growth of a plan between preview and commit, through fills and price changes: 1/20. */
const MAY_GROW = 20n;

/** Returns why a commit could do more than its plan showed; undefined if it could not. */
export function exceedsPlan(now: Exposure, shown: Exposure | undefined): AppError | undefined {
  const isMore = (name: "base" | "quote" | "exits") => {
    const before = amountIn(shown, name);
    return amountIn(now, name) > before + before / MAY_GROW;
  };
  if (
    now.trades === "unknown"
      ? shown?.trades === "unknown"
      : !(["base", "quote", "exits"] as const).some(isMore)
  )
    return undefined;
  const what = now.trades === "known" ? `it could now ${exposureText(now)}` : "the amount is unknown now";
  return new AppError("Conflict", `this can trade more than its plan showed: ${what}; nothing was done`);
}

const amountIn = (exposure: Exposure | undefined, name: "base" | "quote" | "exits"): Decimal =>
  exposure?.trades === "known" ? exposure[name] : 0n;

/** What the operator's settings allow. */
export interface McpSettings {
  /** Whether tools that trade are available. */
  readonly trading: boolean;
  /**
   * `terminal`: a person approves each plan. `plan`: its id is enough to commit it. Without a value, a person
   * approves only plans on live exchanges.
   */
  readonly confirm?: "plan" | "terminal" | undefined;
  /** Maximum of one plan by quote asset; unlimited if not set. */
  readonly maxNotional?: ReadonlyMap<string, Decimal>;
  /** Maximum of all plans of one token per UTC day; default: the maximum of one plan. */
  readonly maxNotionalPerDay?: ReadonlyMap<string, Decimal>;
  /** What plans can change: `own`, what the same token's agent started or made (default), or `all`. */
  readonly strategies?: "own" | "all";
  /** The flags of a command that reaches the same database, each after a space; default: none. */
  readonly commandFlags?: string;
}

export interface McpOptions {
  readonly deps: Deps;
  readonly operations: readonly Operation[];
  /** Returns all tools for the list. */
  readonly tools: () => Promise<readonly Tool[]>;
  readonly settings: McpSettings;
  /** Id of the HTTP request; absent for standard input, where each call gets its own. */
  readonly requestId?: string;
  /** `key` identifies the token: only the token that got a plan can commit it. */
  readonly caller: { readonly actor: string; readonly scope: Scope; readonly key: string };
  /** Returns whether the caller's token is still valid; absent for standard input, which has none. */
  readonly isTokenValid?: () => Promise<boolean>;
  /** Returns the warning that no server runs the strategies, if none does; absent on a server. */
  readonly warningWithoutServer?: () => Promise<string | undefined>;
  /** Distinguishes the requests of two clients with one token; undefined if a process has one client. */
  readonly session?: string | undefined;
  readonly version: string;
  /** Aborts when the client of an HTTP request disconnects; absent for standard input. */
  readonly left?: AbortSignal | undefined;
}

type OwnedChange = Pick<PreparedCall, "strategies" | "ofOthers"> & { readonly input?: CallRequest["input"] };

/**
 * Returns text about what a call changes of others. Throws AppError if the settings allow an agent to change only what
 * it made.
 */
export async function ownerTexts(
  { strategies, ofOthers, input = {} }: OwnedChange,
  call: Call,
  { deps, settings }: Pick<McpOptions, "deps" | "settings">,
): Promise<readonly string[]> {
  const ids = typeof strategies === "function" ? await strategies() : strategies;
  const started = await startedByOthers(ids, call, deps);
  const things = [...((await ofOthers?.()) ?? []), ...(await namesOfOthers(input, call, deps))];
  const found = [
    ...started.map(({ id, starter }) => [`${id} was started by ${starter}`, "strategies that they started"]),
    ...things.map(({ what, maker }) => [`${what} was made by ${maker}`, "what they made"]),
  ];
  const [first] = found;
  if (first && settings.strategies !== "all")
    throw forbidden(
      `${first[0]}, and agents can only change ${first[1]}; a person can set EDGEMAKER_MCP_STRATEGIES=all`,
    );
  return found.map(([whose], index) =>
    index < started.length
      ? `this changes a strategy of another caller: ${whose}`
      : `this changes what another caller made: ${whose}`,
  );
}

async function startedByOthers(ids: readonly string[], call: Call, { store }: StoreDeps) {
  const all: { readonly id: string; readonly starter: string }[] = [];
  for (const id of ids) {
    const starter = await store.starterOf(id);
    if (starter !== byOf(call).actor) all.push({ id, starter: starter ?? "another caller" });
  }
  return all;
}

/** Commands accept a name instead of an id. The field `name` of every trading tool is the name of a strategy. */
async function namesOfOthers(
  { name }: CallRequest["input"],
  call: Call,
  deps: Deps,
): Promise<readonly OthersThing[]> {
  if (typeof name !== "string") return [];
  const named = await deps.store.strategiesNamed(name);
  const running = named.filter(({ status }) => status !== "stopped").map(({ id }) => id);
  const [other] = await startedByOthers(running, call, deps);
  return other ? [{ what: `the name ${name}`, maker: other.starter }] : [];
}
