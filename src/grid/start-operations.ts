import { AppError } from "../errors.ts";
import { type Decimal, text } from "../kernel/decimal.ts";
import { type Pair, splitPair } from "../kernel/pair.ts";
import { MINUTE } from "../kernel/time.ts";
import { operation } from "../operation.ts";
import type { Deps, DryBalances, DryRuns, Quote, Reference, Venue } from "../ports.ts";
import { accountKey, type Confidence } from "../records.ts";
import type { StrategyView } from "../store.ts";
import { centeredOf, rangeOf } from "./asked.ts";
import { heldInAll } from "./booking.ts";
import { type Checked, check, checkCentered } from "./check.ts";
import { confidenceAt } from "./confidence.ts";
import { centeredInput, centeredPreviewInput, rangeInput, rangePreviewInput } from "./input.ts";
import { checkHash, firstState, plannedOut, planStart, type StartWorld } from "./planned-start.ts";
import { previewStart } from "./preview.ts";
import { configOut, PlannedShape, StartedShape } from "./schema.ts";
import type { GridState } from "./state.ts";
import { stepNow } from "./tick.ts";
import { startTold } from "./told.ts";

type Where = {
  readonly exchange: string;
  readonly symbol: Pair;
  readonly confidence?: Decimal | undefined;
  readonly dryRun?: boolean | undefined;
  readonly dryBalance?: Readonly<Record<string, Decimal>> | undefined;
};

interface Read {
  readonly venue: Venue;
  readonly trust: Confidence | undefined;
}

const NO_REFERENCE: Reference = { prices: [], most: null, listed: false };

/** What a start has to know of the account and its market. */
async function readWorld(deps: Deps, where: Where): Promise<StartWorld & Read> {
  const { exchange, symbol, dryRun } = where;
  const dry = dryRun ? dryRunsOf(deps) : undefined;
  const venue = dry ? dry.venue(exchange) : deps.venue(exchange);
  const market = await venue.market(symbol);
  const quote = await venue.ticker(symbol);
  const balances = dry ? await dry.balances(exchange, first(where)) : await venue.balances();
  const views = await gridsOf(deps, venue);
  const claimed = views
    .filter(({ strategy }) => splitPair(strategy.symbol).base === market.base)
    .reduce((total, { strategy }) => total + heldInAll(strategy.state), 0n);
  const trust = where.confidence === undefined ? undefined : await readTrust(deps, venue, quote, symbol);
  const killed = await deps.store.killed();
  return { venue, market, quote, balances, claimed, killed, trust, confidence: trust?.value };
}

function dryRunsOf({ dry }: Deps): DryRuns {
  if (!dry) throw new AppError("Start failed", "nothing trades on paper here");
  return dry;
}

const first = ({ symbol, dryBalance }: Where): DryBalances => ({
  given: dryBalance,
  quote: splitPair(symbol).quote,
});

async function gridsOf({ store }: Deps, { account }: Venue): Promise<StrategyView[]> {
  const views = await store.strategies({ stopped: false });
  return views.filter(({ strategy }) => strategy.account === accountKey(account));
}

/** Other balances are for an account that nothing trades on: what a grid of it holds would be gone. */
async function fund(deps: Deps, where: Where, venue: Venue): Promise<void> {
  const { exchange, dryRun, dryBalance } = where;
  if (dryBalance && !dryRun) throw new AppError("Invalid request", "dryBalance is for a dryRun");
  if (!dryRun) return;
  if (dryBalance && (await gridsOf(deps, venue)).length > 0)
    throw new AppError(
      "Conflict",
      `a dry run on ${exchange} holds its balances: stop it, or leave dryBalance out`,
    );
  await dryRunsOf(deps).fund(exchange, first(where));
}

async function readTrust(deps: Deps, { account }: Venue, quote: Quote, symbol: Pair): Promise<Confidence> {
  const reference = (await deps.reference?.(account.exchange, symbol)) ?? NO_REFERENCE;
  return confidenceAt(quote, { reference, now: deps.marketTime(account, await deps.store.now()) });
}

/** What a price is trusted below the least that is asked for would mean for the first orders. */
function doubts({ trust }: Read, { confidence }: Where): { code: string; message: string }[] {
  if (!trust || confidence === undefined || trust.value >= confidence) return [];
  const message = `nothing is placed now: the price's confidence is ${text(trust.value)}, below ${text(confidence)} (${trust.source})`;
  return [{ code: "low_confidence", message }];
}

interface Asking {
  readonly where: Where;
  /** Checks what was asked for, with funds or without. */
  readonly checked: (world: StartWorld, withFunds: boolean) => Checked;
  readonly planHash?: string | undefined;
  readonly request: string | null;
}

