import { earlierPreview, startedEarlier } from "../../engine/operations/start.ts";
import { fundPaper, venueForStart } from "../../engine/pass/paper-start.ts";
import { describeStart } from "../../engine/pass/start-message.ts";
import { stepNow } from "../../engine/pass/tick.ts";
import { type Decimal, text } from "../../kernel/decimal.ts";
import { AppError, VenueError } from "../../kernel/errors.ts";
import { type Pair, splitPair } from "../../kernel/pair.ts";
import { NO_STOP } from "../../kernel/stop-flags.ts";
import { MINUTE } from "../../kernel/time.ts";
import { limitError } from "../../limits/allowed.ts";
import { accountKey, parseAccountKey } from "../../model/account.ts";
import { type By, byOf } from "../../model/events.ts";
import type { Preview } from "../../model/proposal.ts";
import { TRADES_NOTHING } from "../../model/proposal.ts";
import type { Call } from "../../operation.ts";
import type { Deps } from "../../ports/deps.ts";
import { killRefusal } from "../../ports/kill-here.ts";
import type { Venue } from "../../ports/venue.ts";
import { asGrid, gridKind } from "../kind.ts";
import { configOut } from "../schema/status-answer.ts";
import type { Checked } from "../start/check.ts";
import { exposureOfStart, withBound } from "../start/exposure.ts";
import type { LastWeek } from "../start/last-week.ts";
import { checkHash } from "../start/plan-hash.ts";
import {
  beginsOf,
  beyondLimits,
  firstState,
  fundsWarnings,
  type PlannedStart,
  plannedOut,
  planStart,
  type StartInputs,
} from "../start/planned-start.ts";
import { previewStart } from "../start/preview.ts";
import { mostQuote } from "../start/worst-case.ts";
import { type GridConfig, type GridState, type GridStrategy, NO_LEDGER } from "../state/state.ts";
import { readLastWeek } from "./recent-candles.ts";
import { type Read, readForStart, type StartPlace, startDoubts } from "./start-reading.ts";

export interface StartRequest {
  readonly where: StartPlace;
  /** Checks the request, with or without funds, around the center of a shown plan or of the market. */
  readonly checked: (inputs: StartInputs, withFunds: boolean, planHash?: string) => Checked;
  readonly planHash?: string | undefined;
  readonly request: string | null;
  /** The caller, whose token's limits apply to the strategy. */
  readonly actor: string;
  readonly by: By;
}

export const whoOf = (call: Call): Pick<StartRequest, "request" | "actor" | "by"> => ({
  request: call.requestKey ?? null,
  actor: call.actor,
  by: byOf(call),
});

/** Reads and checks a start. A repeated request returns the strategy of the first one. */
export async function prepareStart(deps: Deps, request: StartRequest) {
  const before = await begunBefore(deps, request);
  if (before)
    return {
      preview: async () => earlierPreview(before.strategy),
      exposure: TRADES_NOTHING,
      strategies: [],
      act: () => startedGridResponse(deps, request, before),
    };
  const { where, checked: checkIn, planHash } = request;
  const start = await readForStart(deps, where, request.actor);
  const planned = planStart(checkIn(start, true, planHash), start);
  const exposure = where.dryRun ? TRADES_NOTHING : exposureOfStart(planned, start);
  return {
    preview() {
      checkHash(planned, planHash);
      return previewForAgents(deps, planned, { where, start });
    },
    exposure,
    strategies: [],
    check() {
      if (start.killed) throw killRefusal(deps.killHere, "no grid is started");
      checkHash(planned, planHash);
      const refused = beyondLimits(planned, start);
      if (refused) throw limitError(refused);
    },
    async act(isLimited: boolean) {
      const config = isLimited
        ? withBound(exposure, planned.checked.config, NO_LEDGER)
        : planned.checked.config;
      const begun = await beginStrategy(deps, request, { planned, start, config });
      return startedGridResponse(deps, request, begun);
    },
  };
}

async function startedGridResponse(deps: Deps, request: StartRequest, begun: Begun) {
  const { strategy, maxQuoteUsed, ownBase, warnings } = begun;
  const venue = deps.venueOf(parseAccountKey(strategy.account));
  const pass = venue && (await stepNow(deps, venue));
  const [view] = await deps.store.strategies({ id: strategy.id });
  const { id, status, phase, config } = view?.strategy ?? strategy;
  return {
    id,
    status,
    phase,
    message: describeStart({ id, status, phase, config }, pass),
    config: configOut(request.where.exchange, strategy),
    maxQuoteUsed: text(maxQuoteUsed),
    ownBaseUsed: text(ownBase),
    warnings,
  };
}

