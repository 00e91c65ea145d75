import { earlierPreview, startedEarlier } from "../../engine/operations/start.ts";
import {
  balancesForStart,
  closedWarnings,
  describeStart,
  fundPaper,
  readKept,
  strategiesOn,
  type TradingPlace,
  venueForStart,
} from "../../engine/operations/start-reads.ts";
import { runPassNow } from "../../engine/pass/round.ts";
import { confidenceAt } from "../../engine/reconcile/confidence.ts";
import { type Decimal, text } from "../../kernel/decimal.ts";
import { AppError, VenueError } from "../../kernel/errors.ts";
import { NO_STOP } from "../../kernel/fields.ts";
import { type Pair, splitPair } from "../../kernel/pair.ts";
import { plainText } from "../../kernel/plain-text.ts";
import { DAY, HOUR, MINUTE } from "../../kernel/time.ts";
import { limitError } from "../../limits/allowed.ts";
import { readStandings } from "../../limits/operations/exposed-reads.ts";
import { accountKey, parseAccountKey } from "../../model/account.ts";
import { type ActorAndRequest, byOf } from "../../model/events.ts";
import type { Bounds } from "../../model/limits.ts";
import type { BidAsk, Candle } from "../../model/market.ts";
import type { Confidence } from "../../model/memory.ts";
import { NO_EXPOSURE, type Preview } from "../../model/proposal.ts";
import { checkHolds, priceOfPlan } from "../../model/shown-plan.ts";
import { type Call, operation } from "../../operation.ts";
import type { Deps } from "../../ports/deps.ts";
import { forAnyone, killRefusal } from "../../ports/kill-permit.ts";
import type { CandleRange, Reference, Venue } from "../../ports/venue.ts";
import { asGrid, gridKind } from "../kind.ts";
import {
  CAUTIOUS,
  centeredInput,
  centeredPreviewInput,
  RANGE_FLAGS,
  rangeInput,
  rangePreviewInput,
  TRAIL_PARTS,
} from "../schema/input.ts";
import { PlannedShape, StartedShape } from "../schema/schema.ts";
import { configOut } from "../schema/status-answer.ts";
import { type Checked, centeredOf, checkCentered, checkStart, requestedRangeOf } from "../start/check.ts";
import {
  beginsOf,
  beyondLimits,
  firstState,
  type PlannedStart,
  plannedOut,
  planStart,
  type StartInputs,
  startWarnings,
} from "../start/planned-start.ts";
import { exposureOfStart, previewStart, withBound } from "../start/preview.ts";
import { type LastWeek, mostQuote } from "../start/worst-case.ts";
import { type GridConfig, type GridState, type GridStrategy, NO_LEDGER } from "../state/state.ts";

const STARTS = {
  effect: "trade",
  access: "token",
  mcp: CAUTIOUS,
  output: StartedShape,
  failure: "Start failed",
} as const;

const PREVIEW_OPERATION = {
  effect: "read",
  access: "token",
  mcp: CAUTIOUS,
  output: PlannedShape,
  failure: "Start failed",
} as const;

const EXAMPLE = "--exchange kraken --symbol BTC/USDT --lower 57000 --upper 63000 --levels 12 --size 100";

const checkRange =
  (request: Parameters<typeof requestedRangeOf>[0]): StartRequest["checked"] =>
  ({ market, quote, balances }, withFunds, planHash) =>
    checkStart(
      requestedRangeOf(request),
      { market, quote, balances: withFunds ? balances : undefined },
      priceOfPlan(planHash),
    );

const checkAround =
  (request: Parameters<typeof centeredOf>[0]): StartRequest["checked"] =>
  ({ market, quote, balances }, withFunds, planHash) =>
    checkCentered(
      centeredOf(request),
      { market, quote, balances: withFunds ? balances : undefined },
      priceOfPlan(planHash),
    );

const whoOf = (call: Call): Pick<StartRequest, "request" | "actor" | "by"> => ({
  request: call.requestKey ?? null,
  actor: call.actor,
  by: byOf(call),
});

const askPast = (deps: Deps, where: StartPlace, range: CandleRange): Promise<readonly Candle[]> =>
  forAnyone(venueForStart(deps, where)).candles(where.symbol, range);

