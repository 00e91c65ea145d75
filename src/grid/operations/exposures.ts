/** Computes what a change of a running grid can sell and buy. */

import { midOf } from "../../kernel/spread.ts";
import { exposureOf } from "../../limits/exposure.ts";
import {
  readExitsOnLoss,
  readMarketMid,
  readOpenBuys,
  readUnbookedBuys,
} from "../../limits/operations/exposed-reads.ts";
import { parseAccountKey } from "../../model/account.ts";
import { type Exposure, TRADES_NOTHING } from "../../model/proposal.ts";
import type { Deps } from "../../ports/deps.ts";
import { movesLadder, pendingEdit } from "../plan/edit.ts";
import { layOutAnew } from "../plan/rebuild.ts";
import { isDry } from "../schema/status-answer.ts";
import { boundLeft, gridExposure, positionWithBuys, unbegunBase } from "../start/exposure.ts";
import type { EditInputs, PlannedEdit } from "../start/planned-edit.ts";
import { mostMoved } from "../start/worst-case.ts";
import type { GridStrategy } from "../state/state.ts";

/** Returns all base that it has or may already have bought. */
export async function readSaleExposure(deps: Deps, strategy: GridStrategy): Promise<Exposure> {
  if (isDry(strategy) || strategy.status === "stopped") return TRADES_NOTHING;
  const { symbol, state } = strategy;
  const mid = await readMarketMid(deps, strategy);
  const base = positionWithBuys({ state, buys: await readOpenBuys(deps, strategy) });
  return exposureOf({ symbol, mid, parts: [{ base, quote: 0n }], exits: false });
}

/** Returns the exposure of a pause, including base that its stop price or a loss limit would have sold. */
export async function readPauseExposure(deps: Deps, strategy: GridStrategy): Promise<Exposure> {
  const config = pendingEdit(strategy) ?? strategy.config;
  const isProtected = config.stopLossPrice !== undefined || (await readExitsOnLoss(deps, strategy));
  return isProtected ? readSaleExposure(deps, strategy) : TRADES_NOTHING;
}

/** Returns the exposure of a resumed grid: all that its configuration or a pending change allows. */
export async function readResumeExposure(deps: Deps, strategy: GridStrategy): Promise<Exposure> {
  if (isDry(strategy)) return TRADES_NOTHING;
  const { symbol, state } = strategy;
  const venue = deps.venueOf(parseAccountKey(strategy.account));
  if (!venue) return exposureOf({ symbol, mid: undefined, parts: [], exits: false });
  const [market, quote] = [await venue.market(symbol), await venue.ticker(symbol)];
  const config = pendingEdit(strategy) ?? strategy.config;
  const isRelaid = movesLadder(strategy.config, config);
  return gridExposure({
    ...{ symbol, config, state, market, mid: midOf(quote) },
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
  if (isDry(strategy)) return TRADES_NOTHING;
  const { symbol, state } = strategy;
  const { config, isRelaid, warnings } = edited;
  const mid = midOf(quote);
  const begins = { config, state: laid, startPrice: mid, takingPrice: mid, market, balances };
  return gridExposure({
    ...{ symbol, config, state, market, mid },
    buys: await readUnbookedBuys(deps, strategy),
    laid: isRelaid ? laid.slots : undefined,
    capital: config.centered && (boundLeft({ config, state }, symbol) ?? mostMoved(begins)),
    exitsOnLoss: await readExitsOnLoss(deps, strategy),
    exitsAtOnce: warnings.some(({ code }) => code === "stops_at_once"),
  });
}
