import { prepareStrategyStart, type ReadyStart } from "../../engine/operations/start.ts";
import { budgetFor } from "../../engine/operations/start-reads.ts";
import type { Decimal } from "../../kernel/decimal.ts";
import { AppError, noLongerHolds } from "../../kernel/errors.ts";
import { midOf } from "../../kernel/spread.ts";
import type { Preview } from "../../model/proposal.ts";
import { operation } from "../../operation.ts";
import type { Deps } from "../../ports/deps.ts";
import { quoteKind } from "../kind.ts";
import { type QuoteRequest, quoteInput, quotePreviewInput } from "../schema/input.ts";
import { PlannedQuoteShape, StartedQuoteShape } from "../schema/shapes.ts";
import { plannedQuoteView } from "../schema/view.ts";
import { largestQuote } from "../start/exposure.ts";
import { type PlannedQuote, plannedQuoteOut, planQuote, quoteWarnings } from "../start/planned-quote.ts";
import { isShownQuote } from "../start/quote-hash.ts";
import { quoteConfigOf } from "../start/requested-config.ts";
import { newQuoteState, type QuoteStrategy } from "../state/state.ts";
import { QUOTE_STRATEGIES } from "./quote-views.ts";
import { type QuoteReadings, readForQuotes } from "./readings.ts";

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
    warnings: quoteWarnings(plan, readings),
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
    prepare: (deps, { planHash, ...query }, call) =>
      prepareStrategyStart(deps, QUOTE_STRATEGIES, call, () =>
        readyQuotes(deps, query, { planHash, actor: call.actor }),
      ),
  }),
];