async function start(deps: Deps, { where, checked: checkIn, planHash, request }: Asking) {
  const world = await readWorld(deps, where);
  const checked = checkIn(world, true);
  checkHash(planStart(checked, world), planHash);
  if (world.killed)
    throw new AppError("Forbidden", "the kill switch is on: no grid is started; turn it off to trade again");
  const { exchange, symbol } = where;
  const { base, quote } = splitPair(symbol);
  const { venue } = world;
  await fund(deps, where, venue);
  const isWaiting = checked.config.triggerPrice !== undefined;
  const created = await deps.store.createStrategy({
    config: checked.config,
    state: await withHistory(venue, symbol, checked, firstState(checked, world.quote.at)),
    wants: "run",
    keepOrders: false,
    sellBase: false,
    status: isWaiting ? "idle" : "running",
    phase: "starting",
    lastError: null,
    stoppedAt: null,
    prefix: `grid-${exchange}-${base}-${quote}`,
    account: accountKey(venue.account),
    symbol,
    startedAt: world.quote.at,
    request,
  });
  const pass = await stepNow(deps, venue);
  const [view] = await deps.store.strategies({ id: created.id });
  const { id, status, phase, config } = view?.strategy ?? created;
  return {
    id,
    status,
    phase,
    message: startTold({ id, status, phase, config }, pass),
    config: configOut(exchange, created),
    warnings: [...checked.warnings, ...doubts(world, where)],
  };
}

/** The last hour's prices, by which volatility is known from the first minute on; without them it is once they are there. */
async function withHistory(
  venue: Venue,
  symbol: Pair,
  { config }: Checked,
  state: GridState,
): Promise<GridState> {
  if (!config.centered?.volatility) return state;
  const candles = await venue.candles(symbol, { span: MINUTE, limit: 60 }).catch(() => []);
  const mids = candles.map(({ at, close }) => ({ at: at + MINUTE, mid: close }));
  return { ...state, mids: mids.filter(({ at }) => at <= state.laidAt) };
}

async function preview(deps: Deps, where: Where, checkIn: Asking["checked"]) {
  const world = await readWorld(deps, where);
  const checked = checkIn(world, false);
  const config = configOut(where.exchange, { symbol: where.symbol, config: checked.config });
  const planned = plannedOut(planStart(checked, world), world);
  return { config, ...planned, warnings: [...planned.warnings, ...doubts(world, where)] };
}

async function previewForAgents(deps: Deps, where: Where, checkIn: Asking["checked"]) {
  const world = await readWorld(deps, where);
  const { market, killed } = world;
  return previewStart(checkIn(world, true), { exchange: where.exchange, market, killed });
}

const STARTS = {
  effect: "trade",
  access: "token",
  output: StartedShape,
  failure: "Start failed",
} as const;

const READS = {
  effect: "read",
  access: "token",
  output: PlannedShape,
  failure: "Start failed",
} as const;

const RANGE_FLAGS = {
  lowerPrice: "lower",
  upperPrice: "upper",
  gridLevels: "levels",
  orderSize: "size",
  gridSpacing: "spacing",
} as const;

const EXAMPLE = "--exchange kraken --symbol BTC/USDT --lower 57000 --upper 63000 --levels 12 --size 100";

const checkRange =
  (asked: Parameters<typeof rangeOf>[0]): Asking["checked"] =>
  ({ market, quote, balances }, withFunds) =>
    check(rangeOf(asked), { market, quote, balances: withFunds ? balances : undefined });

const checkAround =
  (asked: Parameters<typeof centeredOf>[0]): Asking["checked"] =>
  ({ market, quote, balances }, withFunds) =>
    checkCentered(centeredOf(asked), { market, quote, balances: withFunds ? balances : undefined });

export const startGrid = (ids: readonly string[]) =>
  operation({
    ...STARTS,
    name: "start_grid",
    summary: "Start a grid between two prices",
    http: { route: "POST /strategy/grid", from: "body", idempotent: true },
    cli: {
      path: "grid start",
      flags: RANGE_FLAGS,
      defaults: { allowLoss: false },
      steps: true,
      examples: [`edgemaker grid start ${EXAMPLE}`],
    },
    input: rangeInput(ids),
    preview: (deps, { planHash: _, ...asked }) => previewForAgents(deps, asked, checkRange(asked)),
    run: (deps, { planHash, ...asked }, { requestKey = null }) =>
      start(deps, { where: asked, checked: checkRange(asked), planHash, request: requestKey }),
  });

export const previewGrid = (ids: readonly string[]) =>
  operation({
    ...READS,
    name: "preview_grid",
    summary: "What starting a grid between two prices would place, cost and risk",
    http: { route: "POST /strategy/grid/preview", from: "body" },
    cli: {
      path: "grid preview",
      flags: RANGE_FLAGS,
      defaults: { allowLoss: false },
      examples: [`edgemaker grid preview ${EXAMPLE}`],
    },
    input: rangePreviewInput(ids),
    run: (deps, asked) => preview(deps, asked, checkRange(asked)),
  });

export const startCenteredGrid = (ids: readonly string[]) =>
  operation({
    ...STARTS,
    name: "start_centered_grid",
    summary: "Start a grid around the market price that follows it",
    http: { route: "POST /strategy/grid/centered", from: "body", idempotent: true },
    input: centeredInput(ids),
    preview: (deps, { planHash: _, ...asked }) => previewForAgents(deps, asked, checkAround(asked)),
    run: (deps, { planHash, ...asked }, { requestKey = null }) =>
      start(deps, { where: asked, checked: checkAround(asked), planHash, request: requestKey }),
  });

export const previewCenteredGrid = (ids: readonly string[]) =>
  operation({
    ...READS,
    name: "preview_centered_grid",
    summary: "What starting a grid around the market price would place, cost and risk",
    http: { route: "POST /strategy/grid/centered/preview", from: "body" },
    input: centeredPreviewInput(ids),
    run: (deps, asked) => preview(deps, asked, checkAround(asked)),
  });
