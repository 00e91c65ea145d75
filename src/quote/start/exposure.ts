import type { Decimal } from "../../kernel/decimal.ts";
import { type PositionMarket, positionExposure } from "../../limits/position.ts";
import type { Exposure } from "../../model/proposal.ts";
import type { QuoteConfig, QuoteStrategy } from "../state/state.ts";

/** The largest order of quotes whose sizes are all the same. */
export const largestQuote = ({ rules: { sizes } }: QuoteConfig): Decimal | undefined =>
  sizes.model === "flat" ? sizes.size : undefined;

/** What quotes can sell and buy. */
export const quoteExposure = (
  strategy: Pick<QuoteStrategy, "symbol" | "config" | "state" | "phase">,
  market: Omit<PositionMarket, "largest">,
): Exposure => positionExposure(strategy, { ...market, largest: largestQuote(strategy.config) });
