import type { Decimal } from "../../kernel/decimal.ts";
import type { QuoteConfig } from "../state/state.ts";

/** Returns the largest order of quotes with equal sizes. */
export const largestQuote = ({ rules: { sizes } }: QuoteConfig): Decimal | undefined =>
  sizes.model === "flat" ? sizes.size : undefined;
