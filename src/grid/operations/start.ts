import {
  balancesForStart,
  closedWarnings,
  readKept,
  strategiesOn,
  type TradingPlace,
  venueForStart,
} from "../../engine/operations/start-reads.ts";
import { confidenceAt } from "../../engine/reconcile/confidence.ts";
import { type Decimal, text } from "../../kernel/decimal.ts";
import { AppError, VenueError } from "../../kernel/errors.ts";
import type { Pair } from "../../kernel/pair.ts";
import { MINUTE } from "../../kernel/time.ts";
import { limitError } from "../../limits/allowed.ts";
import { readStandings } from "../../limits/operations/exposed-reads.ts";
import { parseAccountKey } from "../../model/account.ts";
import type { Bounds } from "../../model/limits.ts";
import type { BidAsk } from "../../model/market.ts";
import type { Confidence } from "../../model/memory.ts";
import { priceOfPlan } from "../../model/shown-plan.ts";
import { type Call, operation, type PreparedCall } from "../../operation.ts";
import type { Deps } from "../../ports/deps.ts";
import type { Kind, StrategyDeps } from "../../ports/kind.ts";
import type { PlanReader, ReadyStart, Started, StartRequest } from "../../ports/plan.ts";
import type { Reference, Venue } from "../../ports/venue.ts";
import { rangeInput } from "../schema/input.ts";
import { StartedShape } from "../schema/schema.ts";
import { configOut } from "../schema/status-answer.ts";
import { type Checked, centeredOf, checkCentered, checkStart, requestedRangeOf } from "../start/check.ts";
import {
  beyondLimits,
  firstState,
  gridFacts,
  planStart,
  type StartInputs,
  startSums,
} from "../start/planned-start.ts";
import { exposureOfStart, withBound } from "../start/preview.ts";
import { mostQuote } from "../start/worst-case.ts";
import { type GridState, type GridStrategy, NO_LEDGER, STORED_GRID } from "../state/state.ts";
import { gridViewById } from "./exposures.ts";
import { readLastWeek } from "./past.ts";

const NO_REFERENCE: Reference = { prices: [], maxConfidence: null, listed: false };

/** The start of every strategy, which `src/lifecycle` has. */
export type PrepareStart = <A>(
  deps: Deps,
  kind: Kind,
  start: { readonly request: StartRequest; readonly reader: PlanReader; readonly call: Call },
  answer: (started: Started) => Promise<A>,
) => Promise<PreparedCall<A>>;

/** Starts a grid by the contract's route: the start of every strategy, with the contract's body and response. */
export const startGrid = (ids: readonly string[], prepareStart: PrepareStart) =>
  operation({
    effect: "trade",
    access: "token",
    failure: "Start failed",
    name: "start_grid",
    summary: "Start a grid between two prices",
    hasNoTool: true,
    http: { route: "POST /strategy/grid", from: "body", idempotent: true },
    input: () => rangeInput(ids),
    output: StartedShape,
    prepare(deps, { planHash, exchange, symbol, dryRun, dryBalance, name, ...config }, call) {
      const place = { exchange, symbol, dryRun, dryBalance, name };
      const request = { ...place, definition: STORED_GRID.name, config };
      const reader = { actor: call.actor, planHash, isShown: false };
      const kind = deps.kinds(STORED_GRID.name);
      return prepareStart(deps, kind, { request, reader, call }, async (started) => {
        const { strategy } = await gridViewById(deps, started.id);
        const { id, status, phase } = strategy;
        const { message, uses, warnings } = started;
        return {
          id,
          status,
          phase,
          message,
          config: configOut(exchange, strategy),
          maxQuoteUsed: text(uses.quote),
          ownBaseUsed: text(uses.base),
          warnings: warnings.map((warning) => ({ ...warning })),
        };
      });
    },
  });

