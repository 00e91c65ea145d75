/** Reads what a running position can sell and buy. */

import { parseAccountKey } from "../../model/account.ts";
import { type Exposure, TRADES_NOTHING } from "../../model/proposal.ts";
import { exposureOf } from "../exposure.ts";
import { baseWithBids, type Positioned, type PositionMarket, positionExposure } from "../position.ts";
import {
  type ExposedAccounts,
  readExitsOnLoss,
  readMarketMid,
  readOpenBuys,
  readUnbookedBuys,
} from "./exposed-reads.ts";

const isOnPaper = ({ account }: Positioned): boolean => parseAccountKey(account).kind === "dry";

/** Returns all base that it has or may already have bought. */
export async function readPositionSale(deps: ExposedAccounts, strategy: Positioned): Promise<Exposure> {
  if (isOnPaper(strategy) || strategy.status === "stopped") return TRADES_NOTHING;
  const mid = await readMarketMid(deps, strategy);
  const base = baseWithBids(strategy, await readOpenBuys(deps, strategy));
  return exposureOf({ symbol: strategy.symbol, mid, parts: [{ base, quote: 0n }], exits: false });
}

/** Returns the exposure of a pause, including base that a loss limit would have sold. */
export const readPositionPause = async (deps: ExposedAccounts, strategy: Positioned): Promise<Exposure> =>
  (await readExitsOnLoss(deps, strategy)) ? readPositionSale(deps, strategy) : TRADES_NOTHING;

/** Returns the exposure of a running strategy: all that its budget allows. */
export async function readPositionExposure(
  deps: ExposedAccounts,
  strategy: Positioned,
  { largest }: Pick<PositionMarket, "largest"> = {},
): Promise<Exposure> {
  if (isOnPaper(strategy)) return TRADES_NOTHING;
  return positionExposure(strategy, {
    mid: await readMarketMid(deps, strategy),
    buys: await readUnbookedBuys(deps, strategy),
    exitsOnLoss: await readExitsOnLoss(deps, strategy),
    largest,
  });
}
