import { fundPaper } from "../../engine/pass/paper-start.ts";
import { describeStart } from "../../engine/pass/start-message.ts";
import { stepNow } from "../../engine/pass/tick.ts";
import { type Decimal, ONE } from "../../kernel/decimal.ts";
import { AppError, noLongerHolds } from "../../kernel/errors.ts";
import { splitPair } from "../../kernel/pair.ts";
import { midOf } from "../../kernel/spread.ts";
import { NO_STOP } from "../../kernel/stop-flags.ts";
import { exitsOnLoss } from "../../limits/exposure.ts";
import { accountKey, parseAccountKey } from "../../model/account.ts";
import type { Preview } from "../../model/proposal.ts";
import { type Exposure, TRADES_NOTHING } from "../../model/proposal.ts";
import type { Strategy } from "../../model/strategy.ts";
import { byOf, type Call, operation } from "../../operation.ts";
import type { Deps } from "../../ports/deps.ts";
import { killRefusal } from "../../ports/kill-here.ts";
import { asQuote, quoteKind } from "../kind.ts";
import { type QuoteRequest, quoteInput, quotePreviewInput } from "../schema/input.ts";
import { PlannedQuoteShape, StartedQuoteShape } from "../schema/shapes.ts";
import { plannedQuoteView } from "../schema/view.ts";
import { quoteExposure } from "../start/exposure.ts";
import {
  type PlannedQuote,
  plannedQuoteOut,
  planQuote,
  quoteRequestOut,
  quoteWarnings,
} from "../start/planned-quote.ts";
import { isShownQuote } from "../start/quote-hash.ts";
import { quoteConfigOf } from "../start/requested-config.ts";
import { newQuoteState } from "../state/state.ts";
import { budgetFor, type QuoteReadings, readForQuotes } from "./readings.ts";

async function planned(deps: Deps, query: QuoteRequest, actor: string) {
  const readings = await readForQuotes(deps, query, actor);
  return { readings, plan: planQuote(quoteConfigOf(query, budgetFor(query, readings)), readings, query) };
}

/** Returns the price at which the quotes' base is booked. Throws if the plan is outdated or no price is known. */
function checkedPrice(planned: PlannedQuote, expected: string | undefined): Decimal {
  const { reference, plan } = planned;
  if (expected !== undefined && !isShownQuote(planned, expected)) throw noLongerHolds();
  if (reference !== null) return reference;
  const text = plan.reference.sources.map(({ source, because }) => `${source} ${because}`).join(", ");
  throw new AppError(
    "Start failed",
    `this pair has no reliable price (${text || "there are no sources"}); set fixedPrice, or configure another exchange that lists it`,
  );
}

interface CreatedQuotes {
  readonly strategy: Strategy;
  readonly warnings: ReturnType<typeof quoteWarnings>;
}

interface QuoteStart {
  readonly readings: QuoteReadings;
  readonly plan: PlannedQuote;
  readonly startPrice: Decimal;
}

async function createQuotes(
  deps: Deps,
  query: QuoteRequest,
  { readings, plan, startPrice }: QuoteStart,
  call: Call,
): Promise<CreatedQuotes> {
  await fundPaper(deps, query, readings.venue);
  const { exchange, symbol } = query;
  const { base, quote } = splitPair(symbol);
  const strategy = await deps.store.createStrategy(
    {
      kind: quoteKind.name,
      version: quoteKind.version,
      config: plan.config,
      state: newQuoteState(plan.config.rules.levels, startPrice),
      wants: "run",
      ...NO_STOP,
      status: "running",
      phase: "starting",
      lastError: null,
      stoppedAt: null,
      prefix: `quote-${exchange}-${base}-${quote}`,
      account: accountKey(readings.venue.account),
      symbol,
      startedAt: deps.marketTime(readings.venue.account, readings.now),
      request: call.requestKey ?? null,
    },
    byOf(call),
  );
  if (!strategy) throw killRefusal(deps.killHere, "nothing is quoted");
  return { strategy, warnings: quoteWarnings(plan, readings) };
}

