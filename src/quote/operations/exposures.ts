/** Computes what a change of running quotes can sell and buy. */
import { readPositionExposure } from "../../limits/operations/position-reads.ts";
import type { Exposure } from "../../model/proposal.ts";
import type { Deps } from "../../ports/deps.ts";
import { requestedChange } from "../pass/begin.ts";
import { largestQuote } from "../start/exposure.ts";
import type { QuoteConfig, QuoteStrategy } from "../state/state.ts";

/** Returns the exposure of running or changed quotes: all that their budget allows. Their budget cannot be changed. */
export const readQuotesExposure = (
  deps: Deps,
  strategy: QuoteStrategy,
  config: QuoteConfig = requestedChange(strategy) ?? strategy.config,
): Promise<Exposure> => readPositionExposure(deps, strategy, { largest: largestQuote(config) });