/** Half-hour candles: every exchange returns a week of them on one page. */
const WEEK: CandleRange = { span: 30 * MINUTE, limit: 336 };

const NO_REFERENCE: Reference = { prices: [], maxConfidence: null, listed: false };

export const startGrid = (ids: readonly string[]) =>
  operation({
    ...STARTS,
    name: "start_grid",
    summary: "Start a grid between two prices",
    http: { route: "POST /strategy/grid", from: "body", idempotent: true },
    cli: {
      path: "grid start",
      flags: RANGE_FLAGS,
      parts: TRAIL_PARTS,
      ...CAUTIOUS,
      steps: true,
      examples: [`edgemaker grid start ${EXAMPLE}`],
    },
    input: () => rangeInput(ids),
    prepare: (deps, { planHash, ...request }, call) =>
      prepareStart(deps, { where: request, checked: checkRange(request), planHash, ...whoOf(call) }),
  });

export const previewGrid = (ids: readonly string[]) =>
  operation({
    ...PREVIEW_OPERATION,
    name: "preview_grid",
    summary: "Show orders, cost and worst case of a grid between two prices",
    http: { route: "POST /strategy/grid/preview", from: "body" },
    cli: {
      path: "grid preview",
      flags: RANGE_FLAGS,
      parts: TRAIL_PARTS,
      ...CAUTIOUS,
      examples: [`edgemaker grid preview ${EXAMPLE}`],
    },
    input: () => rangePreviewInput(ids),
    run: (deps, request, { actor }) =>
      previewStrategy(deps, { where: request, checked: checkRange(request), actor }),
  });

export const startCenteredGrid = (ids: readonly string[]) =>
  operation({
    ...STARTS,
    name: "start_centered_grid",
    summary: "Start a grid that follows the market price",
    http: { route: "POST /strategy/grid/centered", from: "body", idempotent: true },
    input: () => centeredInput(ids),
    prepare: (deps, { planHash, ...request }, call) =>
      prepareStart(deps, { where: request, checked: checkAround(request), planHash, ...whoOf(call) }),
  });

export const previewCenteredGrid = (ids: readonly string[]) =>
  operation({
    ...PREVIEW_OPERATION,
    name: "preview_centered_grid",
    summary: "Show orders, cost and worst case of a grid that follows the market price",
    http: { route: "POST /strategy/grid/centered/preview", from: "body" },
    input: () => centeredPreviewInput(ids),
    run: (deps, request, { actor }) =>
      previewStrategy(deps, { where: request, checked: checkAround(request), actor }),
  });

interface StartRequest {
  readonly where: StartPlace;
  /** Checks the request, with or without funds, around the price of a shown plan or of the market. */
  readonly checked: (inputs: StartInputs, withFunds: boolean, planHash?: string) => Checked;
  readonly planHash?: string | undefined;
  readonly request: string | null;
  /** The caller, whose token's limits apply to the strategy. */
  readonly actor: string;
  readonly by: ActorAndRequest;
}

