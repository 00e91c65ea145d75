import { VenueError } from "../errors.ts";
import { type Decimal, ZERO } from "../kernel/decimal.ts";
import type { Pair } from "../kernel/pair.ts";
import { midOf } from "../kernel/spread.ts";
import type { Venue } from "../ports.ts";
import { type Budget, spend } from "./budget.ts";
import { pricePair, thirdAssets } from "./fee-value.ts";
import type { MarketSight } from "./observation.ts";

/**
 * The venue's mids for the assets in which new trades were charged beside base and quote. A pair that it does
 * not tell is left out; where the market itself is not known either the pass ends, as nothing tells the worth.
 */
export async function readFeePrices(
  venue: Venue,
  markets: ReadonlyMap<Pair, MarketSight>,
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
