/** What a start or a change of quotes reads. */

import { willSellAtOnce } from "../../engine/decide/ending.ts";
import {
  type ReadPlace,
  readMarketFor,
  readPricesElsewhere,
  readStart,
  type StartReads,
} from "../../engine/operations/start.ts";
import type { TradingPlace } from "../../engine/operations/start-reads.ts";
import type { Decimal } from "../../kernel/decimal.ts";
import { VenueError } from "../../kernel/errors.ts";
import type { Pair } from "../../kernel/pair.ts";
import { MINUTE } from "../../kernel/time.ts";
import { readPositionExposure, readStandings } from "../../limits/operations/exposed-reads.ts";
import type { Standings } from "../../model/limits.ts";
import type { Elsewhere } from "../../model/memory.ts";
import type { Exposure } from "../../model/proposal.ts";
import { pendingEdit } from "../../model/strategy.ts";
import type { StrategyDeps } from "../../ports/kind.ts";
import type { Venue } from "../../ports/venue.ts";
import { realizedVolatility, type Volatility } from "../plan.ts";
import type { QuoteConfig, QuoteStrategy } from "../state.ts";
import { statistic } from "../statistic.ts";

/** Returns the largest order of quotes with equal sizes. */
export const largestQuote = ({ rules: { sizes } }: QuoteConfig): Decimal | undefined =>
  sizes.model === "flat" ? sizes.size : undefined;

/** Returns the exposure of running or changed quotes: all that their budget allows. Their budget cannot be changed. */
export const readQuotesExposure = (
  deps: StrategyDeps,
  strategy: QuoteStrategy,
  config: QuoteConfig = pendingEdit(strategy) ?? strategy.config,
): Promise<Exposure> =>
  readPositionExposure(deps, strategy, {
    largest: largestQuote(config),
    sellsAtOnce: (mid) => willSellAtOnce({ config, state: strategy.state }, mid),
  });

const withPrices = async (
  deps: StrategyDeps,
  reads: StartReads,
  { symbol, actor }: { readonly symbol: Pair; readonly actor: string },
): Promise<QuoteReadings> => ({
  ...reads,
  elsewhere: await readPricesElsewhere(deps.reference, reads, symbol),
  volatility: await readVolatility(reads.venue, symbol),
  standings: await readStandings(deps, reads.venue.account, actor),
});

export const readForQuotes = async (
  deps: StrategyDeps,
  place: TradingPlace,
  actor: string,
): Promise<QuoteReadings> => withPrices(deps, await readStart(deps, place), { ...place, actor });

/** What a start of quotes needs of the account, its market, and other sources. */
export interface QuoteReadings extends StartReads {
  readonly elsewhere: Elsewhere;
  readonly volatility: Volatility | undefined;
  readonly standings: Standings;
}

export const readQuotesAt = async (
  deps: StrategyDeps,
  place: ReadPlace & { readonly actor: string },
): Promise<QuoteReadings> => withPrices(deps, await readMarketFor(deps, place), place);

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
