import { type Decimal, ZERO } from "../../kernel/decimal.ts";
import { VenueError } from "../../kernel/errors.ts";
import type { Pair } from "../../kernel/pair.ts";
import { midOf } from "../../kernel/spread.ts";
import type { Confidence } from "../../model/memory.ts";
import type { Deps } from "../../ports/deps.ts";
import type { Kinds } from "../../ports/kind.ts";
import type { Reference } from "../../ports/reference.ts";
import type { Snapshot } from "../../ports/stores/step-store.ts";
import type { Venue } from "../../ports/venue.ts";
import { confidenceFrom, confidenceNow, isRecent } from "../reconcile/confidence.ts";
import { pricePair, thirdAssets } from "../reconcile/fee-value.ts";
import type { MarketSnapshot, Observation } from "../reconcile/observation.ts";
import { type Budget, spend } from "./budget.ts";
import { mayCreate } from "./may-create.ts";

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

type PriceReads = Pick<Observation, "markets" | "reports">;
const NOBODY: Reference = { prices: [], most: null, listed: false };

/** Returns the confidence in the prices for new orders; other sources are queried at most once a minute. */
export async function readConfidence(
  { reference, venue, kinds }: { reference: Deps["reference"]; venue: Venue; kinds: Kinds },
  snapshot: Snapshot,
  { markets, reports }: PriceReads,
  budget: Budget,
): Promise<ReadonlyMap<Pair, Confidence>> {
  const found = new Map<Pair, Confidence>();
  const { now } = snapshot.lease;
  for (const strategy of snapshot.strategies.filter(({ config }) => config.confidence !== undefined)) {
    const { symbol } = strategy;
    const quote = markets.get(symbol)?.quote;
    if (!quote || found.has(symbol)) continue;
    if (!mayCreate({ ...snapshot, strategies: [strategy] }, markets, reports, kinds)) continue;
    const last = snapshot.memory.confidence?.[symbol];
    const known = isRecent(last, now)
      ? last
      : confidenceFrom(await askReference(reference, { venue, symbol, budget }), {
          mid: midOf(quote),
          last,
          now,
        });
    // A simulated price belongs to the moment of the request, in simulated time.
    const isSimulated = venue.account.host === "";
    found.set(symbol, isSimulated ? known : confidenceNow(known, { quote, now }));
  }
  return found;
}

const askReference = async (
  reference: Deps["reference"],
  { venue, symbol, budget }: { venue: Venue; symbol: Pair; budget: Budget },
): Promise<Reference> =>
  reference ? spend(budget, () => reference(venue.account.exchange, symbol)) : NOBODY;
