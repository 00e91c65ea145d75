import type { PositionKind } from "../../engine/operations/reads.ts";
import {
  budgetFor,
  prepareStrategyStart,
  type ReadPlace,
  type ReadyStart,
  readMarketFor,
  readPricesElsewhere,
  readStart,
  type StartReads,
} from "../../engine/operations/start.ts";
import type { TradingPlace } from "../../engine/operations/start-reads.ts";
import { describePositionUse } from "../../engine/position/position.ts";
import type { Decimal } from "../../kernel/decimal.ts";
import { AppError, VenueError } from "../../kernel/errors.ts";
import type { Pair } from "../../kernel/pair.ts";
import { pluralize } from "../../kernel/plain-text.ts";
import { midOf } from "../../kernel/spread.ts";
import { MINUTE } from "../../kernel/time.ts";
import { readPositionExposure, readStandings } from "../../limits/operations/exposed-reads.ts";
import type { Standings } from "../../model/limits.ts";
import type { Elsewhere } from "../../model/memory.ts";
import type { Exposure, Preview } from "../../model/proposal.ts";
import { checkHolds } from "../../model/shown-plan.ts";
import { operation } from "../../operation.ts";
import type { Deps } from "../../ports/deps.ts";
import type { StrategyLife } from "../../ports/life.ts";
import type { Venue } from "../../ports/venue.ts";
import { asQuote, quoteKind } from "../kind.ts";
import { requestedChange } from "../pass/quoting.ts";
import { realizedVolatility, type Volatility } from "../plan.ts";
import {
  PlannedQuoteShape,
  type QuoteRequest,
  quoteInput,
  quotePreviewInput,
  StartedQuoteShape,
} from "../schema/input.ts";
import { plannedQuoteView } from "../schema/view.ts";
import {
  type PlannedQuote,
  plannedQuoteOut,
  planQuote,
  quoteConfigOf,
  quoteRequestOut,
  quoteStartWarnings,
} from "../start/planned-quote.ts";
import { newQuoteState, type QuoteConfig, type QuoteStrategy } from "../state.ts";
import { statistic } from "../statistic.ts";

async function planned(deps: Deps, query: QuoteRequest, actor: string) {
  const readings = await readForQuotes(deps, query, actor);
  return { readings, plan: planQuote(quoteConfigOf(query, budgetFor(query, readings)), readings, query) };
}

/** Returns the price at which the quotes' base is booked. Throws if the plan is outdated or no price is known. */
function checkedPrice(planned: PlannedQuote, expected: string | undefined): Decimal {
  const { reference, plan, shown } = planned;
  checkHolds(shown, expected);
  if (reference !== null) return reference;
  const text = plan.reference.sources.map(({ source, because }) => `${source} ${because}`).join(", ");
  throw new AppError(
    "Start failed",
    `this pair has no reliable price (${text || "there are no sources"}); set fixedPrice, or configure another exchange that lists it`,
  );
}

async function readyQuotes(
  deps: Deps,
  query: QuoteRequest,
  { planHash, actor }: { readonly planHash: string | undefined; readonly actor: string },
): Promise<ReadyStart<QuoteStrategy>> {
  const { readings, plan } = await planned(deps, query, actor);
  const { config } = plan;
  return {
    place: query,
    reads: readings,
    version: quoteKind.version,
    prefix: "quote",
    config,
    stateAt: (price) => newQuoteState(config.rules.levels, price),
    mid: countedPrice(plan, readings),
    largest: largestQuote(config),
    startPrice: () => checkedPrice(plan, planHash),
    preview: () => previewOfQuotes(query, plan, readings),
    warnings: quoteStartWarnings(plan, readings),
  };
}

/** Returns the mid price of the pair's book, or the reference price if the book has none. */
function countedPrice({ reference }: PlannedQuote, { book }: QuoteReadings): Decimal | undefined {
  const [bid, ask] = [book.bids[0]?.price, book.asks[0]?.price];
  return bid !== undefined && ask !== undefined ? midOf({ bid, ask }) : (reference ?? undefined);
}

function previewOfQuotes(query: QuoteRequest, plan: PlannedQuote, readings: QuoteReadings): Preview {
  const out = plannedQuoteOut(plan, readings, query);
  const { base, quote } = readings.market;
  const count = (of: "buy" | "sell") => out.orders.filter(({ side }) => side === of).length;
  const onPaper = query.dryRun ? " (paper trading)" : "";
  return {
    what: `quote both sides of ${query.symbol} at ${query.exchange}${onPaper}: ${pluralize(count("buy"), "bid")} and ${pluralize(count("sell"), "ask")} now, ${out.spreadPercent} % apart, around ${out.reference} ${quote}`,
    cost: `up to ${out.budget.quote} ${quote} and ${out.budget.base} ${base} of your balance are used for quotes`,
    worstCase: out.worstCase,
    limits: [out.cadence.message, ...out.warnings.map(({ message }) => message)],
    holds: { planHash: out.planHash },
  };
}

const QUOTE_EXAMPLE =
  "--exchange mexc --symbol SNEK/USDT --spread-percent 2 --depth 500 --within-percent 1.7 --levels 3";
const STARTS_QUOTES = { access: "token", failure: "Start failed" } as const;

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
export const QUOTE_STRATEGIES: PositionKind<QuoteStrategy, ReturnType<typeof quoteRequestOut>> = {
  name: quoteKind.name,
  as: asQuote,
  missing: (id) => `there are no quotes ${id}`,
  idle: "nothing is quoted",
  requested: quoteRequestOut,
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

export const quoteStarts = (ids: readonly string[]) => [
  operation({
    name: "preview_quote",
    summary: "Show orders, cost and worst case of quotes",
    effect: "read",
    ...STARTS_QUOTES,
    http: { route: "POST /strategy/quote/preview", from: "body" },
    cli: {
      path: "quote preview",
      view: plannedQuoteView,
      examples: [`edgemaker quote preview ${QUOTE_EXAMPLE}`],
    },
    input: () => quotePreviewInput(ids),
    output: PlannedQuoteShape,
    async run(deps, query, { actor }) {
      const { readings, plan } = await planned(deps, query, actor);
      return plannedQuoteOut(plan, readings, query);
    },
  }),
  operation({
    name: "start_quote",
    summary: "Quote both sides of a market",
    effect: "trade",
    ...STARTS_QUOTES,
    http: { route: "POST /strategy/quote", from: "body", idempotent: true },
    cli: { path: "quote start", steps: true, examples: [`edgemaker quote start ${QUOTE_EXAMPLE}`] },
    input: () => quoteInput(ids),
    output: StartedQuoteShape,
    prepare: (deps, { planHash, ...query }, call) =>
      prepareStrategyStart(deps, QUOTE_STRATEGIES, call, () =>
        readyQuotes(deps, query, { planHash, actor: call.actor }),
      ),
  }),
];

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

/** The life of quotes. */
export const quoteLife: StrategyLife = {
  onPause: "cancel",
  readExposure: (deps, strategy) => readQuotesExposure(deps, asQuote(strategy)),
  describeUse: (strategy) => describePositionUse(asQuote(strategy)),
};
