import type { Decimal } from "../kernel/decimal.ts";

/** Prices of a pair from other sources. */
export interface Reference {
  readonly prices: readonly { readonly source: string; readonly price: Decimal }[];
  /** The chain's own confidence in its price, if the chain is a source; our confidence never exceeds it. */
  readonly most: Decimal | null;
  /** Whether any source lists the pair, even if it did not respond. */
  readonly listed: boolean;
}
