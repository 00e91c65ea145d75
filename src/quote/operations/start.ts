import { budgetFor, readyPosition } from "../../engine/operations/start.ts";
import type { Decimal } from "../../kernel/decimal.ts";
import { AppError } from "../../kernel/errors.ts";
import { midOf } from "../../kernel/spread.ts";
import type { ConfigForm } from "../../ports/config-form.ts";
import type { StrategyDeps } from "../../ports/kind.ts";
import type { PlanReader, ReadyStart, StartRequest } from "../../ports/plan.ts";
import { type QuoteSettings, quoteConfig, quoteEditConfig } from "../schema/input.ts";
import {
  type PlannedQuote,
  planQuote,
  quoteConfigOf,
  quoteFacts,
  quoteStartWarnings,
} from "../start/planned-quote.ts";
import { newQuoteState, type QuoteStrategy, STORED_QUOTES } from "../state.ts";
import { largestQuote, type QuoteReadings, readForQuotes } from "./readings.ts";

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
export async function readQuoteStart(
  deps: StrategyDeps,
  request: StartRequest,
  { actor, isShown }: PlanReader,
): Promise<ReadyStart> {
  const reads = await readForQuotes(deps, request, actor);
  const settings = request.config as unknown as QuoteSettings;
  const config = quoteConfigOf(settings, budgetFor(request, reads));
  const plan = planQuote(config, reads, request);
  return readyPosition<QuoteStrategy>(deps, {
    reads,
    version: STORED_QUOTES.version,
    prefix: STORED_QUOTES.name,
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

/** What can change in running quotes. */
export const QUOTE_EDIT_FORM: ConfigForm = {
  definition: "quote",
  word: "quote",
  what: "quotes",
  synonym: (verb) => `quote ${verb}`,
  config: quoteEditConfig,
  example: "quote-mexc-SNEK-USDT-1767225600000 --spread-percent 1.5",
};
