/** What changes of running quotes can sell and buy, with what has to be read for that. */
import { readPositionExposure } from "../../limits/operations/position-reads.ts";
import type { Exposure } from "../../model/proposal.ts";
import type { Deps } from "../../ports/deps.ts";
import { requestedChange } from "../pass/begin.ts";
import { largestQuote } from "../start/exposure.ts";
import type { QuoteConfig, QuoteStrategy } from "../state/state.ts";

/** Quotes that go on, as they are or as a change makes them, do all that their budget lets them do. */
export const readQuotesExposure = (
  deps: Deps,
  strategy: QuoteStrategy,
  config: QuoteConfig = requestedChange(strategy) ?? strategy.config,
): Promise<Exposure> =>
  readPositionExposure(deps, { ...strategy, config }, { largest: largestQuote(config) });