/** Returns the range or the centered grid of a config. */
function checkedConfig(
  { config }: Pick<StartRequest, "config">,
  { market, quote, balances }: StartInputs,
  { isShown, planHash }: Pick<PlanReader, "isShown" | "planHash">,
): Checked {
  const inputs = { market, quote, balances: isShown ? undefined : balances };
  const { geometry, ...settings } = config;
  return geometry === "centered"
    ? checkCentered(centeredOf(settings as CenteredSettings), inputs, priceOfPlan(planHash))
    : checkStart(requestedRangeOf(settings as RangeSettings), inputs, priceOfPlan(planHash));
}

type CenteredSettings = Parameters<typeof centeredOf>[0];
type RangeSettings = Parameters<typeof requestedRangeOf>[0];

/** Reads what a start needs, and plans it. Throws AppError if the request does not allow it. */
export async function readGridStart(
  deps: StrategyDeps,
  request: StartRequest,
  reader: PlanReader,
): Promise<ReadyStart> {
  if (request.baseBudget !== undefined || request.quoteBudget !== undefined)
    throw new AppError(
      "Invalid request",
      "a grid has no budget: it uses its order size in each slot; set a smaller order size or fewer levels",
    );
  const where = { ...request, confidence: request.config.confidence as Decimal | undefined };
  const start = await readForStart(deps, where, reader.actor);
  const planned = planStart(checkedConfig(request, start, reader), start);
  const exposure = exposureOfStart(planned, start);
  const { checked } = planned;
  const sums = startSums(planned, start);
  return {
    ...sums,
    venue: start.venue,
    warnings: [...sums.warnings, ...startDoubts(start, where)],
    exposure: () => exposure,
    facts: async () => gridFacts(planned, start, await readLastWeek(start.venue, where.symbol)),
    check() {
      const refused = beyondLimits(planned, start);
      if (refused) throw limitError(refused);
    },
    async begin(isLimited) {
      const { venue, quote } = start;
      const config = isLimited ? withBound(exposure, checked.config, NO_LEDGER) : checked.config;
      return {
        version: STORED_GRID.version,
        config,
        state: await withHistory(venue, where.symbol, checked, firstState(checked, quote)),
        status: config.triggerPrice !== undefined ? "idle" : "running",
        prefix: STORED_GRID.name,
        startedAt: quote.at,
      };
    },
  };
}

/** Returns what a running grid can use, at current balances. */
export async function readGridUse(deps: StrategyDeps, { account, symbol, config, state }: GridStrategy) {
  const { exchange, kind } = parseAccountKey(account);
  const venue = venueForStart(deps, { exchange, symbol, dryRun: kind === "dry" });
  const { startPrice, ledger } = state;
  const [market, balances] = [await venue.market(symbol), await venue.balances()];
  const begins = { config, state, startPrice, takingPrice: startPrice, market, balances };
  return { quote: mostQuote(begins), base: ledger.firstBase };
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
  deps: StrategyDeps,
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

async function readTrust(
  deps: StrategyDeps,
  { account }: Venue,
  quote: BidAsk,
  symbol: Pair,
): Promise<Confidence> {
  const reference = (await deps.reference?.(account.exchange, symbol)) ?? NO_REFERENCE;
  // A simulated price belongs to the moment of the request, in simulated time.
  const now = account.host === "" ? quote.at : deps.marketTime(account, await deps.store.now());
  return confidenceAt(quote, { reference, now });
}

/** Returns warnings if the pair is closed, or if the price confidence is below the minimum for the first orders. */
export function startDoubts(
  { trust, market }: Pick<StartReading & StartInputs, "trust" | "market">,
  { confidence }: StartPlace,
): { code: string; message: string }[] {
  const closed = closedWarnings(market);
  if (!trust || confidence === undefined || trust.value >= confidence) return closed;
  const message = `nothing is placed now: the price's confidence is ${text(trust.value)}, below ${text(confidence)} (${trust.source})`;
  return [...closed, { code: "low_confidence", message }];
}
