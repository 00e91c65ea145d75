import {
  type ReadPlace,
  readMarketFor,
  readPricesElsewhere,
  readStart,
  type StartReads,
} from "../../engine/operations/start-reads.ts";
import type { TradingPlace } from "../../engine/pass/paper-start.ts";
import { VenueError } from "../../kernel/errors.ts";
import type { Pair } from "../../kernel/pair.ts";
import { MINUTE } from "../../kernel/time.ts";
import { readStandings } from "../../limits/operations/standings.ts";
import type { Standings } from "../../model/limits.ts";
import type { Elsewhere } from "../../model/memory.ts";
import type { Deps } from "../../ports/deps.ts";
import type { Venue } from "../../ports/venue.ts";
import { realizedVolatility, type Volatility } from "../half-spread.ts";
import { statistic } from "../statistic.ts";

/** What a start of quotes needs of the account, its market, and other sources. */
export interface QuoteReadings extends StartReads {
  readonly elsewhere: Elsewhere;
  readonly volatility: Volatility | undefined;
  readonly standings: Standings;
}

export const readForQuotes = async (deps: Deps, place: TradingPlace, actor: string): Promise<QuoteReadings> =>
  withPrices(deps, await readStart(deps, place), { ...place, actor });

export const readQuotesAt = async (
  deps: Deps,
  place: ReadPlace & { readonly actor: string },
): Promise<QuoteReadings> => withPrices(deps, await readMarketFor(deps, place), place);

const withPrices = async (
  deps: Deps,
  reads: StartReads,
  { symbol, actor }: { readonly symbol: Pair; readonly actor: string },
): Promise<QuoteReadings> => ({
  ...reads,
  elsewhere: await readPricesElsewhere(deps.reference, reads, symbol),
  volatility: await readVolatility(reads.venue, symbol),
  standings: await readStandings(deps, reads.venue.account, actor),
});

/** Returns the volatility of the last hour's one-minute candles; undefined if the exchange does not return them. */
async function readVolatility(venue: Venue, symbol: Pair): Promise<Volatility | undefined> {
  try {
    const candles = await venue.candles(symbol, { span: MINUTE, limit: 60 });
    const closes = candles.map(({ at, close }) => ({ at, price: statistic(close) }));
    return realizedVolatility(closes, MINUTE);
  } catch (error) {
    // A plan does not fail because additional data are missing.
    if (error instanceof VenueError) return undefined;
    throw error;
  }
}
