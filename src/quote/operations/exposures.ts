/** What changes of running quotes can sell and buy, with what has to be read for that. */

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
import { requestedChange } from "../pass/begin.ts";
import { heldAndBid, quoteExposure } from "../start/exposure.ts";
import type { QuoteConfig, QuoteStrategy } from "../state/state.ts";

const isPaperQuote = ({ account }: QuoteStrategy): boolean => parseAccountKey(account).kind === "dry";

/** All base that they hold, or may have bought already. */
export async function readQuoteSale(deps: Deps, strategy: QuoteStrategy): Promise<Exposure> {
  if (isPaperQuote(strategy) || strategy.status === "stopped") return TRADES_NOTHING;
  const mid = await readMarketMid(deps, strategy);
  const base = heldAndBid(strategy, await readOpenBuys(deps, strategy));
  return exposureOf({ symbol: strategy.symbol, mid, parts: [{ base, quote: 0n }], exits: false });
}

/** A pause counts the base that a loss limit would have sold. */
export const readQuotePause = async (deps: Deps, strategy: QuoteStrategy): Promise<Exposure> =>
  (await readExitsOnLoss(deps, strategy)) ? readQuoteSale(deps, strategy) : TRADES_NOTHING;

/** Quotes that go on, as they are or as a change makes them, do all that their budget lets them do. */
export async function readQuotesExposure(
  deps: Deps,
  strategy: QuoteStrategy,
  config: QuoteConfig = requestedChange(strategy) ?? strategy.config,
): Promise<Exposure> {
  if (isPaperQuote(strategy)) return TRADES_NOTHING;
  return quoteExposure(
    { ...strategy, config },
    {
      mid: await readMarketMid(deps, strategy),
      buys: await readUnbookedBuys(deps, strategy),
      exitsOnLoss: await readExitsOnLoss(deps, strategy),
    },
  );
}
