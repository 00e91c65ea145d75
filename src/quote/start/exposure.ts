import type { Decimal } from "../../kernel/decimal.ts";
import { type PositionMarket, positionExposure } from "../../limits/position.ts";
import type { Exposure } from "../../model/proposal.ts";
import type { QuoteConfig, QuoteStrategy } from "../state/state.ts";

/** Returns the largest order of quotes with equal sizes. */
export const largestQuote = ({ rules: { sizes } }: QuoteConfig): Decimal | undefined =>
  sizes.model === "flat" ? sizes.size : undefined;

/** Returns what quotes can sell and buy. */
export const quoteExposure = (
  strategy: Pick<QuoteStrategy, "symbol" | "config" | "state" | "phase">,
  market: Omit<PositionMarket, "largest">,
): Exposure => positionExposure(strategy, { ...market, largest: largestQuote(strategy.config) });
