import { type Decimal, ZERO } from "../../kernel/decimal.ts";
import { VenueError } from "../../kernel/errors.ts";
import type { Pair } from "../../kernel/pair.ts";
import { midOf } from "../../kernel/spread.ts";
import type { Venue } from "../../ports/venue.ts";
import { pricePair, thirdAssets } from "../reconcile/fee-values.ts";
import type { MarketSnapshot } from "../reconcile/reconcile.ts";
import { type Budget, spend } from "./budget.ts";

/**
 * Returns mid prices for assets other than base and quote in which new fees were charged. Omits pairs that the
 * exchange does not list. If the market itself is unknown, the pass ends, because the fee has no value.
 */
export async function readFeePrices(
  venue: Venue,
  markets: ReadonlyMap<Pair, MarketSnapshot>,
  budget: Budget,
): Promise<ReadonlyMap<Pair, Decimal>> {
  const mids = new Map<Pair, Decimal>();
  for (const [symbol, { trades, market }] of markets) {
    const fees = trades.flatMap((trade) => trade.fees);
    for (const asset of thirdAssets(symbol, fees)) {
      const pair = pricePair(asset, symbol);
      const mid = mids.get(pair) ?? (await readMid(venue, pair, budget));
      if (mid !== undefined) mids.set(pair, mid);
      else if (!market)
        throw new VenueError("unavailable", `a fee in ${asset} cannot be valued: ${symbol} was not read`);
    }
  }
  return mids;
}

async function readMid(venue: Venue, pair: Pair, budget: Budget): Promise<Decimal | undefined> {
  if (budget.left <= 0) return undefined;
  try {
    const mid = midOf(await spend(budget, () => venue.ticker(pair)));
    return mid > ZERO ? mid : undefined;
  } catch (error) {
    if (!(error instanceof VenueError)) throw error;
    return undefined;
  }
}
