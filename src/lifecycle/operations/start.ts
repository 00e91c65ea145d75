import * as z from "zod";
import { changedFields, warnings } from "../../engine/operations/shapes.ts";
import { describeStart, fundPaper } from "../../engine/operations/start-reads.ts";
import { runPassNow } from "../../engine/pass/round.ts";
import { upgraded } from "../../engine/pass/upgrade.ts";
import { AppError, VenueError } from "../../kernel/errors.ts";
import {
  dryBalance,
  exchangeField,
  flag,
  MAX_AMOUNT,
  NO_STOP,
  pairField,
  planHash,
  strategyName,
  wordField,
  zeroOrMoreField,
} from "../../kernel/fields.ts";
import { lazy } from "../../kernel/lazy.ts";
import { splitPair } from "../../kernel/pair.ts";
import { accountKey, parseAccountKey } from "../../model/account.ts";
import { byOf } from "../../model/events.ts";
import { NO_EXPOSURE, type Preview } from "../../model/proposal.ts";
import { checkHolds } from "../../model/shown-plan.ts";
import type { Strategy } from "../../model/strategy.ts";
import { type Call, type Operation, operation, type PreparedCall } from "../../operation.ts";
import { configForm, formSchema } from "../../ports/config-form.ts";
import type { Deps } from "../../ports/deps.ts";
import { killRefusal } from "../../ports/kill-permit.ts";
import type { Kind, KindDefinition, StoreDeps, StrategyDeps } from "../../ports/kind.ts";
import type { PlanReader, ReadyStart, Started, StartRequest } from "../../ports/plan.ts";
import { pairTexts, planAnswer, planShape, previewOfStart } from "../plan.ts";
import { definitionName } from "../reading.ts";
import { strategyById } from "./find.ts";

/** A definition that can be started, and its kind. */
interface Startable extends Pick<KindDefinition, "name" | "forms"> {
  readonly kind: Kind;
}

/** Returns the definitions that can be started, each with the forms of its config. */
export const startables = (kinds: readonly Kind[]): readonly Startable[] =>
  kinds.flatMap((kind) => kind.definitions.map(({ name, forms }) => ({ kind, name, forms })));

/** Options of every start, besides the definition's config. */
export const startOptions = (ids: readonly string[]) => ({
  exchange: exchangeField(ids),
  symbol: pairField(),
  baseBudget: zeroOrMoreField("Invalid request", MAX_AMOUNT)
    .optional()
    .describe("Base that it can use; default: all free base"),
  quoteBudget: zeroOrMoreField("Invalid request")
    .optional()
    .describe("Quote that it can use; default: all free quote"),
  dryRun: flag("dryRun").describe("Paper trading: live prices, simulated fills, no request to your account"),
  dryBalance: dryBalance(),
  name: strategyName(),
});

interface GivenStart {
  readonly definition: string;
  readonly config: Readonly<Record<string, unknown>>;
}

/** Returns the input of a start of any of these definitions. Its definition's schema checks the config. */
function startInput(ids: readonly string[], all: readonly Startable[]) {
  const names = all.map(({ name }) => name) as [string, ...string[]];
  const schemas = all.flatMap(({ forms }) => forms.map(formSchema));
  return z
    .object({
      definition: wordField("Invalid request", names).describe(`What to start: ${names.join(", ")}`),
      ...startOptions(ids),
      config: z
        .record(z.string(), z.unknown(), { error: "Invalid request: config must be an object" })
        .default({})
        .meta({ description: "Settings of the strategy", anyOf: schemas }),
    })
    .superRefine((input, context) => {
      const { definition, config } = input as GivenStart;
      const found = all.find(({ name }) => name === definition);
      const { error } = found ? configForm(found.forms, config).config().strict().safeParse(config) : {};
      for (const issue of error?.issues ?? [])
        context.addIssue({ ...issue, path: ["config", ...issue.path] } as never);
    });
}

const STARTS = { access: "token", failure: "Start failed" } as const;

/** Returns the preview and the start of every definition. */
export function startOperations(ids: readonly string[], kinds: readonly Kind[]): readonly Operation[] {
  const all = startables(kinds);
  const requestOf = ({ config, ...options }: z.output<ReturnType<typeof startInput>>) => {
    const { kind, forms } = all.find(({ name }) => name === options.definition) as Startable;
    const parsed = configForm(forms, config).config().parse(config) as StartRequest["config"];
    return { kind, request: { ...options, config: parsed } as StartRequest };
  };
  const details = () => kinds.map(({ planDetails }) => planDetails());
  const forms = all.flatMap((one) => one.forms);
  return [
    operation({
      ...STARTS,
      name: "preview_strategy",
      failure: "Exchange error",
      summary: "Show orders, cost and worst case of a strategy",
      effect: "read",
      http: { route: "POST /strategies/preview", from: "body" },
      forms,
      input: () => startInput(ids, all),
      output: () => planShape(details()),
      async run(deps, input, { actor }) {
        const { kind, request } = requestOf(input);
        const ready = await kind.readStart(deps, request, { actor, isShown: true });
        return planAnswer(ready, await ready.facts(), request);
      },
    }),
    operation({
      ...STARTS,
      name: "start_strategy",
      summary: "Start a strategy",
      effect: "trade",
      refusal: "strategy_failed",
      http: { route: "POST /strategies", from: "body", idempotent: true },
      mcp: { steps: true },
      forms,
      input: () => startInput(ids, all).safeExtend({ planHash: planHash() }),
      output: StartedStrategyShape,
      prepare(deps, { planHash: shown, ...input }, call) {
        const { kind, request } = requestOf(input);
        const reader = { actor: call.actor, planHash: shown, isShown: false };
        return prepareStart(deps, kind, { request, reader, call }, (started) => startedOut(deps, started));
      },
    }),
  ];
}

