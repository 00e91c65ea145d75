import { CHANGES_STRATEGY, changeable, changedOut, idInput } from "../../engine/operations/reads.ts";
import type { Pass } from "../../engine/pass/pass.ts";
import { runPassNow } from "../../engine/pass/round.ts";
import { type Decimal, mul, ONE, roundToStep, text } from "../../kernel/decimal.ts";
import { AppError } from "../../kernel/errors.ts";
import { questionBeforeStop, type StopRequest } from "../../kernel/fields.ts";
import { splitPair } from "../../kernel/pair.ts";
import { countWithVerb } from "../../kernel/plain-text.ts";
import { midOf } from "../../kernel/spread.ts";
import { exposureOf } from "../../limits/allowed.ts";
import {
  readExitsOnLoss,
  readMarketMid,
  readOpenBuys,
  readUnbookedBuys,
} from "../../limits/operations/exposed-reads.ts";
import { parseAccountKey } from "../../model/account.ts";
import { type ActorAndRequest, byOf } from "../../model/events.ts";
import { type Exposure, NO_EXPOSURE } from "../../model/proposal.ts";
import type { Strategy } from "../../model/strategy.ts";
import { type Operation, operation } from "../../operation.ts";
import type { Deps } from "../../ports/deps.ts";
import type { StrategyView } from "../../ports/stores/store.ts";
import { profitOf } from "../booking.ts";
import { gridViewsOf } from "../kind.ts";
import { layOutAnew, movesLadder, pendingEdit } from "../plan/moves.ts";
import { stopInput } from "../schema/input.ts";
import { StoppedShape, stopReasonOf } from "../schema/shapes.ts";
import { isDry, stoppedOut } from "../schema/status-answer.ts";
import { stopView } from "../schema/view.ts";
import type { EditInputs, PlannedEdit } from "../start/planned-edit.ts";
import {
  boundLeft,
  gridExposure,
  type InstantSale,
  pauseTexts,
  positionWithBuys,
  previewChange,
  saleOf,
  unbegunBase,
} from "../start/preview.ts";
import { mostMoved } from "../start/worst-case.ts";
import type { GridStrategy } from "../state/state.ts";

export const stopGrid = operation({
  name: "stop_grid",
  summary: "Stop a grid and cancel its orders",
  effect: "trade",
  access: "token",
  lane: "urgent",
  http: { route: "DELETE /strategy/grid", from: "body" },
  cli: {
    path: "grid stop",
    positional: ["id"],
    view: stopView,
    final: { shows: "get_grid_status", question: questionBeforeStop("grid") },
    examples: ["edgemaker grid stop grid-kraken-BTC-USDT-1767225600000"],
  },
  input: stopInput,
  output: StoppedShape,
  failure: "Cancel failed",
  async prepare(deps, { id, cancelOrders, ...flags }, call) {
    const { sellBase } = flags;
    const view = await gridViewById(deps, id);
    const how = cancelOrders ? "canceling its orders" : "leaving its orders";
    return {
      preview: async () =>
        previewChange(view, {
          sale: sellBase ? await readSale(deps, view) : undefined,
          text: sellBase ? "stop, selling its base," : `stop, ${how},`,
          killed: sellBase && (await deps.store.killed()),
        }),
      strategies: [id],
      exposure: sellBase ? () => readSaleExposure(deps, view.strategy) : NO_EXPOSURE,
      act: () => stopGridByHand(deps, view.strategy, { keepOrders: !cancelOrders, ...flags }, byOf(call)),
    };
  },
});

async function stopGridByHand(deps: Deps, strategy: GridStrategy, how: StopRequest, by: ActorAndRequest) {
  const { id } = strategy;
  let pass: Pass | undefined;
  if (strategy.status !== "stopped") {
    await deps.store.setWants(id, "stop", how, by);
    pass = await sweep(deps, strategy);
  }
  const view = await gridViewById(deps, id);
  const account = parseAccountKey(view.strategy.account);
  const left = how.keepOrders ? await deps.store.releasedOrdersOf(id) : undefined;
  return {
    success: true,
    id,
    message: stopMessage(deps, view, pass),
    summary: stoppedOut(view, deps.marketTime(account, view.now), left),
  };
}

/** Returns what selling the base would bring now; at the last stored price if this process cannot reach the exchange. */
async function readSale(deps: Deps, { strategy, memory }: StrategyView<GridStrategy>): Promise<InstantSale> {
  const venue = deps.venueOf(parseAccountKey(strategy.account));
  const mark = memory.marks[strategy.symbol]?.mid ?? strategy.state.startPrice;
  if (!venue) return saleOf(strategy, { mark });
  const [quote, book] = [await venue.ticker(strategy.symbol), await venue.book(strategy.symbol, 100)];
  return saleOf(strategy, { quote, book, mark });
}

export async function gridViewById({ store }: Deps, id: string): Promise<StrategyView<GridStrategy>> {
  const [view] = gridViewsOf(await store.strategies({ id }));
  if (!view) throw new AppError("Not found", `there is no strategy ${id}`);
  return view;
}

