import type { NamedKind } from "../../engine/operations/reads.ts";
import {
  budgetFor,
  type ReadPlace,
  readMarketFor,
  readPricesElsewhere,
  readStart,
  readyPosition,
  type StartReads,
} from "../../engine/operations/start.ts";
import type { TradingPlace } from "../../engine/operations/start-reads.ts";
import { describePositionUse } from "../../engine/position/position.ts";
import type { Decimal } from "../../kernel/decimal.ts";
import { AppError, VenueError } from "../../kernel/errors.ts";
import type { Pair } from "../../kernel/pair.ts";
import { midOf } from "../../kernel/spread.ts";
import { MINUTE } from "../../kernel/time.ts";
import { readPositionExposure, readStandings } from "../../limits/operations/exposed-reads.ts";
import type { Standings } from "../../model/limits.ts";
import type { Elsewhere } from "../../model/memory.ts";
import type { Exposure } from "../../model/proposal.ts";
import type { ConfigForm } from "../../ports/config-form.ts";
import type { Deps } from "../../ports/deps.ts";
import type { PlanReader, ReadyStart, StartRequest, StrategyLife } from "../../ports/life.ts";
import type { Venue } from "../../ports/venue.ts";
import { asQuote, quoteKind } from "../kind.ts";
import { requestedChange } from "../pass/quoting.ts";
import { realizedVolatility, type Volatility } from "../plan.ts";
import { QuotePlanShape, type QuoteSettings, quoteConfig } from "../schema/input.ts";
import { quotePlanLines } from "../schema/view.ts";
import {
  type PlannedQuote,
  planQuote,
  quoteConfigOf,
  quoteFacts,
  quoteStartWarnings,
} from "../start/planned-quote.ts";
import { newQuoteState, type QuoteConfig, type QuoteStrategy } from "../state.ts";
import { statistic } from "../statistic.ts";

/** Returns the price at which the quotes' base is booked. Throws if no price is known. */
function checkedPrice({ reference, plan }: PlannedQuote): Decimal {
  if (reference !== null) return reference;
  const text = plan.reference.sources.map(({ source, because }) => `${source} ${because}`).join(", ");
  throw new AppError(
    "Start failed",
    `this pair has no reliable price (${text || "there are no sources"}); set fixedPrice, or configure another exchange that lists it`,
  );
}

/** Reads what quotes need, and plans them. */
async function readQuoteStart(
  deps: Deps,
  request: StartRequest,
  { actor, isShown }: PlanReader,
): Promise<ReadyStart> {
  const reads = await readForQuotes(deps, request, actor);
  const settings = request.config as unknown as QuoteSettings;
  const config = quoteConfigOf(settings, budgetFor(request, reads));
  const plan = planQuote(config, reads, request);
  return readyPosition<QuoteStrategy>(deps, {
    reads,
    version: quoteKind.version,
    prefix: quoteKind.name,
    config,
    stateAt: (price) => newQuoteState(config.rules.levels, price),
    mid: countedPrice(plan, reads),
    largest: largestQuote(config),
    startPrice: () => checkedPrice(plan),
    shown: plan.shown,
    facts: () => quoteFacts(plan, reads),
    warnings: quoteStartWarnings(plan, reads),
    isShown,
  });
}

/** Returns the mid price of the pair's book, or the reference price if the book has none. */
function countedPrice({ reference }: PlannedQuote, { book }: QuoteReadings): Decimal | undefined {
  const [bid, ask] = [book.bids[0]?.price, book.asks[0]?.price];
  return bid !== undefined && ask !== undefined ? midOf({ bid, ask }) : (reference ?? undefined);
}

/** Returns the largest order of quotes with equal sizes. */
export const largestQuote = ({ rules: { sizes } }: QuoteConfig): Decimal | undefined =>
  sizes.model === "flat" ? sizes.size : undefined;

/** Returns the exposure of running or changed quotes: all that their budget allows. Their budget cannot be changed. */
export const readQuotesExposure = (
  deps: Deps,
  strategy: QuoteStrategy,
  config: QuoteConfig = requestedChange(strategy) ?? strategy.config,
): Promise<Exposure> => readPositionExposure(deps, strategy, { largest: largestQuote(config) });

/** Quotes, as the operations of all kinds with one position name them. */
export const QUOTE_STRATEGIES: NamedKind<QuoteStrategy> = {
  name: quoteKind.name,
  as: asQuote,
  missing: (id) => `there are no quotes ${id}`,
};

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

const readForQuotes = async (deps: Deps, place: TradingPlace, actor: string): Promise<QuoteReadings> =>
  withPrices(deps, await readStart(deps, place), { ...place, actor });

/** What a start of quotes needs of the account, its market, and other sources. */
interface QuoteReadings extends StartReads {
  readonly elsewhere: Elsewhere;
  readonly volatility: Volatility | undefined;
  readonly standings: Standings;
}

export const readQuotesAt = async (
  deps: Deps,
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

/** What can be started as quotes. */
export const QUOTE_FORM: ConfigForm = {
  definition: "quote",
  word: "quote",
  what: "quotes on both sides of a market",
  synonym: (verb) => `quote ${verb}`,
  config: quoteConfig,
  takesBudget: true,
  example:
    "--exchange mexc --symbol SNEK/USDT --spread-percent 2 --depth 500 --within-percent 1.7 --levels 3",
};

/** The life of quotes. */
export const quoteLife: StrategyLife = {
  onPause: "cancel",
  forms: () => [QUOTE_FORM],
  readStart: readQuoteStart,
  readUse: async (_deps, strategy) => asQuote(strategy).config.budget,
  readExposure: (deps, strategy) => readQuotesExposure(deps, asQuote(strategy)),
  describeUse: (strategy) => describePositionUse(asQuote(strategy)),
  planDetails: QuotePlanShape,
  planLines: quotePlanLines,
};