interface Begun {
  readonly strategy: GridStrategy;
  readonly maxQuoteUsed: Decimal;
  readonly ownBase: Decimal;
  readonly warnings: { code: string; message: string }[];
}

/**
 * Returns the strategy that an earlier attempt of the request started; the account and market have changed since.
 * Throws `Order unknown` instead of an exchange's failure, because the strategy runs.
 */
async function begunBefore(deps: Deps, { where, request }: StartRequest): Promise<Begun | undefined> {
  const earlier = await startedEarlier(deps, request);
  if (!earlier) return undefined;
  const strategy = asGrid(earlier);
  const venue = venueForStart(deps, where);
  const reads = Promise.all([venue.market(strategy.symbol), venue.balances()]);
  const [market, balances] = await reads.catch((error: unknown) => {
    if (!(error instanceof VenueError)) throw error;
    const { what } = earlierPreview(strategy);
    const message = `${what}, but ${error.message}; check its status, and do not start another one`;
    throw new AppError("Order unknown", message);
  });
  const { config, state } = strategy;
  const { startPrice, ledger } = state;
  const maxQuoteUsed = mostQuote({ config, state, startPrice, takingPrice: startPrice, market, balances });
  return { strategy, maxQuoteUsed, ownBase: ledger.firstBase, warnings: [] };
}

type StartRead = StartInputs & Read;

interface PlannedBegin {
  readonly planned: PlannedStart;
  readonly start: StartRead;
  /** The stored configuration. */
  readonly config: GridConfig;
}

async function beginStrategy(
  deps: Deps,
  { where, request, by }: StartRequest,
  { planned, start, config }: PlannedBegin,
): Promise<Begun> {
  const { venue, quote } = start;
  const { checked } = planned;
  await fundPaper(deps, where, venue);
  const state = await withHistory(venue, where.symbol, checked, firstState(checked, quote));
  const strategy = await deps.store.createStrategy(
    {
      ...firstRow(where, config, state),
      account: accountKey(venue.account),
      startedAt: quote.at,
      request,
    },
    by,
  );
  if (!strategy) throw killRefusal(deps.killHere, "no grid is started");
  return {
    strategy: asGrid(strategy),
    maxQuoteUsed: mostQuote(beginsOf(planned, start)),
    ownBase: planned.ownBase,
    warnings: [...checked.warnings, ...fundsWarnings(planned, start), ...startDoubts(start, where)],
  };
}

/** Returns the first row of a new strategy. */
function firstRow({ exchange, symbol, name }: StartPlace, config: GridConfig, state: GridState) {
  const { base, quote } = splitPair(symbol);
  return {
    kind: gridKind.name,
    version: gridKind.version,
    config,
    state,
    wants: "run",
    ...NO_STOP,
    status: config.triggerPrice !== undefined ? "idle" : "running",
    phase: "starting",
    lastError: null,
    stoppedAt: null,
    name: name ?? null,
    prefix: `grid-${exchange}-${base}-${quote}`,
    symbol,
  } as const;
}

/** Adds the last hour's prices, so volatility is known at once; without them it is known later. */
async function withHistory(
  venue: Venue,
  symbol: Pair,
  { config }: Checked,
  state: GridState,
): Promise<GridState> {
  if (!config.centered?.volatility) return state;
  const candles = await venue.candles(symbol, { span: MINUTE, limit: 60 }).catch((error: unknown) => {
    if (error instanceof VenueError) return [];
    throw error;
  });
  const mids = candles.map(({ at, close }) => ({ at: at + MINUTE, mid: close }));
  return { ...state, mids: mids.filter(({ at }) => at <= state.laidAt) };
}

export async function previewStrategy(
  deps: Deps,
  { where, checked: checkIn, actor }: Pick<StartRequest, "where" | "checked" | "actor">,
) {
  const inputs = await readForStart(deps, where, actor);
  return plannedIn(inputs, checkIn(inputs, false), { where, week: await readLastWeek(deps, where) });
}

/** Returns the plan of a start for the response. */
export function plannedIn(
  inputs: StartInputs & Read,
  checked: Checked,
  { where, week }: { readonly where: StartPlace; readonly week: LastWeek },
) {
  const config = configOut(where.exchange, { symbol: where.symbol, config: checked.config });
  const planned = plannedOut(planStart(checked, inputs), inputs, week);
  return { config, ...planned, warnings: [...planned.warnings, ...startDoubts(inputs, where)] };
}

async function previewForAgents(
  deps: Deps,
  planned: PlannedStart,
  { where, start }: { readonly where: StartPlace; readonly start: StartRead },
): Promise<Preview> {
  const week = await readLastWeek(deps, where);
  return previewStart(planned, { ...where, ...start, week, doubts: startDoubts(start, where) });
}