/** Runs another pass if the first one did not complete the stop, because a lookup must confirm that its orders ended. */
async function sweep(deps: Deps, { id, account }: Strategy): Promise<Pass | undefined> {
  const venue = deps.venueOf(parseAccountKey(account));
  if (!venue) return undefined;
  const pass = await runPassNow(deps, venue);
  const isOver = async () => (await gridViewById(deps, id)).strategy.status === "stopped";
  if ((pass.outcome !== "stepped" && pass.outcome !== "short") || (await isOver())) return pass;
  return runPassNow(deps, venue);
}

/** Describes the total result; the realized part alone could show a loss as a gain. */
function describeResult({ strategy: { state, symbol }, memory }: StrategyView<GridStrategy>): string {
  const { base, quote } = splitPair(symbol);
  const mark = memory.marks[symbol]?.mid;
  const { total, realized, position } = profitOf(state, mark ?? ONE);
  const cents = (value: Decimal) => text(roundToStep(value, ONE / 100n, "half"));
  if (position === 0n) return `total ${cents(total)} ${quote}`;
  if (mark === undefined)
    return `${cents(realized)} ${quote} realized; ${text(position)} ${base} stay in the account, at an unknown price`;
  const worth = `worth ${cents(mul(position, mark, "half"))} ${quote} at ${text(mark)}`;
  return `total ${cents(total)} ${quote}, of which ${cents(realized)} realized; ${text(position)} ${base} stay in the account, ${worth}`;
}

/** Describes a stop: its state, why the grid had ended before, and its result. */
function stopMessage(deps: Deps, view: StrategyView<GridStrategy>, pass: Pass | undefined): string {
  const { strategy, memory } = view;
  const reason = stopReasonOf(strategy, memory.marks[strategy.symbol]?.mid);
  return [describeState(deps, view, pass), ...(reason === null ? [] : [reason]), describeResult(view)].join(
    "; ",
  );
}

function describeState(
  { venueOf }: Deps,
  { strategy, openOrders, accountError }: StrategyView,
  pass: Pass | undefined,
): string {
  const { id, status, account, keepOrders } = strategy;
  if (status === "stopped")
    return keepOrders
      ? `${id} is stopped; its open orders are yours now`
      : `${id} is stopped and has no orders left`;
  if (!venueOf(parseAccountKey(account)))
    return `${id} stops at the next pass of a process that is configured for ${account}`;
  const why = accountError ? ` (${accountError})` : "";
  if (pass?.outcome === "failed" && pass.cancels)
    return `${id} is stopping: the exchange accepted the cancels of ${pass.cancels} orders, but their final state cannot be read yet${why}; the next passes finish it`;
  return `${id} is stopping: ${openOrders} of its orders could still be open${why}; the next passes finish the stop`;
}

/** Returns the exposure of a stop that sells: all base that it has or may already have bought. */
async function readSaleExposure(deps: Deps, strategy: GridStrategy): Promise<Exposure> {
  if (isDry(strategy) || strategy.status === "stopped") return NO_EXPOSURE;
  const { symbol, state } = strategy;
  const mid = await readMarketMid(deps, strategy);
  const base = positionWithBuys({ state, buys: await readOpenBuys(deps, strategy) });
  return exposureOf({ symbol, mid, parts: [{ base, quote: 0n }], exits: false });
}

/** Returns the exposure of a pause, including base that its stop price or a loss limit would have sold. */
async function readPauseExposure(deps: Deps, strategy: GridStrategy): Promise<Exposure> {
  const config = pendingEdit(strategy) ?? strategy.config;
  const isProtected = config.stopLossPrice !== undefined || (await readExitsOnLoss(deps, strategy));
  return isProtected ? readSaleExposure(deps, strategy) : NO_EXPOSURE;
}

/** Returns the exposure of a resumed grid: all that its configuration or a pending change allows. */
async function readResumeExposure(deps: Deps, strategy: GridStrategy): Promise<Exposure> {
  if (isDry(strategy)) return NO_EXPOSURE;
  const { symbol, state } = strategy;
  const venue = deps.venueOf(parseAccountKey(strategy.account));
  if (!venue) return exposureOf({ symbol, mid: undefined, parts: [], exits: false });
  const [market, quote] = [await venue.market(symbol), await venue.ticker(symbol)];
  const config = pendingEdit(strategy) ?? strategy.config;
  const isRelaid = movesLadder(strategy.config, config);
  return gridExposure({
    symbol,
    config,
    state,
    market,
    mid: midOf(quote),
    buys: await readUnbookedBuys(deps, strategy),
    laid: isRelaid ? layOutAnew(config, state, { market, quote }).slots : undefined,
    unbegun: strategy.phase === "starting" ? unbegunBase(strategy, market) : undefined,
    capital: boundLeft({ config, state }, symbol),
    exitsOnLoss: await readExitsOnLoss(deps, strategy),
  });
}