interface StartCall {
  readonly request: StartRequest;
  readonly reader: PlanReader;
  readonly call: Call;
}

/** Reads and checks a start. A repeated request returns the strategy of the first one. */
export async function prepareStart<A>(
  deps: Deps,
  kind: Kind,
  { request, reader, call }: StartCall,
  answer: (started: Started) => Promise<A>,
): Promise<PreparedCall<A>> {
  const earlier = await startedEarlier(deps, call.requestKey ?? null);
  if (earlier)
    return {
      preview: async () => earlierPreview(earlier),
      exposure: NO_EXPOSURE,
      strategies: [],
      async act() {
        const uses = await readUseAgain(deps, kind, earlier);
        return answer({ ...(await passed(deps, earlier)), uses, warnings: [] });
      },
    };
  const ready = await kind.readStart(deps, request, reader);
  const { planHash: shown } = reader;
  return {
    async preview() {
      checkHolds(ready.shown, shown);
      return previewOfStart(ready, await ready.facts(), request);
    },
    exposure: request.dryRun ? NO_EXPOSURE : await ready.exposure(),
    strategies: [],
    check() {
      if (ready.killed) throw killRefusal(deps.killHere, "nothing is started");
      checkHolds(ready.shown, shown);
      ready.check();
    },
    async act(isLimited) {
      const { uses, warnings } = ready;
      const strategy = await createStrategy(deps, kind.name, { ready, request, isLimited, call });
      return answer({ ...(await passed(deps, strategy)), uses, warnings });
    },
  };
}

/** Returns the strategy that an earlier attempt of the same request started. */
async function startedEarlier({ store }: StoreDeps, request: string | null): Promise<Strategy | undefined> {
  const [view] = request === null ? [] : await store.strategies({ request });
  return view?.strategy;
}

const earlierPreview = ({ id }: Pick<Strategy, "id">): Preview => ({
  what: `${id} was started by an earlier attempt of this request`,
  cost: "nothing more",
  worstCase: "nothing more is started",
  limits: [],
});

/** Throws `Order unknown` instead of an exchange's failure, because the strategy runs. */
const readUseAgain = (deps: StrategyDeps, kind: Kind, strategy: Strategy) =>
  kind.readUse(deps, upgraded(kind, strategy)).catch((error: unknown) => {
    if (!(error instanceof VenueError)) throw error;
    const message = `${earlierPreview(strategy).what}, but ${error.message}; check its status, and do not start another one`;
    throw new AppError("Order unknown", message);
  });

interface Creation {
  readonly ready: ReadyStart;
  readonly request: StartRequest;
  readonly isLimited: boolean;
  readonly call: Call;
}

async function createStrategy(
  deps: StrategyDeps,
  kind: string,
  { ready, request, isLimited, call }: Creation,
): Promise<Strategy> {
  const { exchange, symbol, name = null } = request;
  const { base, quote } = splitPair(symbol);
  const { prefix, ...row } = await ready.begin(isLimited);
  await fundPaper(deps, request, ready.venue);
  const strategy = await deps.store.createStrategy(
    {
      ...row,
      kind,
      wants: "run",
      ...NO_STOP,
      phase: "starting",
      lastError: null,
      stoppedAt: null,
      name,
      prefix: `${prefix}-${exchange}-${base}-${quote}`,
      account: accountKey(ready.venue.account),
      symbol,
      request: call.requestKey ?? null,
    },
    byOf(call),
  );
  if (!strategy) throw killRefusal(deps.killHere, "nothing is started");
  return strategy;
}

/** Runs the first pass, and describes how it went. */
async function passed(deps: Deps, strategy: Strategy): Promise<Pick<Started, "id" | "message">> {
  const venue = deps.venueOf(parseAccountKey(strategy.account));
  const pass = venue && (await runPassNow(deps, venue));
  const [view] = await deps.store.strategies({ id: strategy.id });
  return { id: strategy.id, message: describeStart(view ?? { strategy, openOrders: 0 }, pass) };
}

export const StartedStrategyShape = lazy(() =>
  z.object({
    ...changedFields(),
    definition: z.string().describe("grid, quote, or the name of your own strategy"),
    exchange: z.string(),
    symbol: z.string(),
    uses: z
      .object({ quote: z.string(), base: z.string() })
      .describe("The most that it can use of the account's own balances"),
    warnings: warnings(),
  }),
);

async function startedOut(deps: StoreDeps, { id, message, uses, warnings }: Started) {
  const view = await strategyById(deps, id);
  const { status, phase, account, symbol } = view.strategy;
  const { exchange } = parseAccountKey(account);
  return {
    id,
    status,
    phase,
    message,
    definition: definitionName(view),
    exchange,
    symbol,
    uses: pairTexts(uses),
    warnings: warnings.map((warning) => ({ ...warning })),
  };
}
