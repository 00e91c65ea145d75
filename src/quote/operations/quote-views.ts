import type { PositionKind } from "../../engine/operations/position-kind.ts";
import { readPositionPause, readPositionSale } from "../../limits/operations/position-reads.ts";
import { asQuote, quoteKind } from "../kind.ts";
import { quoteRequestOut } from "../start/planned-quote.ts";
import type { QuoteStrategy } from "../state/state.ts";
import { readQuotesExposure } from "./exposures.ts";

/** Quotes, as the operations of all kinds with one position name them. */
export const QUOTE_STRATEGIES: PositionKind<QuoteStrategy, ReturnType<typeof quoteRequestOut>> = {
  name: quoteKind.name,
  group: "quote",
  as: asQuote,
  missing: (id) => `there are no quotes ${id}`,
  idle: "nothing is quoted",
  again: ": start new quotes",
  summaries: {
    stop: "Stop quotes and cancel their orders",
    pause: "Pause quotes: cancel their orders until you resume them",
    resume: "Resume quotes that are paused or in error",
  },
  resumes: { what: "quote both sides again", uses: "are used for quotes" },
  example: "quote-mexc-SNEK-USDT-1767225600000",
  requested: quoteRequestOut,
  exposures: {
    sale: readPositionSale,
    pause: readPositionPause,
    resume: (deps, strategy) => readQuotesExposure(deps, strategy),
  },
};
