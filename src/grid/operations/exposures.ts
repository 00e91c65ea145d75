/** What a running or changed grid can sell and buy. */
import { willSellAtOnce } from "../../engine/decide/ending.ts";
import { AppError } from "../../kernel/errors.ts";
import { midOf } from "../../kernel/spread.ts";
import { exposureOf } from "../../limits/allowed.ts";
import { readExitsOnLoss, readUnbookedBuys } from "../../limits/operations/exposed-reads.ts";
import { parseAccountKey } from "../../model/account.ts";
import { type Exposure, NO_EXPOSURE } from "../../model/proposal.ts";
import { pendingEdit } from "../../model/strategy.ts";
import type { StrategyDeps } from "../../ports/kind.ts";
import type { StrategyView } from "../../ports/stores/store.ts";
import { layOutAnew, movesLadder } from "../plan/moves.ts";
import { isDry } from "../schema/status-answer.ts";
import type { EditInputs, PlannedGridEdit } from "../start/planned-edit.ts";
import { boundLeft, gridExposure, unbegunBase } from "../start/preview.ts";
import { mostMoved } from "../start/worst-case.ts";
import { type GridStrategy, gridViewsOf } from "../state/state.ts";

export async function gridViewById(
  { store }: Pick<StrategyDeps, "store">,
  id: string,
): Promise<StrategyView<GridStrategy>> {
  const [view] = gridViewsOf(await store.strategies({ id }));
  if (!view) throw new AppError("Not found", `there is no strategy ${id}`);
  return view;
}

/** Returns the exposure of a resumed grid: all that its configuration or a pending change allows. */
export async function readResumeExposure(deps: StrategyDeps, strategy: GridStrategy): Promise<Exposure> {
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
  deps: StrategyDeps,
  strategy: GridStrategy,
  { edited, state: laid }: PlannedGridEdit,
  { market, quote, balances }: EditInputs,
): Promise<Exposure> {
  if (isDry(strategy)) return NO_EXPOSURE;
  const { symbol, state } = strategy;
  const { config, isRelaid } = edited;
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
    exitsAtOnce: willSellAtOnce({ config, state }, mid),
  });
}