/** Reads and checks a start. A repeated request returns the strategy of the first one. */
async function prepareStart(deps: Deps, request: StartRequest) {
  const before = await begunBefore(deps, request);
  if (before)
    return {
      preview: async () => earlierPreview(before.strategy),
      exposure: NO_EXPOSURE,
      strategies: [],
      act: () => startedGridResponse(deps, request, before),
    };
  const { where, checked: checkIn, planHash } = request;
  const start = await readForStart(deps, where, request.actor);
  const planned = planStart(checkIn(start, true, planHash), start);
  const exposure = where.dryRun ? NO_EXPOSURE : exposureOfStart(planned, start);
  return {
    preview() {
      checkHolds(planned.shown, planHash);
      return previewForAgents(deps, planned, { where, start });
    },
    exposure,
    strategies: [],
    check() {
      if (start.killed) throw killRefusal(deps.killHere, "no grid is started");
      checkHolds(planned.shown, planHash);
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
  const pass = venue && (await runPassNow(deps, venue));
  const [view] = await deps.store.strategies({ id: strategy.id });
  const { id, status, phase } = view?.strategy ?? strategy;
  return {
    id,
    status,
    phase,
    message: describeStart(view ?? { strategy, openOrders: 0 }, pass),
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

type StartRead = StartInputs & StartReading;

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
    warnings: [...checked.warnings, ...startWarnings(planned, start), ...startDoubts(start, where)],
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

async function previewStrategy(
  deps: Deps,
  { where, checked: checkIn, actor }: Pick<StartRequest, "where" | "checked" | "actor">,
) {
  const inputs = await readForStart(deps, where, actor);
  return plannedIn(inputs, checkIn(inputs, false), { where, week: await readLastWeek(deps, where) });
}

/** Returns the plan of a start for the response. */
export function plannedIn(
  inputs: StartInputs & StartReading,
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

/** Candle ranges for past prices; every exchange returns each of them in one request. */
export const LOOKS_BACK = {
  narrow: { back: DAY, span: 15 * MINUTE },
  usual: { back: 7 * DAY, span: HOUR },
  wide: { back: 30 * DAY, span: 4 * HOUR },
} as const;
type Width = keyof typeof LOOKS_BACK;

/** Reads past prices. Throws AppError if the exchange does not return them: edgemaker never invents a range. */
export async function readPast(deps: Deps, where: StartPlace, width: Width): Promise<readonly Candle[]> {
  const { back, span } = LOOKS_BACK[width];
  const candles = await askPast(deps, where, { span, limit: back / span });
  if (candles.length > 0) return candles;
  throw new AppError(
    "Fetch failed",
    `${where.exchange} has no history of ${where.symbol}; set the range with grid start`,
  );
}

export async function readLastWeek(deps: Deps, where: StartPlace): Promise<LastWeek> {
  try {
    const candles = await askPast(deps, where, WEEK);
    return candles.length > 0
      ? { candles, span: WEEK.span }
      : { reason: `${where.exchange} has no candles of ${where.symbol}` };
  } catch (error) {
    // A plan does not fail because additional data are missing.
    if (error instanceof VenueError || error instanceof AppError) return { reason: plainText(error.message) };
    throw error;
  }
}

export interface StartPlace extends TradingPlace {
  readonly confidence?: Decimal | undefined;
}

/** What a start reads in addition to a plan's data. */
interface StartReading {
  readonly venue: Venue;
  readonly trust: Confidence | undefined;
  readonly bounds: Bounds;
}

/** Reads what a start needs of the account and its market. */
export async function readForStart(
  deps: Deps,
  where: StartPlace,
  actor: string,
): Promise<StartInputs & StartReading> {
  const { symbol } = where;
  const venue = venueForStart(deps, where);
  const market = await venue.market(symbol);
  const quote = await venue.ticker(symbol);
  const balances = await balancesForStart(deps, where);
  const views = await strategiesOn(deps, venue);
  const kept = await readKept(deps, views, { market, balances });
  const trust = where.confidence === undefined ? undefined : await readTrust(deps, venue, quote, symbol);
  const killed = await deps.store.killed();
  const standings = await readStandings(deps, venue.account, actor);
  const now = venue.account.host === "" ? undefined : deps.marketTime(venue.account, await deps.store.now());
  const bounds = { standings, now };
  const { account } = venue;
  return { venue, account, market, quote, balances, kept, killed, trust, confidence: trust?.value, bounds };
}

async function readTrust(deps: Deps, { account }: Venue, quote: BidAsk, symbol: Pair): Promise<Confidence> {
  const reference = (await deps.reference?.(account.exchange, symbol)) ?? NO_REFERENCE;
  // A simulated price belongs to the moment of the request, in simulated time.
  const now = account.host === "" ? quote.at : deps.marketTime(account, await deps.store.now());
  return confidenceAt(quote, { reference, now });
}

/** Returns warnings if the pair is closed, or if the price confidence is below the minimum for the first orders. */
export function startDoubts(
  { trust, market }: Pick<StartRead, "trust" | "market">,
  { confidence }: StartPlace,
): { code: string; message: string }[] {
  const closed = closedWarnings(market);
  if (!trust || confidence === undefined || trust.value >= confidence) return closed;
  const message = `nothing is placed now: the price's confidence is ${text(trust.value)}, below ${text(confidence)} (${trust.source})`;
  return [...closed, { code: "low_confidence", message }];
}