/** Returns the exposure of a changed grid, computed as for a new grid. */
export async function readEditExposure(
  deps: Deps,
  strategy: GridStrategy,
  { edited, state: laid }: PlannedEdit,
  { market, quote, balances }: EditInputs,
): Promise<Exposure> {
  if (isDry(strategy)) return NO_EXPOSURE;
  const { symbol, state } = strategy;
  const { config, isRelaid, warnings } = edited;
  const mid = midOf(quote);
  const begins = { config, state: laid, startPrice: mid, takingPrice: mid, market, balances };
  return gridExposure({
    symbol,
    config,
    state,
    market,
    mid,
    buys: await readUnbookedBuys(deps, strategy),
    laid: isRelaid ? laid.slots : undefined,
    capital: config.centered && (boundLeft({ config, state }, symbol) ?? mostMoved(begins)),
    exitsOnLoss: await readExitsOnLoss(deps, strategy),
    exitsAtOnce: warnings.some(({ code }) => code === "stops_at_once"),
  });
}

const PAUSE_OPERATION = {
  ...CHANGES_STRATEGY,
  input: idInput,
  failure: "Internal error",
} as const;

/** Returns a grid that a user can still pause. Throws AppError otherwise. */
const changeableGrid = async (deps: Deps, id: string) =>
  changeable(await gridViewById(deps, id), " and cannot be paused or resumed; start a new grid");

const failureOf = ({ outcome, message }: Pass): string => {
  if (outcome === "failed") return `; its pass failed (${message}) and is tried again`;
  return outcome === "busy" ? "; the next pass applies it" : "";
};

const notedElsewhere = ({ strategy }: StrategyView): string =>
  `; a process that is configured for ${strategy.account} applies it`;

const pauseGrid = operation({
  ...PAUSE_OPERATION,
  name: "pause_grid",
  summary: "Pause a grid: place nothing new, and leave orders open",
  http: { route: "POST /strategy/grid/:id/pause", from: "body" },
  cli: {
    path: "grid pause",
    positional: ["id"],
    examples: ["edgemaker grid pause grid-kraken-BTC-USDT-1767225600000"],
  },
  async prepare(deps, { id }, call) {
    const before = await changeableGrid(deps, id);
    return {
      preview: async () =>
        previewChange(before, {
          text: "pause: open orders stay, and stop prices are not watched,",
          notes: pauseTexts(before.strategy.config, splitPair(before.strategy.symbol).quote),
        }),
      strategies: [id],
      exposure: () => readPauseExposure(deps, before.strategy),
      async act() {
        await deps.store.setPaused(id, true, byOf(call));
        const { view, pass } = await passed(deps, id);
        const why = pass ? failureOf(pass) : notedElsewhere(view);
        return changedOut(view, pauseMessage(view, why), view.strategy.wants === "pause");
      },
    };
  },
});

const resumeGrid = operation({
  ...PAUSE_OPERATION,
  name: "resume_grid",
  summary: "Resume a grid that is paused or in error",
  http: { route: "POST /strategy/grid/:id/resume", from: "body" },
  cli: {
    path: "grid resume",
    positional: ["id"],
    steps: true,
    examples: ["edgemaker grid resume grid-kraken-BTC-USDT-1767225600000"],
  },
  async prepare(deps, { id }, call) {
    const before = await changeableGrid(deps, id);
    return {
      preview: async () =>
        previewChange(before, {
          text: "resume, placing what is missing,",
          notes: ["it resumes the grid: its slots sell and buy again"],
          buys: true,
          killed: await deps.store.killed(),
        }),
      strategies: [id],
      exposure: () => readResumeExposure(deps, before.strategy),
      act: () => resumeByHand(deps, id, byOf(call)),
    };
  },
});

async function resumeByHand(deps: Deps, id: string, by: ActorAndRequest) {
  await deps.store.setPaused(id, false, by);
  const { view, pass } = await passed(deps, id);
  const { status, wants, lastError } = view.strategy;
  if (status === "error") return changedOut(view, `${id} is in error again: ${lastError}`, false);
  const why = pass ? failureOf(pass) : notedElsewhere(view);
  const isRunning = wants === "run";
  return changedOut(view, isRunning ? `${id} is resumed${why}` : pauseMessage(view, why), isRunning);
}

async function passed(deps: Deps, id: string): Promise<{ view: StrategyView; pass: Pass | undefined }> {
  const { strategy } = await gridViewById(deps, id);
  const venue = deps.venueOf(parseAccountKey(strategy.account));
  const pass = venue && (await runPassNow(deps, venue));
  return { view: await gridViewById(deps, id), pass };
}

function pauseMessage({ strategy: { id, wants }, openOrders }: StrategyView, why: string): string {
  if (wants === "stop") return `${id} is stopping${why}`;
  if (wants === "run") return `${id} is running: it was resumed${why}`;
  return `${id} is paused: nothing new is placed, ${countWithVerb(openOrders, "order", "stays", "stay")} open, and stop and take-profit prices are not watched${why}`;
}

export const pauseOperations: readonly Operation[] = [pauseGrid, resumeGrid];
