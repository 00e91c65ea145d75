import type { Decimal } from "../kernel/decimal.ts";

/** Prices of a pair from other sources. */
export interface Reference {
  readonly prices: readonly { readonly source: string; readonly price: Decimal }[];
  /** The chain's own confidence in its price, where that is one of them: ours is never above it. */
  readonly most: Decimal | null;
  /** Whether any source lists the pair, even if it did not respond. */
  readonly listed: boolean;
}