/** Returns the strategy that an earlier attempt of the same request started. */
async function createdBefore({ store }: Deps, { requestKey }: Call): Promise<CreatedQuotes | undefined> {
  if (requestKey === undefined) return undefined;
  const [view] = await store.strategies({ request: requestKey });
  return view && { strategy: view.strategy, warnings: [] };
}

/** Reads and checks a start of quotes. A repeated request returns the strategy of the first one. */
async function prepareQuotes(deps: Deps, query: QuoteRequest, planHash: string | undefined, call: Call) {
  const before = await createdBefore(deps, call);
  if (before)
    return {
      preview: async () => earlierQuotesPreview(before),
      exposure: TRADES_NOTHING,
      strategies: [],
      act: () => startedQuotesResponse(deps, query, before),
    };
  const { readings, plan } = await planned(deps, query, call.actor);
  return {
    async preview() {
      checkedPrice(plan, planHash);
      return previewOfQuotes(query, plan, readings);
    },
    exposure: query.dryRun ? TRADES_NOTHING : startExposure(plan, readings),
    strategies: [],
    check() {
      if (readings.killed) throw killRefusal(deps.killHere, "nothing is quoted");
      checkedPrice(plan, planHash);
    },
    async act() {
      const startPrice = checkedPrice(plan, planHash);
      return startedQuotesResponse(
        deps,
        query,
        await createQuotes(deps, query, { readings, plan, startPrice }, call),
      );
    },
  };
}

/**
 * Returns the exposure of a start. Base counts at the mid price of the pair's book, or at the reference price if the
 * book has none.
 */
function startExposure(
  { config, reference }: PlannedQuote,
  { market, book, standings }: QuoteReadings,
): Exposure {
  const { symbol, quote } = market;
  const [bid, ask] = [book.bids[0]?.price, book.asks[0]?.price];
  const mid = bid !== undefined && ask !== undefined ? midOf({ bid, ask }) : (reference ?? undefined);
  const state = newQuoteState(config.rules.levels, ONE);
  const limits = standings.all[0]?.limits ?? {};
  return quoteExposure(
    { symbol, config, state, phase: "starting" },
    { mid, buys: [], exitsOnLoss: exitsOnLoss(limits, quote) },
  );
}

const earlierQuotesPreview = ({ strategy: { id } }: CreatedQuotes): Preview => ({
  what: `${id} was started by an earlier attempt of this request`,
  cost: "nothing more",
  worstCase: "nothing more is started",
  limits: [],
});

async function startedQuotesResponse(deps: Deps, query: QuoteRequest, begun: CreatedQuotes) {
  const { strategy } = begun;
  const venue = deps.venueOf(parseAccountKey(strategy.account));
  const pass = venue && (await stepNow(deps, venue));
  const [view] = await deps.store.strategies({ id: strategy.id });
  const { id, status, phase, config } = asQuote(view?.strategy ?? strategy);
  return {
    ...{ id, status, phase },
    message: describeStart({ id, status, phase, config }, pass),
    ...quoteRequestOut(query.exchange, strategy.symbol, config),
    warnings: begun.warnings,
  };
}

function previewOfQuotes(query: QuoteRequest, plan: PlannedQuote, readings: QuoteReadings): Preview {
  const out = plannedQuoteOut(plan, readings, query);
  const { base, quote } = readings.market;
  const { bids, asks } = plan.plan;
  const onPaper = query.dryRun ? " (paper trading)" : "";
  return {
    what: `quote both sides of ${query.symbol} at ${query.exchange}${onPaper}: ${bids.length} bids and ${asks.length} asks now, ${out.spreadPercent} % apart, around ${out.reference} ${quote}`,
    cost: `up to ${out.budget.quote} ${quote} and ${out.budget.base} ${base} of your balance are used for quotes`,
    worstCase: out.worstCase,
    limits: [out.cadence.message, ...out.warnings.map(({ message }) => message)],
    holds: { planHash: plan.hash },
  };
}

const QUOTE_EXAMPLE =
  "--exchange mexc --symbol SNEK/USDT --spread 0.02 --depth 500 --within 0.017 --levels 3";
const STARTS_QUOTES = { access: "token", failure: "Start failed" } as const;

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
    prepare: (deps, { planHash, ...query }, call) => prepareQuotes(deps, query, planHash, call),
  }),
];
