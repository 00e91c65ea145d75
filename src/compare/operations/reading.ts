import { isChainToken } from "../../kernel/chain-token.ts";
import { AppError, VenueError } from "../../kernel/errors.ts";
import { type Pair, splitPair } from "../../kernel/pair.ts";
import type { Market } from "../../model/market.ts";
import type { Deps } from "../../ports/deps.ts";
import { forAnyone } from "../../ports/for-anyone.ts";
import { marketNow } from "../../ports/market-now.ts";
import type { Venue } from "../../ports/venue.ts";
import { poolPlaces, venuePlace } from "../places.ts";
import type { PricedPlace } from "../schema.ts";

/** Result of one source: places, an unlisted symbol, or a failure. */
export interface PlacesRead {
  readonly exchange: string;
  readonly places: readonly PricedPlace[];
  readonly unlisted?: boolean;
  readonly error?: string;
}

const COMPARED_LEVELS = 100;
const CHAIN = "dex";

interface MarketRequest {
  readonly exchange: string;
  readonly symbol: Pair;
  /** Whether the caller is allowed to see the account's own fees. */
  readonly ownFees: boolean;
}

/** Reads ticker, book and rules of one venue within one time limit. */
export const readVenue = (
  { venue, inTime }: Deps,
  { exchange, symbol, ownFees }: MarketRequest,
): Promise<PlacesRead> =>
  readPlaces(exchange, () =>
    inTime(exchange, async () => {
      const place = venue(exchange);
      const data = forAnyone(place);
      const [ticker, book, market] = await Promise.all([
        data.ticker(symbol),
        data.book(symbol, COMPARED_LEVELS),
        ownFees ? place.market(symbol) : publicMarket(place, symbol),
      ]);
      return [venuePlace({ exchange, ticker, book, market })];
    }),
  );

// An account's own fees reveal how much it trades, and reading them uses its keys: neither is for callers without a
// token.
const publicMarket = (venue: Venue, symbol: Pair): Promise<Market> =>
  venue.forAnyone ? venue.forAnyone.market(symbol) : (venue.listed ?? venue.market)(symbol);

/** Returns the pools of a token against USDT; the chain lists nothing else. */
export async function readChain(deps: Deps, symbol: Pair): Promise<PlacesRead> {
  const { base, quote } = splitPair(symbol);
  if (!isChainToken(base) || quote !== "USDT") return { exchange: CHAIN, places: [], unlisted: true };
  return readPlaces(CHAIN, async () => poolPlaces(await deps.dex.market(base), await marketNow(deps)));
}

async function readPlaces(
  exchange: string,
  read: () => Promise<readonly PricedPlace[]>,
): Promise<PlacesRead> {
  try {
    return { exchange, places: await read() };
  } catch (error) {
    if (!(error instanceof VenueError)) throw error;
    if (error.failure === "unlisted") return { exchange, places: [], unlisted: true };
    return { exchange, places: [], error: error.message };
  }
}

/** Returns all places, or throws the contract's failure: if every venue failed, or one without `partial`. */
export function allPlaces(
  readings: readonly PlacesRead[],
  { symbol, partial }: { symbol: Pair; partial: boolean },
) {
  const failed = readings.flatMap(({ exchange, error }) =>
    error === undefined ? [] : [{ exchange, error }],
  );
  const places = readings.flatMap((placesRead) => placesRead.places);
  if (failed.length > 0 && (!partial || places.length === 0))
    throw new AppError("Fetch failed", failed.map(withExchange).join("; "));
  if (places.length === 0)
    throw new AppError("Invalid symbol", `${symbol} is listed on none of these exchanges`);
  const unlisted = readings.filter((placesRead) => placesRead.unlisted).map(({ exchange }) => exchange);
  return { places, unlisted, failed };
}

const withExchange = ({ exchange, error }: { exchange: string; error: string }): string =>
  error.startsWith(exchange) ? error : `${exchange}: ${error}`;
